"""Ints beyond 64 bits beside ints that change between calls, and beside numbers of run time."""

import numpy as np
import pytest

import myia


def least(n):
    return min(n, 10**20)


def greatest(n):
    return n if n > 2**70 else 2**70


def hashed(n):
    s = 14695981039346656037
    for i in range(n):
        s = (s ^ i) * 1099511628211 % 2**64
    return s


def masked(n):
    s = 1
    for _ in range(n):
        s = s * 6364136223846793005 & 0xFFFFFFFFFFFFFFFF
    return s


def picked(n):
    return [2**63, 5, 7, 8, 9, 2**70][n]


@pytest.mark.parametrize("f", [least, greatest, hashed, masked, picked], ids=lambda f: f.__name__)
def test_results_of_any_size(f):
    program = myia.jit(f)
    for n in (0, 1, 2, 3, 5, 4, -1 if f is picked else 6):
        assert program(n) == f(n)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def quotients(n, a):
    s = 0.0
    for i in range(n):
        s += i / a
    return s


@pytest.mark.parametrize("f", [gcd, quotients], ids=lambda f: f.__name__)
def test_large_arguments_after_small_ones(f):
    program = myia.jit(f)
    for args in [(1, 2), (3, 4), (5, 6), (7, 8), (9, 2**70), (10, -(2**63)), (11, 2**63)]:
        assert program(*args) == f(*args)


def test_a_large_int_on_one_path():
    """The number depends on a float: no program holds it."""

    def f(x):
        k = 2**63
        if x > 3.0:
            k = 1
        return k

    with pytest.raises(myia.MyiaError, match=r"more than 64 bits(.|\n)*9223372036854775808"):
        myia.jit(f)(1.0)


def squares(x, k, u=3):
    if k <= 0:
        return x
    return x * u + other_squares(x, k, u * u)


def other_squares(x, k, u):
    return x * u % 7 + squares(x, k - 1, -u)


def test_a_recursion_that_squares():
    """No call that is not made computes integers of twice the length, again and again."""
    program = myia.jit(squares)
    for k in (0, 1, 2, 3):
        assert program(0.5, np.int64(k)) == squares(0.5, k)


@pytest.mark.parametrize(
    "f", [lambda a: a * a % 7, lambda a: (a << a.bit_length()) % 7, lambda a: a**2 % 7]
)
def test_limit(f):
    """The product of two integers of half as many bits is computed."""
    assert myia.jit(f)(2**32760) == f(2**32760)
    with pytest.raises(OverflowError, match="this integer is too large"):
        myia.jit(f)(2**32770)
