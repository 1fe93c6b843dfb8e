"""Loops that store elements and rarely change the whole array: the cost of other iterations."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.counts import counts
from myia.ir.parser import parse
from tests.zoo.in_place_checks import check_in_place


def halved_now_and_then(x, t, every):
    s, x = 0.1, x.copy()
    for i in range(len(t)):
        if i % every == every - 1:
            x = x * 0.5
        x[i] = np.sin(x[i]) * t[i] + x[i + 1]
        s += x[i] * x[i]
    return s + np.sum(x)


def halved_in_place(x, t, limit):
    s = 0.1
    for i in range(1, len(t)):
        if s > limit:
            x *= 0.5
            s = s * 0.1
        x[i] = np.sin(x[i]) * t[i] + x[i - 1]
        s += x[i] * x[i]
    return s * x[0]


def shifted_after_a_store(x, t, limit):
    s, y = 0.1, x.copy()
    for i in range(len(t)):
        y[i] = np.sin(y[i]) * t[i] + y[i + 1]
        s += y[i] * y[i]
        if s > limit:
            y = y - 0.3 * s
            s = 0.2
    return s + np.sum(y * y) + np.sum(x)


def written_and_reassigned(x, t, every):
    """The caller's array is written until the name has another."""
    s = 0.1
    for i in range(len(t)):
        if i % every == every - 1:
            x = x * 0.5
        x[i] = np.sin(x[i]) * t[i] + x[i + 1]
        s += x[i] * x[i]
    return s + np.sum(x)


def squared(x, t, limit):
    """The adjoint needs the whole array, which is recorded in every iteration."""
    s = 0.1
    for i in range(1, len(t)):
        x[i] = np.sin(x[i]) * t[i] + x[i - 1]
        s += x[i] * x[i]
        if s > limit:
            x = x * x
            s = s * 0.1
    return s + np.sum(x)


RARE = [(halved_now_and_then, 3), (halved_in_place, 1.0), (shifted_after_a_store, 1.0)]
SELDOM = {halved_now_and_then: 50, halved_in_place: 90.0, shifted_after_a_store: 90.0}


def numbers(n, iterations):
    """Of another size the first numbers are the same."""
    x, t = np.random.default_rng(4).uniform(0.0, 1.0, (2, 100))
    return x[:n], t[:iterations]


@pytest.mark.parametrize("f, parameter", [*RARE, (squared, 1.0), (written_and_reassigned, 3)])
def test_values_and_derivatives(f, parameter):
    for last, iterations in ((parameter, 9), (1, 5), (1000, 5), (parameter, 0)):
        check_in_place(f, *numbers(40, iterations), last)


@pytest.mark.parametrize("f", SELDOM, ids=lambda f: f.__name__)
def test_iterations_that_leave_the_array_alone_take_no_time_for_it(f):
    """Bytes touched grow with the sizes, and with the trip counts, but not with their product."""

    def total(x, t, last):
        along, other = myia.grad(f, argnums=(0, 1))(x, t, last)
        return np.sum(along * x) + np.sum(other)

    def touched(derived, n, iterations):
        args = (*numbers(n, iterations), SELDOM[f])
        program = parse(derived.ir(*args)["finish"])
        return counts(program, args[: len(program.region.args)]).touched

    for derived in (myia.jit(f), myia.grad(f, argnums=(0, 1)), myia.grad(total, argnums=(0, 1))):
        (a, b), (c, d) = [
            [touched(derived, n, iterations) for iterations in (5, 6)] for n in (70, 90)
        ]
        assert a - b - c + d == 0
