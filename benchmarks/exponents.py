"""Does the time of a gradient grow with the size as the time of the primal does?

    python -m benchmarks.exponents [--only NAME ...] [--fresh]

Fits the exponent of the primal's time over four sizes, and the excess of the gradient's exponent.
Target: an excess of at most 0.15. Columns with the exponents of bytes touched and of numbers
computed (`counts.py`) are printed, too.

A range of sizes is valid if the primal's time grows over it as the numbers that it computes do: at
smaller sizes the overhead of a call, and of a loop iteration, shows. A gradient that costs more by
a power of the size shows it over every range. But a gradient with a small constant times as many
arrays as its primal outgrows each cache at a smaller size: over a range where only one of the two
fits a cache, its time grows faster, too. So if the excess is beyond the target, the next range of
larger sizes is tried, as long as time and memory permit. All ranges tried are printed. Everything
runs on one core: XLA uses several threads for arrays beyond some size.

The C library gives arrays of 32 MB and more (XLA's temporaries, too) fresh pages at each call,
which cost as much time as the work on them. If only the gradient's arrays exceed that size, this
shows as an exponent, so the library is told to keep its pages. But gradients that recompute
iterations do so to save memory, that is, fresh pages: they are timed with fresh pages, as all are
with `--fresh`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import jax
import numpy as np

from benchmarks.counts import Counts, counts
from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernels import compiled, fastest, on_jax_arrays
from myia.ir.parser import parse

MAX_EXCESS = 0.15
RELATIVE_SIZES = (0.7, 1.0, 1.4, 2.0)
ROUNDS, SAMPLES = 7, 2
# Seconds of the primal at the smallest and at the largest of four sizes. The minimum is five times
# the overhead of a call, which is subtracted.
MIN_PRIMAL_SECONDS, MAX_PRIMAL_SECONDS = 5e-5, 4
MAX_GRADIENT_BYTES = 2e9  # of all its arrays
MAX_RANGE_SECONDS = 8  # for one range, after at least two rounds
# By how much the exponent of the primal's time may be below the exponent of its computed numbers.
MAX_PRIMAL_SHORTFALL = 0.25
MAX_COUNTING_SECONDS = 0.1  # at the kernel's own size; else smaller sizes are counted


def exponent_excess(ys: np.ndarray, sizes: Iterable[int]) -> tuple[float, float]:
    """The exponent of the primal's column, and the excess of the gradient's over it."""
    primal, gradient = exponents(ys, sizes)
    return primal, gradient - primal


def exponents(ys: np.ndarray, sizes: Iterable[int]) -> np.ndarray:
    return np.polyfit(np.log(list(sizes)), np.log(ys), 1)[0]


def seconds_per_size(kernel: Kernel, sizes: Iterable[int]) -> np.ndarray:
    """Seconds of the primal and of the gradient at each size, without the overhead of a call.

    The overhead is their time at the smaller size of the kernel's tests.
    """
    calls = [on_jax_arrays(kernel, n)[:2] for n in (min(kernel.tests), *sizes)]
    taken, start = [], time.perf_counter()
    # Each round has all sizes: the machine may be shared.
    while len(taken) < ROUNDS:
        if len(taken) >= 2 and time.perf_counter() - start > MAX_RANGE_SECONDS:
            break
        taken.append([[fastest(f, SAMPLES) for f in fs] for fs in calls])
    call, *times = np.min(taken, axis=0)
    return np.maximum(times - call, 1e-9)


# ----- Sizes


class Range(NamedTuple):
    """Four sizes, the primal's seconds at the largest, and (exponent of the primal, excess).

    The three pairs of exponents are of time, of bytes touched and of numbers computed.
    """

    sizes: list[int]
    seconds: float
    exponents: list[tuple[float, float]]

    @property
    def valid(self) -> bool:
        """Does the primal's time grow as the numbers that it computes do?"""
        (of_time, _), _, (of_numbers, _) = self.exponents
        return of_time > of_numbers - MAX_PRIMAL_SHORTFALL

    @property
    def excess(self) -> float:
        """The excess of the exponent of the gradient's time over the primal's."""
        return self.exponents[0][1]


def valid_ranges(kernel: Kernel) -> Iterator[Range]:
    """The valid ranges, up to the first within the limit."""
    n = kernel.times
    while fastest(on_jax_arrays(kernel, sizes_around(n)[0])[0], SAMPLES) < MIN_PRIMAL_SECONDS:
        n = larger(n)
    while True:
        found = measure_range(kernel, sizes_around(n))
        if found.valid:
            yield found
        if (found.valid and found.excess <= MAX_EXCESS) or is_last(kernel, found):
            return
        n = larger(n)


def larger(n: int) -> int:
    return 2 * n if is_power_of_two(n) else round(1.5 * n)


def measure_range(kernel: Kernel, sizes: list[int]) -> Range:
    taken = seconds_per_size(kernel, sizes)
    pair = exponent_excess(taken, sizes)
    of_counts = exponent_excess_of_counts(kernel, countable_sizes(kernel, sizes))
    return Range(sizes, taken[-1][0], [pair, *of_counts])


def is_last(kernel: Kernel, found: Range) -> bool:
    """Would the next range take too long or too much memory?"""
    largest = found.sizes[-1]
    growth = (larger(largest) / largest) ** found.exponents[0][0]
    too_long = found.seconds * growth > MAX_PRIMAL_SECONDS
    return too_long or footprint(kernel, larger(largest)) > MAX_GRADIENT_BYTES


def footprint(kernel: Kernel, n: int) -> int:
    """Bytes of all arrays of the gradient."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    memory = compiled(kernel, args)[1].lower(weights, *args).compile().memory_analysis()
    arrays = memory.argument_size_in_bytes + memory.output_size_in_bytes
    return arrays + memory.temp_size_in_bytes


def recomputes_iterations(kernel: Kernel, n: int) -> bool:
    """Does the gradient recompute iterations, because its tapes would be large?"""
    args, weights = kernel.arguments(n), kernel.weights(n)
    return any(plan.strategy == "trail" for plan in compiled(kernel, args)[1].plan(weights, *args))


def sizes_around(n: int) -> list[int]:
    if is_power_of_two(n):
        return [n // 2, n, 2 * n, 4 * n]
    return [round(n * share) for share in RELATIVE_SIZES]


def is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def exponent_excess_of_counts(kernel: Kernel, sizes: Iterable[int]) -> list[tuple[float, float]]:
    """`exponent_excess` of bytes touched and of numbers computed."""
    found = np.array(
        [[(c.touched, c.computed) for c in primal_and_gradient_counts(kernel, n)] for n in sizes]
    )
    return [exponent_excess(found[:, :, i], sizes) for i in range(2)]


def countable_sizes(kernel: Kernel, sizes: list[int]) -> list[int]:
    """`sizes`, or smaller ones if counting takes long."""
    start = time.perf_counter()
    primal_and_gradient_counts(kernel, kernel.times)
    seconds = time.perf_counter() - start
    return sizes if seconds < MAX_COUNTING_SECONDS else sizes_around(kernel.times)


def primal_and_gradient_counts(kernel: Kernel, n: int) -> list[Counts]:
    """The counts of the compiled primal and gradient at size n."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    found = []
    for function in compiled(kernel, args):
        program = parse(function.ir(weights, *args)["finish"])
        # Ints are static or arguments: the number of arguments tells.
        every = [*weights, *args]
        traced = [x for x in every if not isinstance(x, int)]
        whole = len(every) == len(program.region.args)
        found.append(counts(program, every if whole else traced))
    return found


def keep_pages() -> None:
    """Tell the C library (glibc) to keep freed memory: that of JAX's threads, too."""
    trim_threshold, max_mappings, max_arenas = -1, -4, -8
    library = ctypes.CDLL(None)
    assert library.mallopt(max_arenas, 1)  # other arenas map blocks of 64 MB and more
    assert library.mallopt(max_mappings, 0) and library.mallopt(trim_threshold, -1)


def is_within_with_fresh_pages(kernel: Kernel) -> bool:
    """Is the gradient within the limit with fresh pages? A new process prints its rows."""
    command = [sys.executable, "-m", "benchmarks.exponents", "--fresh", "--only", kernel.name]
    return subprocess.run(command).returncode == 0


def is_within(kernel: Kernel, fresh: bool) -> bool:
    """Is the gradient's exponent within the limit over some range? Prints the ranges tried."""
    found = None
    for found in valid_ranges(kernel):
        if not fresh and recomputes_iterations(kernel, found.sizes[-1]):
            return is_within_with_fresh_pages(kernel)
        cells = "".join(f"{primal:>10.2f}{excess:>+10.2f}" for primal, excess in found.exponents)
        print(f"{kernel.name:<24}{cells}  {found.sizes[0]} to {found.sizes[-1]}", flush=True)
    return found is not None and found.excess <= MAX_EXCESS


def run(kernels: Iterable[Kernel], fresh: bool) -> bool:
    """Are all gradients within the limit?"""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    # Otherwise each call would block on another thread.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    if not fresh:
        keep_pages()
        columns = ("time", "gradient", "bytes", "gradient", "numbers", "gradient")
        print(f"{'exponents of':<24}" + "".join(f"{name:>10}" for name in columns), flush=True)
    beyond = [kernel.name for kernel in kernels if not is_within(kernel, fresh)]
    if not fresh:
        print(f"beyond {MAX_EXCESS:+} in time: {', '.join(beyond) or 'none'}", flush=True)
    return not beyond


def main(names: Iterable[str] = tuple(KERNELS), fresh: bool = False) -> None:
    if not run([KERNELS[name] for name in names], fresh):
        sys.exit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    main(options.only, options.fresh)
