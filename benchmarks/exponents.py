"""Does a gradient's time grow with the size as the primal's does?

    python -m benchmarks.exponents [--only NAME ...] [--fresh]

Exponents of four sizes, of the primal, and by how much those of the gradient exceed them. Target:
at most 0.15. Beside the exponents of time stand those of counts (`counts.py`): of bytes touched and
numbers computed.

A range of sizes counts if over it the primal grows as the numbers that it computes do: at smaller
ones what a call takes shows, and a trip of its loops. A gradient that costs more by a power of the
size shows this over every range. But one with a small constant times as many arrays as its primal
leaves each of the caches at a smaller size, and over a range where one of the two has left a cache
and the other has not its time grows faster, too. So where the gradient's exponent is beyond the
target the next range is tried, of larger sizes, as long as time and memory permit. All that
were tried are printed. One core runs all: XLA gives arrays beyond some size to several threads.

The C library gives arrays of 32 MB and more, temporary ones of XLA too, fresh pages at each call,
which take as long as the work on them does. Where the gradient's exceed that size and the primal's
do not, this shows as an exponent; so it is told to keep its pages. But gradients that run trips
again, which is what fresh pages cost, are timed with these, as all are with `--fresh`.
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

LIMIT = 0.15
SHARES = (0.7, 1.0, 1.4, 2.0)
ROUNDS, TURNS = 7, 2
# Seconds of the primal at the smallest of four sizes and at the largest: five times what a call
# takes, which is taken off.
LEAST_SECONDS, MOST_SECONDS = 5e-5, 4
MOST_BYTES = 2e9  # of all arrays of the gradient
PATIENCE = 8  # seconds for one range, but for two rounds
# How much less than of its numbers an exponent of the primal's time may be.
SHORTFALL = 0.25
QUICK_SECONDS = 0.1


def excess(ys: np.ndarray, sizes: Iterable[int]) -> tuple[float, float]:
    """The exponent of the primal's column, and by how much the gradient's exceeds it."""
    primal, gradient = exponents(ys, sizes)
    return primal, gradient - primal


def exponents(ys: np.ndarray, sizes: Iterable[int]) -> np.ndarray:
    return np.polyfit(np.log(list(sizes)), np.log(ys), 1)[0]


def work(kernel: Kernel, sizes: Iterable[int]) -> np.ndarray:
    """Seconds of the primal and of the gradient at each size, less those of a call: what they take
    at the smaller size of the kernel's tests."""
    calls = [on_jax_arrays(kernel, n)[:2] for n in (min(kernel.tests), *sizes)]
    taken, start = [], time.perf_counter()
    # All sizes in each round: the machine may be shared.
    while len(taken) < ROUNDS and (len(taken) < 2 or time.perf_counter() - start < PATIENCE):
        taken.append([[fastest(f, TURNS) for f in fs] for fs in calls])
    call, *times = np.min(taken, axis=0)
    return np.maximum(times - call, 1e-9)


# ----- Sizes


class Range(NamedTuple):
    """Four sizes, seconds of the primal at the largest, and exponents of the primal with by how
    much those of the gradient exceed them: of time, of bytes touched and of numbers computed."""

    sizes: list[int]
    seconds: float
    exponents: list[tuple[float, float]]

    @property
    def valid(self) -> bool:
        """Does the primal grow as its numbers do?"""
        (of_time, _), _, (of_numbers, _) = self.exponents
        return of_time > of_numbers - SHORTFALL

    @property
    def more(self) -> float:
        """By how much the exponent of the gradient's time exceeds that of the primal's."""
        return self.exponents[0][1]


def ranges(kernel: Kernel) -> Iterator[Range]:
    """Those that count, up to the first within the limit."""
    n = kernel.times
    while fastest(on_jax_arrays(kernel, sizes_around(n)[0])[0], TURNS) < LEAST_SECONDS:
        n = larger(n)
    while True:
        found = measured(kernel, sizes_around(n))
        if found.valid:
            yield found
        if (found.valid and found.more <= LIMIT) or is_last(kernel, found):
            return
        n = larger(n)


def larger(n: int) -> int:
    return 2 * n if is_power_of_two(n) else round(1.5 * n)


def measured(kernel: Kernel, sizes: list[int]) -> Range:
    taken = work(kernel, sizes)
    pair = excess(taken, sizes)
    of_counts = counted_excess(kernel, countable_sizes(kernel, sizes))
    return Range(sizes, taken[-1][0], [pair, *of_counts])


def is_last(kernel: Kernel, found: Range) -> bool:
    """Would the next take too long or too much memory?"""
    largest = found.sizes[-1]
    growth = (larger(largest) / largest) ** found.exponents[0][0]
    too_long = found.seconds * growth > MOST_SECONDS
    return too_long or footprint(kernel, larger(largest)) > MOST_BYTES


def footprint(kernel: Kernel, n: int) -> int:
    """Bytes of all arrays of the gradient."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    memory = compiled(kernel, args)[1].lower(weights, *args).compile().memory_analysis()
    arrays = memory.argument_size_in_bytes + memory.output_size_in_bytes
    return arrays + memory.temp_size_in_bytes


def runs_trips_again(kernel: Kernel, n: int) -> bool:
    """Does the gradient, to record less where tapes would be large?"""
    args, weights = kernel.arguments(n), kernel.weights(n)
    return any(plan.strategy == "trail" for plan in compiled(kernel, args)[1].plan(weights, *args))


def sizes_around(n: int) -> list[int]:
    if is_power_of_two(n):
        return [n // 2, n, 2 * n, 4 * n]
    return [round(n * share) for share in SHARES]


def is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def counted_excess(kernel: Kernel, sizes: Iterable[int]) -> list[tuple[float, float]]:
    """As `excess`, of bytes touched and of numbers computed."""
    found = np.array([[(c.touched, c.computed) for c in counted(kernel, n)] for n in sizes])
    return [excess(found[:, :, i], sizes) for i in range(2)]


def countable_sizes(kernel: Kernel, sizes: list[int]) -> list[int]:
    """These, or smaller ones where it takes long to count."""
    start = time.perf_counter()
    counted(kernel, kernel.times)
    seconds = time.perf_counter() - start
    return sizes if seconds < QUICK_SECONDS else sizes_around(kernel.times)


def counted(kernel: Kernel, n: int) -> list[Counts]:
    """Of the compiled primal and the gradient."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    found = []
    for function in compiled(kernel, args):
        program = parse(function.ir(weights, *args)["finish"])
        # Which ints became arguments is seen by how many there are.
        every = [*weights, *args]
        traced = [x for x in every if not isinstance(x, int)]
        whole = len(every) == len(program.region.args)
        found.append(counts(program, every if whole else traced))
    return found


def keep_pages() -> None:
    """Tell the C library (glibc) to give no memory back."""
    trim_threshold, most_mappings = -1, -4
    library = ctypes.CDLL(None)
    assert library.mallopt(most_mappings, 0) and library.mallopt(trim_threshold, -1)


def in_fresh_pages(kernel: Kernel) -> bool:
    """Is it within the limit there? Its rows are printed."""
    command = [sys.executable, "-m", "benchmarks.exponents", "--fresh", "--only", kernel.name]
    return subprocess.run(command).returncode == 0


def is_within(kernel: Kernel, fresh: bool) -> bool:
    """Is the gradient's exponent, over some range? Those tried are printed."""
    found = None
    for found in ranges(kernel):
        if not fresh and runs_trips_again(kernel, found.sizes[-1]):
            return in_fresh_pages(kernel)
        cells = "".join(f"{primal:>10.2f}{more:>+10.2f}" for primal, more in found.exponents)
        print(f"{kernel.name:<24}{cells}  {found.sizes[0]} to {found.sizes[-1]}", flush=True)
    return found is not None and found.more <= LIMIT


def run(kernels: Iterable[Kernel], fresh: bool) -> bool:
    """Are all within the limit?"""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    # Or another thread would be waited for at each call.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    if not fresh:
        keep_pages()
        columns = ("time", "gradient", "bytes", "gradient", "numbers", "gradient")
        print(f"{'exponents of':<24}" + "".join(f"{name:>10}" for name in columns), flush=True)
    beyond = [kernel.name for kernel in kernels if not is_within(kernel, fresh)]
    if not fresh:
        print(f"beyond {LIMIT:+} in time: {', '.join(beyond) or 'none'}", flush=True)
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
