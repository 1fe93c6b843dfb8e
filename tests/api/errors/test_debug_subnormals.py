"""`debug=True`: the first subnormal number that is taken for zero, as operand or as result."""

from __future__ import annotations

import math

import numpy as np
import pytest

import myia
from tests.api.errors.places import line_of

DTYPES = [np.float64, np.float32]
READ = "a subnormal number is read here"
FLUSHED = "underflow: the result is smaller than the smallest normal number"


def raises(message: str, line: str = ""):
    return pytest.raises(FloatingPointError, match=f"(?s){message}.*{line}")


def compiled(f):
    return myia.jit(f, debug=True)


# Of a number t near the smallest normal one; in each the result in Python is subnormal.
RESULTS = {
    "product": lambda t, one: t * (one * 0.25),
    "square": lambda t, one: np.sqrt(t) * 0.25 * (np.sqrt(t) * one),
    "np.square": lambda t, one: np.square(np.sqrt(t) * 0.25),
    "np.multiply": lambda t, one: np.multiply(t, one * 0.25),
    "quotient": lambda t, one: t / (one * 20.0),
    "quotient by a constant": lambda t, one: t / 20.0,
    "reciprocal": lambda t, one: np.reciprocal(one * 3.5 / t),
    "difference": lambda t, one: t * 1.25 - t * one,
    "sum": lambda t, one: t * 1.25 + t * -one,
    "integer power": lambda t, one: (np.cbrt(t) * 0.25) ** 3,
    "negative power": lambda t, one: (1.0 / np.cbrt(t) * 4.0) ** -3,
    "power": lambda t, one: (np.sqrt(t) * 0.25) ** (one * 2.0),
    "exp": lambda t, one: np.exp(np.log(t) - 2.0),
    "exp2": lambda t, one: np.exp2(np.log2(t) - 2.0),
}
# Zero in Python, too, or normal, or bits that only move.
NEIGHBOURS = {
    "normal": lambda t, one: t * one * 1.5,
    "times 0": lambda t, one: t * (one * 0.0),
    "zero over": lambda t, one: (one * 0.0) / t,
    "over infinity": lambda t, one: one / (one * np.inf),
    "x - x": lambda t, one: t - t * one,
    "below all": lambda t, one: t * t,
    "quotient below all": lambda t, one: t / (one / t),
    "powers below all": lambda t, one: t**2 + t**2.5 + (1.0 / t) ** -2,
    "exp below all": lambda t, one: np.exp(one * -1000.0) + np.exp2(one * -2000.0),
    "exp of -inf": lambda t, one: np.exp(one * -np.inf),
    "power of 0": lambda t, one: (one * 0.0) ** 3 + (one * 0.0) ** (one * 1.5),
    "hypot": lambda t, one: np.hypot(np.sqrt(t) * 0.25, one),
    "not selected": lambda t, one: np.where(t > one, one, t * 2.0),
}


KINDS = pytest.mark.parametrize(("dtype", "shape"), [(np.float64, ()), (np.float32, (3,))])


def arguments(dtype, shape):
    return np.full(shape, np.finfo(dtype).tiny, dtype)[()], np.ones(shape, dtype)[()]


@KINDS
@pytest.mark.parametrize("name", RESULTS)
def test_results_that_are_flushed(name, dtype, shape):
    given = arguments(dtype, shape)
    expected = RESULTS[name](*given)
    assert np.all(expected != 0) and np.all(abs(expected) < np.finfo(dtype).tiny)
    with raises(FLUSHED):
        compiled(RESULTS[name])(*given)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@KINDS
def test_neighbours_that_are_no_error(dtype, shape):
    def all_of(t, one):
        return [f(t, one) for f in functions]

    functions = tuple(NEIGHBOURS.values())
    given = arguments(dtype, shape)
    for name, found, expected in zip(NEIGHBOURS, compiled(all_of)(*given), all_of(*given)):
        np.testing.assert_array_equal(found, expected, name)


OPERANDS = {
    "sum": lambda x: x + 1.0,
    "== 0": lambda x: x == 0.0,
    "> 0": lambda x: x > 0.0,
    "np.sum": lambda x: np.sum(x),
    "method": lambda x: x.max(),
    "np.where": lambda x: np.where(x, 1.0, 2.0),
    "np.sqrt": lambda x: np.sqrt(x),
    "astype(bool)": lambda x: x.astype(bool),
    "remainder": lambda x: 1.0 % x,
    "np.cumsum": lambda x: np.cumsum(x),
    "np.sort": lambda x: np.sort(x),
    "count": lambda x: np.count_nonzero(x),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERANDS)
def test_operands_that_are_taken_for_zero(name, dtype):
    f = compiled(OPERANDS[name])
    x = np.array([1.0, 2.0], dtype)
    np.testing.assert_allclose(f(x), OPERANDS[name](x), rtol=1e-6)
    x[1] = np.finfo(dtype).tiny / 8
    with raises(READ):
        f(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_subnormal_numbers_that_only_move(dtype):
    def moved(x):
        y = np.stack([x, -x])[1]
        y[0] = x[1]
        bits = np.isnan(x), np.isinf(x), np.signbit(x), np.copysign(2 * x[:1], x)
        return y, np.abs(x), np.zeros_like(x), x.copy(), *bits

    x = np.array([1.0, np.finfo(dtype).tiny / 8], dtype)
    for found, expected in zip(compiled(moved)(x), moved(x)):
        assert found.tobytes() == expected.tobytes()


def test_python_floats():
    with raises(FLUSHED):
        compiled(lambda x: x * 0.1)(1e-307)
    for f in (
        lambda x: 1.0 / x,
        lambda x: x if x > 0.0 else 1.0,
        lambda x: x + 1.0,
        lambda x: 1.0 if x else 2.0,
        lambda x: math.ceil(x),
    ):
        with raises(READ):
            compiled(f)(1e-320)
    with raises(READ):
        compiled(lambda x: x + 1e-320)(1.0)
    with raises(FLUSHED):
        compiled(lambda x: math.exp(x))(-720.0)
    assert compiled(lambda x: math.exp(x))(-1000.0) == 0.0
    with raises(FLUSHED):
        compiled(lambda x: math.pow(x, 2.0))(1e-160)


def test_conversions_to_single_precision():
    for f in (lambda x: np.float32(x), lambda x: np.ones(2, np.float32) * x):
        with raises(FLUSHED):
            compiled(f)(1e-40)
        np.testing.assert_array_equal(compiled(f)(1e-50), f(1e-50))
    f = compiled(lambda x: x.astype(np.float32))
    with raises(FLUSHED):
        f(np.array([1.0, 1e-40]))
    np.testing.assert_array_equal(f(np.array([1.0, 1e-50])), [1.0, 0.0])


def sum_of_squares(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1e-100:
            s += x[i]
        else:
            y = x[i] * 1e-50
            s += x[i] * x[i]
            s += y
    return s


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_the_line_in_loops_and_branches(transform):
    f, plain = (transform(sum_of_squares, **o) for o in ({"debug": True}, {}))
    x = np.linspace(0.5, 4.1, 8)
    np.testing.assert_array_equal(f(x), plain(x))
    x[2] = 1e-200  # its square is zero in Python as well
    np.testing.assert_array_equal(f(x), plain(x))
    for value, message, text in (
        (1e-160, FLUSHED, "x[i] * x[i]"),
        (1e-265, FLUSHED, "y = x[i]"),
        (1e-310, READ, "if x[i]"),
    ):
        x[2] = value
        with raises(message, line_of(sum_of_squares, text)):
            f(x)
        assert np.isfinite(plain(x)).all()


def halvings(x):
    n = 0
    while x > 0.0:
        x *= 0.5
        n += 1
    return n


def test_a_loop_down_to_zero():
    with raises(FLUSHED):
        compiled(halvings)(1.0)
    assert myia.jit(halvings)(1.0) == 1023  # without the check; Python: 1075


def test_arrays_of_run_time_size_and_in_place():
    def selected(x):
        y = x[x > 0.0]
        y *= y
        return np.sum(y)

    f = compiled(selected)
    assert f(np.array([1.0, -1e-160, 2.0])) == 5.0
    with raises(FLUSHED):
        f(np.array([1.0, 1e-160, 2.0]))


def test_derivatives():
    def f(x):
        return np.sum(np.exp(-x * x))

    x, far, tail = np.array([0.5, 1.0]), np.array([0.5, 100.0]), np.array([0.5, 26.7])
    for transform in (myia.grad, myia.hessian):
        checked, plain = transform(f, debug=True), transform(f)
        np.testing.assert_allclose(checked(x), plain(x), rtol=1e-12)
        np.testing.assert_allclose(checked(far), plain(far), rtol=1e-12)
        with raises(FLUSHED):
            checked(tail)
