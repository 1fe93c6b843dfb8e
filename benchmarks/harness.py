"""Timing: interleaved medians, printed as ratios to the first contestant.

    compare("1,000 iterations", {"jax": lambda: g(x), "myia": lambda: h(x)})

The samples of the contestants are interleaved, so that noise of the machine affects all of them
alike. Reported are the median of the samples and the spread between the quartiles. Every contestant
blocks until its result is ready (`block_until_ready`, or plain NumPy).
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

MIN_SAMPLES = 3


@dataclass(frozen=True)
class Timing:
    """Seconds per call: median, interquartile spread and minimum of several samples.

    On a shared machine the minimum is the best estimate.
    """

    median: float
    spread: float
    fastest: float

    def __str__(self) -> str:
        return f"{_seconds(self.median)} ± {_seconds(self.spread)}"


def measure(
    contestants: dict[str, Callable[[], object]],
    *,
    samples: int = 9,
    sample_seconds: float = 0.05,
    max_seconds: float = float("inf"),
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Take `samples` samples of each contestant, interleaved, each of about `sample_seconds`.

    There are fewer, but at least `MIN_SAMPLES`, if all would take longer than `max_seconds`.
    `clock=time.process_time` measures processor time, which other processes do not affect.
    """
    calibrated = {name: _calibrate(f, sample_seconds) for name, f in contestants.items()}
    calls = {name: count for name, (count, _) in calibrated.items()}
    seconds = sum(count * once for count, once in calibrated.values())
    samples = int(min(samples, max(MIN_SAMPLES, max_seconds / seconds)))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    order = list(contestants)
    for _ in range(samples):
        for name in order:
            times[name].append(_sample(contestants[name], calls[name], clock))
        # Threads of a library may spin for a while: nobody always comes after the same one.
        random.shuffle(order)
    return {name: _summary(ts) for name, ts in times.items()}


def compare(
    title: str, contestants: dict[str, Callable[[], object]], **options
) -> dict[str, Timing]:
    """Measure, print a table and return the timings; ratios are to the first contestant."""
    timings = measure(contestants, **options)
    base = next(iter(timings.values())).median
    print(f"\n{title}")
    for name, timing in timings.items():
        print(f"  {name:<40} {timing!s:>24} {timing.median / base:8.2f} x")
    return timings


def _calibrate(f: Callable[[], object], sample_seconds: float) -> tuple[int, float]:
    """The number of calls in a sample, and the seconds of a call; the first call compiles."""
    f()
    once = max(_sample(f, 1), 1e-7)
    return max(1, round(sample_seconds / once)), once


def _sample(
    f: Callable[[], object], calls: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    start = clock()
    for _ in range(calls):
        f()
    return (clock() - start) / calls


def _summary(times: list[float]) -> Timing:
    if len(times) < 2:
        return Timing(times[0], 0.0, times[0])
    q1, median, q3 = statistics.quantiles(times, n=4, method="inclusive")
    return Timing(median, q3 - q1, min(times))


def _seconds(t: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if t >= size:
            return f"{t / size:.3g} {unit}"
    return f"{t / 1e-9:.3g} ns"
