"""Does a gradient's time grow with the size as the primal's does?

    python -m benchmarks.exponents [--only NAME ...] [--fresh]

Exponents of four sizes, of the primal, and by how much those of the gradient exceed them. Target:
at most 0.15. Beside the exponents of time stand those of counts (`counts.py`): of bytes touched and
numbers computed.

The sizes are those at which the primal itself grows as the numbers that it computes do: at smaller
ones what a call takes shows, and a trip of its loops. A gradient has a small constant times as many
arrays as its primal. At sizes where these leave the caches before those of the primal do, its time
has a step which an exponent of four sizes shows as growth. So all four are on one side of that
step: the arrays of the gradient fit the caches, or those of the primal do not. Its loops record the
same at all four. One core runs all: XLA gives arrays beyond some size to several threads.

The C library gives arrays of 32 MB and more, temporary ones of XLA too, fresh pages at each call,
which take as long as the work on them does. Where the gradient's exceed that size and the primal's
do not, this shows as an exponent; so it is told to keep its pages. But gradients that run trips
again, which is what fresh pages cost, are timed with these, as all are with `--fresh`.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import jax
import numpy as np

from benchmarks.counts import Counts, counts
from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernels import compiled, fastest, on_jax_arrays
from myia.ir.parser import parse

LIMIT = 0.15
SHARES = (0.7, 1.0, 1.4, 2.0)
NEXT = 1.5
ROUNDS, TURNS = 7, 2
# Seconds of the primal, and of the gradient: five times what a call takes, which is taken off.
LEAST_SECONDS, MOST_SECONDS = 5e-5, 0.03
PATIENCE = 8  # seconds for one row, but for two rounds
# How much less than of its numbers an exponent of the primal's time may be.
SHORTFALL = 0.25
# Bytes of all arrays: a sixth of the caches of a small machine, and twice those.
CACHED, STREAMED = 6e6, 64e6
MOST_BYTES = 4e9
QUICK_SECONDS = 0.1

Functions = Callable[[Kernel, int], tuple[Callable, ...]]


def excess(kernel: Kernel, sizes: Iterable[int]) -> tuple[float, float]:
    """The exponent of the primal's time, and by how much the gradient's exceeds it."""
    primal, gradient = exponents(work(kernel, sizes, on_jax_arrays), sizes)
    return primal, gradient - primal


def exponents(ys: np.ndarray, sizes: Iterable[int]) -> np.ndarray:
    return np.polyfit(np.log(list(sizes)), np.log(ys), 1)[0]


def work(kernel: Kernel, sizes: Iterable[int], functions: Functions, rounds=ROUNDS) -> np.ndarray:
    """Seconds of the functions at each size, less those of a call, which are what they take at the
    smaller size of the kernel's tests."""
    calls = [functions(kernel, n) for n in (min(kernel.tests), *sizes)]
    taken, start = [], time.perf_counter()
    # All sizes in each round: the machine may be shared.
    while len(taken) < rounds and (len(taken) < 2 or time.perf_counter() - start < PATIENCE):
        taken.append([[fastest(f, TURNS) for f in fs] for fs in calls])
    call, *times = np.min(taken, axis=0)
    return np.maximum(times - call, 1e-9)


def primal(kernel: Kernel, n: int) -> tuple[Callable]:
    return on_jax_arrays(kernel, n)[:1]


# ----- Sizes


def timed_sizes(kernel: Kernel) -> list[int]:
    """The first at which the primal grows as its numbers do and the gradient records the same."""
    found = None
    for found in possible_sizes(kernel):
        (exponent,) = exponents(work(kernel, found, primal, rounds=3), found)
        _, (of_numbers, _) = counted_excess(kernel, countable_sizes(kernel, found))
        steady = storage(kernel, found[0]) == storage(kernel, found[-1])
        if steady and exponent > of_numbers - SHORTFALL:
            break
    return found


def storage(kernel: Kernel, n: int) -> list[tuple[str, int]]:
    """What the loops of the gradient record: where tapes would be large, less, which takes longer
    by a factor."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    plans = compiled(kernel, args)[1].plan(weights, *args)
    return [(plan.strategy, len(plan.records)) for plan in plans]


def possible_sizes(kernel: Kernel) -> Iterator[list[int]]:
    """Where the caches hold the arrays of the gradient, and then where they hold not even those of
    the primal, if that takes neither too long nor too much memory."""
    n = first = first_size(kernel)
    held, more = footprint(kernel, n), footprint(kernel, 2 * n)
    largest = size_of(held[1], more[1], CACHED, n)
    while n == first or sizes_around(n)[-1] <= largest:
        yield sizes_around(n)
        n = 2 * n if is_power_of_two(n) else round(NEXT * n)
    least = size_of(held[0], more[0], STREAMED, first)
    slow = size_of(seconds(kernel, first), seconds(kernel, 2 * first), MOST_SECONDS, first)
    large = size_of(held[1], more[1], MOST_BYTES, first) * SHARES[0] / SHARES[-1]
    if least < min(slow, large):
        yield sizes_around(rounded(first, least / SHARES[0]))


def first_size(kernel: Kernel) -> int:
    n = kernel.times
    while min(fastest(f, TURNS) for f in on_jax_arrays(kernel, sizes_around(n)[0])) < LEAST_SECONDS:
        n = 2 * n if is_power_of_two(n) else round(NEXT * n)
    return n


def size_of(x: float, twice: float, wanted: float, n: int) -> float:
    """The size at which there are so many of what is `x` at `n`, and `twice` at twice the size."""
    exponent = math.log2(twice / x)
    return n * (wanted / x) ** (1 / exponent) if exponent > 0 else math.inf


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
    found = np.array([[(c.touched, c.computed) for c in counted(kernel, n)] for n in sizes])
    slopes = exponents(found.reshape(len(found), 4), sizes).reshape(2, 2)
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


def keep_pages() -> None:
    """Tell the C library (glibc) to give no memory back."""
    trim_threshold, most_mappings = -1, -4
    library = ctypes.CDLL(None)
    assert library.mallopt(most_mappings, 0) and library.mallopt(trim_threshold, -1)


def in_fresh_pages(kernel: Kernel) -> None:
    command = [sys.executable, "-m", "benchmarks.exponents", "--fresh", "--only", kernel.name]
    subprocess.run(command, check=True)


def run(kernels: Iterable[Kernel], fresh: bool) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    # Or another thread would be waited for at each call.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    if not fresh:
        keep_pages()
    columns = ("time", "gradient", "bytes", "gradient", "numbers", "gradient")
    print(f"{'exponents of':<24}" + "".join(f"{name:>10}" for name in columns), flush=True)
    beyond = []
    for kernel in kernels:
        sizes = timed_sizes(kernel)
        if not fresh and any(strategy == "trail" for strategy, _ in storage(kernel, sizes[-1])):
            in_fresh_pages(kernel)
            continue
        of_counts = counted_excess(kernel, countable_sizes(kernel, sizes))
        pairs = [excess(kernel, sizes), *of_counts]
        cells = "".join(f"{primal:>10.2f}{more:>+10.2f}" for primal, more in pairs)
        print(f"{kernel.name:<24}{cells}  {sizes[0]} to {sizes[-1]}", flush=True)
        if pairs[0][1] > LIMIT:
            beyond.append(f"{kernel.name} {pairs[0][1]:+.2f}")
    print(f"beyond {LIMIT:+} in time: {', '.join(beyond) or 'none'}", flush=True)


def main(names: Iterable[str] = tuple(KERNELS), fresh: bool = False) -> None:
    run([KERNELS[name] for name in names], fresh)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    main(options.only, options.fresh)
