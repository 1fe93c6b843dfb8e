"""Large integers meet floats and other integers: comparisons and quotients are exact."""

import itertools

import numpy as np
import pytest

import myia

LARGE = 2**53
INTEGERS = [LARGE - 1, LARGE, LARGE + 1, -LARGE - 1, 2**62 + 1, 2**63 - 1, -(2**63), 3, 0]
FLOATS = [2.0**53, -(2.0**53), 2.0**53 + 2, 2.0**62, 2.0**63, -(2.0**63), 3.0, 2.5, np.inf, np.nan]


def comparisons(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


def test_python_integers_with_python_floats():
    def run_time(n, x):
        return comparisons(n, x), comparisons(x, n), n in (1.5, x), max(n, 0) < x

    compiled = myia.jit(run_time)
    for n, x in itertools.product(INTEGERS, FLOATS):  # after three values `n` is an argument
        assert compiled(n, x) == run_time(n, x), (n, x)
    assert compiled.compiles < 5


@pytest.mark.parametrize("n", [LARGE + 1, -LARGE - 1, LARGE + 3, 2**64 - 1, 10**40, 10**400])
def test_integers_known_when_compiling(n):
    def known(x):
        return comparisons(n, x), comparisons(x, n)

    compiled = myia.jit(known)
    for x in (*FLOATS, 1e40, float(min(n, 10**50))):
        assert compiled(x) == known(x), x


def test_a_float_and_the_integers_around_it():
    def above(x):
        n = int(x)
        count = 0
        while n - 3 < x:
            n += 1
            count += n > x
        return count, n == x, n - 3 >= x

    for x in (2.0**53, 2.0**60, -(2.0**54)):
        assert myia.jit(above)(x) == above(x)


def test_numpy_rounds_what_meets_a_float64():
    def f(n, x, v):
        return comparisons(n, x), comparisons(v, n), comparisons(v, 2**53 + 1)

    n, x = np.int64(LARGE + 1), 2.0**53
    v = np.array([2.0**53, 2.0**53 + 2])
    for mine, numpys in zip(myia.jit(f)(n, x, v), f(n, x, v), strict=True):
        np.testing.assert_array_equal(mine, numpys)


def _integers_of(dtype):
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, 1, info.max // 2 + 1, info.min // 2], dtype)


@pytest.mark.parametrize("other", [np.int64, np.int8, np.uint64, np.uint8])
def test_signed_and_unsigned_arrays(other):
    a, b = np.uint64([0, 1, 2**63, 2**64 - 1, 2**62]), _integers_of(other)
    for x, y in ((a, b), (b, a), (a, b[0]), (b[1], a)):
        np.testing.assert_array_equal(myia.jit(comparisons)(x, y), comparisons(x, y))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_arrays_with_python_integers_that_they_cannot_hold(dtype):
    def f(x, n):
        return comparisons(x, 70_000), comparisons(-1, x), comparisons(x, n), comparisons(n, x)

    compiled = myia.jit(f)
    x = _integers_of(dtype)
    for n in (300, -300, 70_000, -1, 2**63 - 1, 5):
        for mine, numpys in zip(compiled(x, n), f(x, n), strict=True):
            np.testing.assert_array_equal(mine, numpys)


def test_quotients_of_large_integers_are_the_nearest_floats():
    def quotients(m, n):
        return m / n, m / 3, 2**60 / n, -m / n

    compiled = myia.jit(quotients)
    rng = np.random.default_rng(0)
    numbers = [*INTEGERS[:-3], 7, -1, *map(int, rng.integers(-(2**62), 2**62, 20))]
    for m, n in itertools.product(numbers, numbers[:12]):
        assert compiled(m, n) == quotients(m, n), (m, n)
    assert str(myia.jit(lambda x: int(x) / -3)(0.5)) == "-0.0"
    with pytest.raises(ZeroDivisionError):
        compiled(2**60 + 1, 0)


def test_a_mean_of_large_integers():
    def mean(n):
        total = 0
        for i in range(n):
            total += 2**56 + i
        return total / n

    compiled = myia.jit(mean)
    assert [compiled(n) for n in (3, 5, 6, 7, 11)] == [mean(n) for n in (3, 5, 6, 7, 11)]


def test_quotients_have_no_derivative_in_integers():
    def f(x, n):
        return x * ((2**53 + n) / 3)

    assert myia.grad(f)(2.0, 1) == (2**53 + 1) / 3
    for n in range(1, 6):
        assert myia.grad(f)(2.0, n) == (2**53 + n) / 3


@pytest.mark.parametrize("x", [1.0, np.float64(-1.0), np.float32(1.0), np.ones(2), 1j])
def test_powers_with_exponents_beyond_64_bits(x):
    def f(x):
        return x ** (2**70), x ** -(2**70 + 2)

    np.testing.assert_array_equal(myia.jit(f)(x), f(x))


def test_the_derivative_of_a_power_with_an_exponent_beyond_64_bits():
    assert myia.grad(lambda x: x ** (2**70))(1.0) == 2.0**70
