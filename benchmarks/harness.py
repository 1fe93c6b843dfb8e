"""Timing: interleaved medians, printed as ratios to the first contestant.

    compare("1,000 trips", {"jax": lambda: g(x), "myia": lambda: h(x)})

Contestants take turns, so that a noisy minute of the machine falls on all of them alike; the
median of the turns is reported with the spread between the quartiles. Every contestant waits for
its own result (`block_until_ready`, or plain NumPy).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

FEWEST_TURNS = 3


@dataclass(frozen=True)
class Timing:
    """Seconds per call: the median of several turns, the spread (q3 - q1) of the middle half, and
    the fastest turn, which is the least that a shared machine took."""

    median: float
    spread: float
    fastest: float

    def __str__(self) -> str:
        return f"{_seconds(self.median)} ± {_seconds(self.spread)}"


def measure(
    contestants: dict[str, Callable[[], object]],
    *,
    turns: int = 9,
    turn_seconds: float = 0.05,
    most_seconds: float = float("inf"),
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time each contestant `turns` times, about `turn_seconds` at a time, taking turns.

    There are fewer turns, but three, where all would take longer than `most_seconds`.
    `clock=time.process_time` counts what the processor did for us, whoever else it worked for.
    """
    calibrated = {name: _calibrate(f, turn_seconds) for name, f in contestants.items()}
    calls = {name: count for name, (count, _) in calibrated.items()}
    seconds = sum(count * once for count, once in calibrated.values())
    turns = int(min(turns, max(FEWEST_TURNS, most_seconds / seconds)))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(turns):
        for name, f in contestants.items():
            times[name].append(_turn(f, calls[name], clock))
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


def _calibrate(f: Callable[[], object], turn_seconds: float) -> tuple[int, float]:
    """How many calls fit into a turn, and the seconds of one; the first call compiles."""
    f()
    once = max(_turn(f, 1), 1e-7)
    return max(1, round(turn_seconds / once)), once


def _turn(
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
