"""Does a gradient's time grow with the size as the primal's does?

    python -m benchmarks.exponents [--only NAME ...] [--fresh]

Exponents of four sizes, of the primal, and by how much those of the gradient exceed them. Target:
at most 0.15. Beside the exponents of time stand those of counts (`counts.py`): of bytes touched and
numbers computed.

A gradient has a small constant times as many arrays as its primal. At sizes where these leave the
caches before those of the primal do, its time has a step which an exponent of four sizes shows as
growth. So the sizes are on one side of that step: at all four the arrays of the gradient fit the
caches, or at none those of the primal, and its loops record the same (`timed_sizes`).

The C library gives arrays of 32 MB and more, temporary ones of XLA too, fresh pages at each call,
which take as long as the work on them does. Where the gradient's exceed that size and the primal's
do not, this shows as an exponent; so it is told to keep its pages, by the environment variables
that `KEPT_PAGES` names. `--fresh` leaves it as it is.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable

import jax
import numpy as np

from benchmarks.counts import Counts, counts
from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernels import compiled, fastest, on_jax_arrays
from myia.ir.parser import parse

LIMIT = 0.15
SHARES = (0.7, 1.0, 1.4, 2.0)
ROUNDS, TURNS = 5, 3
# Seconds of the primal: what a call takes, though taken off (`work`), and the hand-over to a thread
# should not show. What the caches do not hold for so long is timed at the largest sizes that they
# hold, if a fifth of it is still the call.
LEAST_SECONDS, FEWEST_SECONDS, MOST_SECONDS = 5e-4, 5e-5, 0.1
# Bytes of all arrays: a third of the caches of a small machine, and twice those.
CACHED, STREAMED = 12e6, 64e6
MOST_BYTES = 4e9
QUICK_SECONDS = 0.1

KEPT_PAGES = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


def excess(kernel: Kernel, sizes: Iterable[int]) -> tuple[float, float]:
    """The exponent of the primal's time, and by how much the gradient's exceeds it."""
    logs = np.log(work(kernel, sizes))
    slopes = np.polyfit(np.log(list(sizes)), logs, 1)[0]
    return slopes[0], slopes[1] - slopes[0]


def work(kernel: Kernel, sizes: Iterable[int]) -> np.ndarray:
    """Seconds of the primal and of the gradient at each size, less those of a call, which are what
    they take at the smaller size of the kernel's tests."""
    calls = [on_jax_arrays(kernel, n) for n in (min(kernel.tests), *sizes)]
    # All sizes in each round: the machine may be shared.
    rounds = [[[fastest(f, TURNS) for f in pair] for pair in calls] for _ in range(ROUNDS)]
    call, *times = np.min(rounds, axis=0)
    return times - call


def timed_sizes(kernel: Kernel) -> list[int]:
    """Sizes at which the primal takes longer than a call, on one side of the caches' end and
    with one way of storing what the gradient needs."""
    sizes = sizes_beside_caches(kernel)
    twice = [2 * n for n in sizes]
    first, last, beyond = (storage(kernel, n) for n in (sizes[0], sizes[-1], twice[-1]))
    return twice if first != last and storage(kernel, twice[0]) == beyond else sizes


def storage(kernel: Kernel, n: int) -> list[tuple[str, int]]:
    """What the loops of the gradient record: where tapes would be large, less, which takes longer
    by a factor."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    plans = compiled(kernel, args)[1].plan(weights, *args)
    return [(plan.strategy, len(plan.records)) for plan in plans]


def sizes_beside_caches(kernel: Kernel) -> list[int]:
    """Where the caches hold the arrays of the gradient, or hold not even those of the primal, if
    that takes neither too long nor too much memory."""
    n = kernel.times
    while seconds(kernel, sizes_around(n)[0]) < LEAST_SECONDS:
        n *= 2
    sizes = sizes_around(n)

    def size_of(x: float, twice: float, wanted: float) -> float:
        """The size at which there are so many of what is `x` at `n`."""
        exponent = math.log2(twice / x)
        return n * (wanted / x) ** (1 / exponent) if exponent > 0 else math.inf

    held, more = footprint(kernel, n), footprint(kernel, 2 * n)
    largest = size_of(held[1], more[1], CACHED)
    if sizes[-1] <= largest:
        return sizes
    smaller = sizes_around(rounded(n, largest * n / sizes[-1]))
    if seconds(kernel, smaller[0]) >= FEWEST_SECONDS:
        return smaller
    least = size_of(held[0], more[0], STREAMED)
    slow = size_of(seconds(kernel, n), seconds(kernel, 2 * n), MOST_SECONDS)
    large = size_of(held[1], more[1], MOST_BYTES) * sizes[0] / sizes[-1]
    return sizes_around(rounded(n, least * n / sizes[0])) if n < least < min(slow, large) else sizes


def seconds(kernel: Kernel, n: int) -> float:
    """Of the primal."""
    return fastest(on_jax_arrays(kernel, n)[0], turns=3)


def footprint(kernel: Kernel, n: int) -> list[int]:
    """Bytes of all arrays of the primal and of the gradient."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    found = []
    for function in compiled(kernel, args):
        memory = function.lower(weights, *args).compile().memory_analysis()
        arrays = memory.argument_size_in_bytes + memory.output_size_in_bytes
        found.append(arrays + memory.temp_size_in_bytes)
    return found


def rounded(n: int, other: float) -> int:
    """Another size; a power of two if `n` is."""
    return 2 ** round(math.log2(other)) if is_power_of_two(n) else round(other)


def sizes_around(n: int) -> list[int]:
    if is_power_of_two(n):
        return [n // 2, n, 2 * n, 4 * n]
    return [round(n * share) for share in SHARES]


def is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def counted_excess(kernel: Kernel, sizes: Iterable[int]) -> list[tuple[float, float]]:
    """As `excess`, of bytes touched and of numbers computed."""
    logs = np.log([[(c.touched, c.computed) for c in counted(kernel, n)] for n in sizes])
    slopes = np.polyfit(np.log(list(sizes)), logs.reshape(len(logs), 4), 1)[0].reshape(2, 2)
    return list(zip(slopes[0], slopes[1] - slopes[0]))


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


def run(kernels: Iterable[Kernel]) -> None:
    # Or another thread would be waited for at each call.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    columns = ("time", "gradient", "bytes", "gradient", "numbers", "gradient")
    print(f"{'exponents of':<24}" + "".join(f"{name:>10}" for name in columns))
    beyond = []
    for kernel in kernels:
        sizes = timed_sizes(kernel)
        of_counts = counted_excess(kernel, countable_sizes(kernel, sizes))
        pairs = [excess(kernel, sizes), *of_counts]
        cells = "".join(f"{primal:>10.2f}{more:>+10.2f}" for primal, more in pairs)
        print(f"{kernel.name:<24}{cells}  {sizes[0]} to {sizes[-1]}", flush=True)
        if pairs[0][1] > LIMIT:
            beyond.append(f"{kernel.name} {pairs[0][1]:+.2f}")
    print(f"beyond {LIMIT:+} in time: {', '.join(beyond) or 'none'}")


def main(names: Iterable[str] = tuple(KERNELS), fresh: bool = False) -> None:
    missing = not fresh and any(name not in os.environ for name in KEPT_PAGES)
    if missing:  # the C library reads them when a program starts
        command = [sys.executable, "-m", "benchmarks.exponents", "--only", *names]
        subprocess.run(command, env={**os.environ, **KEPT_PAGES}, check=True)
    else:
        run([KERNELS[name] for name in names])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    main(options.only, options.fresh)
