"""Recursions on run-time values, against plain Python and numba.

They are state machines with a stack of frames, differentiated like any loop: the gradient of an
adaptive quadrature takes a small constant times its value, whatever the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row

N = np.int64


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(n, start, goal, other):
    if n == 0:
        return 0
    moved = hanoi(n - 1, start, other, goal) + start * goal
    return moved + hanoi(n - 1, other, goal, start)


def integrand(x):
    return math.exp(-x * x) * math.sin(10.0 * x)


def quadrature(a, b, fa, fm, fb, eps):
    """Simpson's rule on halves, until they agree with the whole."""
    m = 0.5 * (a + b)
    h = (b - a) / 6.0
    whole = h * (fa + 4.0 * fm + fb)
    fl, fr = integrand(0.5 * (a + m)), integrand(0.5 * (m + b))
    halves = 0.5 * h * (fa + 4.0 * fl + 2.0 * fm + 4.0 * fr + fb)
    if abs(halves - whole) < 15.0 * eps:
        return halves + (halves - whole) / 15.0
    left = quadrature(a, m, fa, fl, fm, 0.5 * eps)
    return left + quadrature(m, b, fm, fr, fb, 0.5 * eps)


def integral(a, b, eps):
    return quadrature(a, b, integrand(a), integrand(0.5 * (a + b)), integrand(b), eps)


def tree_sum(values, left, right, i):
    if i < 0:
        return 0.0
    below = tree_sum(values, left, right, left[i]) + tree_sum(values, left, right, right[i])
    return math.tanh(values[i] + 0.5 * below)


def flood(grid, i, j):
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 0:
        return 0
    grid[i, j] = 2
    count = 1 + flood(grid, i + 1, j) + flood(grid, i - 1, j)
    return count + flood(grid, i, j + 1) + flood(grid, i, j - 1)


def filled(grid):
    return flood(grid.copy(), 1, 1)


def queens(board, row):
    if row == len(board):
        return 1
    count = 0
    for column in range(len(board)):
        free = True
        for r in range(row):
            if board[r] == column or abs(board[r] - column) == row - r:
                free = False
                break
        if free:
            board[row] = column
            count += queens(board, row + 1)
    return count


def placements(n, board):
    return queens(board.copy(), n)


def tree(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, left and right children of a complete tree."""
    i = np.arange(n)
    left, right = 2 * i + 1, 2 * i + 2
    values = np.sin(1.0 * i)
    return values, np.where(left < n, left, -1), np.where(right < n, right, -1)


def maze(n: int) -> np.ndarray:
    return (np.random.default_rng(0).random((n, n)) < 0.3).astype(np.int64)


def cases(quick: bool = False) -> Iterator[tuple[str, Callable, tuple]]:
    """Name, function, arguments."""
    yield "fib", fib, (N(5 if quick else 20),)
    if quick:
        return
    yield "fib", fib, (N(25),)
    yield "Ackermann", ackermann, (N(2), N(50))
    yield "towers of Hanoi", hanoi, (N(14), N(1), N(2), N(3))
    yield "adaptive quadrature", integral, (0.0, 3.0, 1e-10)
    yield "a tree over arrays", tree_sum, (*tree(4095), N(0))
    yield "flood fill", filled, (maze(24),)
    yield "queens", placements, (N(0), np.zeros(6, np.int64))


HELPERS = (fib, ackermann, hanoi, integrand, quadrature, tree_sum, flood, queens)


def by_numba(f: Callable) -> Callable:
    """`f`, and what it calls, compiled by numba."""
    names: dict[str, Any] = {"math": math, "np": np}
    for helper in (*HELPERS, f):
        source = type(helper)(helper.__code__, names, helper.__name__)
        names[helper.__name__] = numba.njit(source)
    return names[f.__name__]


def contestants(f: Callable, args: tuple) -> dict[str, Callable]:
    ours, theirs = myia.jit(f), by_numba(f)
    return {
        "myia": lambda: ours(*args),
        "Python": lambda: f(*args),
        "numba": lambda: theirs(*args),
    }


def rows(quick: bool = False) -> Iterator[Row]:
    for name, f, args in cases(quick):
        numbers = ", ".join(str(x) for x in args if np.ndim(x) == 0)
        found = contestants(f, args)
        del found["Python"]
        yield row("Recursions", f"{name} ({numbers})", found, quick=quick)


def gradients() -> None:
    """What a gradient costs, in calls of the function."""
    value, slope = myia.jit(integral), myia.grad(integral, argnums=(0, 1))
    for eps in (1e-6, 1e-9, 1e-12):
        args = (0.0, 3.0, eps)
        np.testing.assert_allclose(slope(*args), (-integrand(0.0), integrand(3.0)), atol=1e-4)
        both = {"value": lambda a=args: value(*a), "gradient": lambda a=args: slope(*a)}
        compare(f"adaptive quadrature, tolerance {eps}", both)
    values, left, right = tree(4095)
    value, slope = myia.jit(tree_sum), myia.grad(tree_sum)
    args = values, left, right, N(0)
    both = {"value": lambda: value(*args), "gradient": lambda: slope(*args)}
    compare("a tree of 4,095 nodes", both)


def main() -> None:
    for name, f, args in cases():
        compare(name, contestants(f, args))
    gradients()


if __name__ == "__main__":
    main()
