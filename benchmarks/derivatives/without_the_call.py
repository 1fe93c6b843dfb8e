"""Small derivatives without the call: what the program takes, and what is the call.

    python -m benchmarks without_the_call

GradBench's least squares, small clustering and determinant take microseconds: beside an adjoint by
hand in numba, which has no arrays to convert and no thread to hand work to, a call is most of the
time. So the derivative is taken once, and 21 times one after the other in one program; the
difference, over 20, is what the program takes. Each time the argument depends on the last result.
(What does not depend on it is computed once, as the matrix of `rows`: those figures are too low.)

Measured is processor time in the fastest of many samples, contestants in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import myia
from benchmarks.derivatives.gradbench import (
    _det_by_hand,
    _llsq_by_hand,
    _newton,
    _newton_by_hand,
    det,
    kmeans,
    kmeans_by_product,
    llsq,
    llsq_by_rows,
)
from benchmarks.harness import measure

SAMPLING = {"samples": 31, "sample_seconds": 0.01, "clock": time.process_time, "max_seconds": 5.0}
TIMES = 21
POINTS = np.random.default_rng(0).normal(size=(1000, 8))


class Case(NamedTuple):
    argument: np.ndarray
    forms: dict[str, Callable]  # derivatives, as users write them
    by_hand: Callable


def _sum_of(newton: Callable) -> Callable:
    def derivative(centroids):
        gradient, diagonal = newton(POINTS, centroids)
        return gradient + diagonal

    return derivative


def _cases() -> dict[str, Case]:
    rng = np.random.default_rng(1)
    return {
        "llsq, 1024 points, degree 128": Case(
            rng.normal(size=128),
            {
                "loops": lambda x: myia.grad(llsq)(x, 1024),
                "rows": lambda x: myia.grad(llsq_by_rows)(x, 1024),
            },
            lambda x: _llsq_by_hand(x, 1024),
        ),
        "kmeans, 10 centroids, 1000 points in 8 dimensions": Case(
            rng.normal(size=(10, 8)),
            {
                "product": _sum_of(_newton(kmeans_by_product)),
                "differences": _sum_of(_newton(kmeans)),
            },
            lambda centroids: _newton_by_hand(POINTS, centroids),
        ),
        "det, 5": Case(
            rng.normal(size=(5, 5)), {"minors": lambda a: myia.grad(det)(a)}, _det_by_hand
        ),
    }


def _repeated(derivative: Callable, x: np.ndarray, times: int) -> Callable[[], object]:
    def many(x, times):
        found = np.zeros_like(x)
        for _ in range(times):
            found = derivative(x + 1e-300 * found)
        return found

    compiled = myia.jit(many).lower(x, times).compile()
    return lambda: compiled(x, times)


def main() -> None:
    for title, case in _cases().items():
        contestants = {"by hand": lambda case=case: case.by_hand(case.argument)}
        for name, derivative in case.forms.items():
            for times in (1, TIMES):
                contestants[f"{name} {times}"] = _repeated(derivative, case.argument, times)
        found = {name: 1e6 * t.fastest for name, t in measure(contestants, **SAMPLING).items()}
        print(f"\n{title}: by hand {found['by hand']:.1f} µs")
        for name in case.forms:
            once = found[f"{name} 1"]
            inside = (found[f"{name} {TIMES}"] - once) / (TIMES - 1)
            over = inside / found["by hand"]
            print(f"  {name:<12}a call {once:7.1f} µs", end=", ")
            print(f"the program {inside:7.1f} µs: {over:.2f} x by hand")


if __name__ == "__main__":
    main()
