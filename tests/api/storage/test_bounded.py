"""`myia.bounded`: a bound that a loop is given, in plain Python and compiled."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import myia


def counted(x, n):
    for i in myia.bounded(range(n), 50):
        x = np.sin(x) + 0.1 * i
    return x


def unbounded(x, n):
    for i in range(n):
        x = np.sin(x) + 0.1 * i
    return x


def until(x, limit):
    """A `while` with a bound."""
    for _ in myia.bounded(range(sys.maxsize), 50):
        if x < limit:
            break
        x = 0.9 * x * np.cos(0.1 * x)
    return x


def test_plain_python():
    assert list(myia.bounded(range(3), 3)) == [0, 1, 2]
    with pytest.raises(ValueError, match="more than 2 iterations"):
        list(myia.bounded(range(3), 2))


@pytest.mark.parametrize("n", [0, 1, 49, 50])
def test_values_and_gradients(n):
    np.testing.assert_allclose(myia.jit(counted)(0.4, np.int64(n)), counted(0.4, n), rtol=1e-14)
    got, want = (myia.grad(f)(0.4, np.int64(n)) for f in (counted, unbounded))
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_a_bound_makes_a_tape():
    def strategies(f, *args):
        return [(p.strategy, p.capacity) for p in myia.grad(f).plan(*args)]

    assert strategies(counted, 0.4, np.int64(7)) == [("tape", 51)]
    assert strategies(unbounded, 0.4, np.int64(7)) == [("trail", None)]
    assert strategies(until, 4.0, 0.5) == [("tape", 51)]


def test_loops_that_end_by_themselves():
    np.testing.assert_allclose(myia.jit(until)(4.0, 0.5), until(4.0, 0.5), rtol=1e-14)
    step = 1e-6
    slope = (until(4.0 + step, 0.5) - until(4.0 - step, 0.5)) / (2 * step)
    np.testing.assert_allclose(myia.grad(until)(4.0, 0.5), slope, rtol=1e-6)


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_more_iterations_are_an_error(transform):
    with pytest.raises(ValueError, match="more than 50 iterations"):
        transform(counted)(0.4, np.int64(51))
    with pytest.raises(ValueError, match="more than 50 iterations"):
        transform(until)(4.0, 0.0)
    with pytest.raises(ValueError, match="more than 50 iterations"):
        transform(lambda x: counted(x, 51))(0.4)
