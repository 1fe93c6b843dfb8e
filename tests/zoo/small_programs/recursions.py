"""Recursions that numbers known at run time end."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
LEFT = A([1, 3, 5, -1, -1, -1, -1])
RIGHT = A([2, 4, 6, -1, -1, -1, -1])
VALUES = A([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1])


def simpson(f, a, b):
    return (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b))


def quad(f, a, b, eps):
    m = 0.5 * (a + b)
    whole, halves = simpson(f, a, b), simpson(f, a, m) + simpson(f, m, b)
    if abs(halves - whole) <= 15 * eps:
        return halves + (halves - whole) / 15
    return quad(f, a, m, eps / 2) + quad(f, m, b, eps / 2)


@program((0.25, 1.5, 0.7), (1.0, 1.25, -0.5))
def adaptive_quadrature(a, b, k):
    return quad(lambda x: x * x * np.sin(k * x), a, b, 1e-5)


@program((VALUES, 0.5), (VALUES[::-1] * 0.5, 0.25))
def tree_over_arrays(values, w):
    def visit(i):
        if i < 0:
            return 0.0, 1.0
        total, product = visit(LEFT[i])
        more, other = visit(RIGHT[i])
        return total + w * more + values[i], product * other * np.cos(values[i])

    total, product = visit(int(w))
    return total * product


@program(
    (A([[0.5, 0.2, -1.0], [0.1, 0.9, 0.4], [-1.0, 0.3, 0.6]]), 2.0),
    (A([[0.5, -0.2], [0.1, 0.9]]), 3.0),
)
def flood_fill(grid, factor):
    rows, columns = grid.shape

    def fill(i, j):
        if not (0 <= i < rows and 0 <= j < columns) or grid[i, j] < 0 or seen[i, j]:
            return 0.0
        seen[i, j] = True
        grid[i, j] *= factor
        mine = grid[i, j] ** 2
        return mine + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)

    seen = np.zeros((rows, columns), bool)
    start = int(factor + 0.5) - 2
    return fill(start, start)


class TooDeep(Exception):
    pass


def halved(x, depth):
    if depth > 4:
        raise TooDeep
    return x if x < 0.1 else halved(0.5 * x, depth + 1) * (1.0 + x)


@program((0.7, 0.5), (30.0, 0.5))
def an_exception_out_of_a_recursion(x, y):
    try:
        return halved(x, int(y)) * y
    except TooDeep:
        return halved(0.01 * x, int(y)) * x
