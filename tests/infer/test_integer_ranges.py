"""Ranges of integers at run time: what they prove in range is, and 64 bits that overflow raise."""

import numpy as np
import pytest

import myia

LEAST = -(2**63)


def index_of_a_negative_quotient(x):
    total = 0.0
    for i in range(9):
        total += x[(i - 20) // 10 + 12] * (i + 1)
    return total


def quotients_of_both_signs(x):
    total = 0.0
    for i in range(9):
        total += x[(i - 4) // 3] * (i + 1)
    return total


def quotients_of_negative_numbers(x):
    total = 0.0
    for i in range(9):
        total += x[(i - 9) // 3] * (i + 1)
    return total


def negated(x, n):
    for i in range(n):
        y = i * -(2**62)
        x = x + float(-(y + y))
    return x


def absolute(x, n):
    for i in range(n):
        y = i * -(2**62)
        x = x + float(abs(y + y))
    return x


def divided(x, n, by):
    for i in range(n):
        y = i * -(2**62)
        x = x + float((y + y) // by)
    return x


@pytest.mark.parametrize("f", [quotients_of_both_signs, quotients_of_negative_numbers])
def test_quotients_as_indices(f):
    x = np.arange(5.0)
    assert myia.jit(f)(x) == f(x)


def test_a_negative_quotient_out_of_range():
    x = np.arange(9.0)
    with pytest.raises(IndexError):
        index_of_a_negative_quotient(x)
    with pytest.raises(IndexError):
        myia.jit(index_of_a_negative_quotient)(x)


@pytest.mark.parametrize("f, more", [(negated, ()), (absolute, ()), (divided, (-1,))])
def test_the_least_integer_has_no_negative(f, more):
    """Its negative is exact in Python, and beyond 64 bits here; those next to it are right."""
    with pytest.raises(OverflowError):
        myia.jit(f)(1.0, 2, *more)
    assert myia.jit(f)(1.0, 1, *more) == f(1.0, 1, *more)


def test_a_divisor_known_at_run_time():
    f = myia.jit(lambda x, n: divided(x, n, int(x)))
    assert f(2.0, 2) == 2.0 + LEAST / 2
    with pytest.raises(OverflowError):
        f(-1.0, 2)


def read_in_one_iteration(a, items):
    total = 0.0
    for k in range(2, 3):
        total += a[k + 1, -2]
    return total


def written_in_one_iteration(a, items):
    for k in range(2, 3):
        a[0, -k - 2] = 1.0
    return a[0, 0]


def item_in_one_iteration(a, items):
    total = 0.0
    for k in range(2, 3):
        total += items[k]
    return total


@pytest.mark.parametrize(
    "f", [read_in_one_iteration, written_in_one_iteration, item_in_one_iteration]
)
def test_an_index_known_by_its_range_is_checked(f):
    def args(n):
        return np.ones((n, n)), [1.0] * n

    with pytest.raises(IndexError):
        f(*args(2))
    with pytest.raises(IndexError):
        myia.jit(f)(*args(2))
    assert myia.jit(f)(*args(4)) == f(*args(4))
