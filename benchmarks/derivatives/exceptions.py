"""What a `try` costs whose body may raise what is caught, but does not.

    python -m benchmarks exceptions

Three programs with and without their handlers: Newton's method on floats, which may divide by zero;
values of a table at positions that may lie outside; a least-squares fit by damped steps, whose
matrix may be singular. Target: 1.3 times the program without `try`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import myia
from benchmarks.harness import measure

TARGET = 1.3
RNG = np.random.default_rng(0)
POINTS = 2.0 + RNG.random(20_000)
TABLE = RNG.random(1_000)
POSITIONS = 990.0 * RNG.random(20_000)
MATRIX, DATA = RNG.random((200, 60)), RNG.random(200)


def newton(xs):
    total = 0.0
    for x in xs:
        y = float(x)
        for _ in range(5):
            y = y - (y * y * y - 2.0) / (3.0 * y * y)
        total += y
    return total


def newton_caught(xs):
    total = 0.0
    for x in xs:
        y = float(x)
        try:
            for _ in range(5):
                y = y - (y * y * y - 2.0) / (3.0 * y * y)
        except ZeroDivisionError:
            y = 1.0
        total += y
    return total


def table(positions, values):
    total = 0.0
    for p in positions:
        k = int(p)
        w = p - k
        total += (1.0 - w) * values[k] + w * values[k + 1]
    return total


def table_caught(positions, values):
    total = 0.0
    for p in positions:
        k = int(p)
        w = p - k
        try:
            total += (1.0 - w) * values[k] + w * values[k + 1]
        except IndexError:
            total += values[-1]
    return total


def fit(a, b):
    x = np.zeros(a.shape[1])
    for _ in range(10):
        r = np.tanh(a @ x) - b
        x = x - np.linalg.solve(a.T @ a, a.T @ r)
    return np.sum(x * x)


def fit_caught(a, b):
    x = np.zeros(a.shape[1])
    for _ in range(10):
        r = np.tanh(a @ x) - b
        try:
            x = x - np.linalg.solve(a.T @ a, a.T @ r)
        except np.linalg.LinAlgError:
            x = x - 1e-3 * (a.T @ r)
    return np.sum(x * x)


PROGRAMS: dict[str, tuple[Callable, Callable, tuple]] = {
    "Newton": (newton, newton_caught, (POINTS,)),
    "table": (table, table_caught, (POSITIONS, TABLE)),
    "fit": (fit, fit_caught, (MATRIX, DATA)),
}


def main() -> None:
    print(f"{'program':10} {'value':>8} {'gradient':>8}   target {TARGET}")
    for name, (plain, caught, args) in PROGRAMS.items():
        found = [_ratio(transform, plain, caught, args) for transform in (myia.jit, myia.grad)]
        print(f"{name:10} {found[0]:8.2f} {found[1]:8.2f}")


def _ratio(transform: Callable, plain: Callable, caught: Callable, args: tuple) -> float:
    one, other = transform(plain), transform(caught)
    np.testing.assert_allclose(one(*args), other(*args), rtol=1e-10)
    calls = {"plain": lambda: one(*args), "caught": lambda: other(*args)}
    timings = measure(calls, samples=15)
    return timings["caught"].fastest / timings["plain"].fastest


if __name__ == "__main__":
    main()
