"""Cumulative sums, products and linear recurrences as loops: text, numbers, and what they cost."""

import numpy as np
import pytest

import myia
from myia.passes.loops.recurrences import recurrences
from tests.passes.before_after import before_after, unchanged

LINEAR = """
func @f(%a: f64[19,2], %b: f64[20,2]) -> f64[20,2] {
  %y = linear_recurrence %a, %b {axis=0, reverse=True}
  return %y
}"""

PRODUCT = """
func @f(%x: f64[{n},2]) -> f64[{n},2] {{
  %y = cumprod %x {{axis=0, reverse=False}}
  return %y
}}"""

SUM = """
func @f(%x: f64[2,{n}]) -> f64[2,{n}] {{
  %y = cumsum %x {{axis=1, reverse=False}}
  return %y
}}"""


def test_linear_recurrence(golden):
    golden(before_after(recurrences, LINEAR))


def test_cumulative_product(golden):
    golden(before_after(recurrences, PRODUCT.format(n=64)))


def test_cumulative_sum(golden):
    golden(before_after(recurrences, SUM.format(n=64)))


def test_few_elements(golden):
    golden(before_after(recurrences, PRODUCT.format(n=3)))


def test_nothing_to_add():
    assert unchanged(recurrences, SUM.format(n=0))


def test_short_axes_stay_scans():
    assert unchanged(recurrences, PRODUCT.format(n=63))
    assert unchanged(recurrences, SUM.format(n=3))


def cumulative(x, w):
    return np.sum(np.cumprod(x, axis=0) * w)


def differences(f, x, step=1e-6):
    """Central differences of a number or of an array."""
    columns = [
        (f(x + d.reshape(x.shape)) - f(x - d.reshape(x.shape))) / (2 * step)
        for d in step * np.eye(x.size)
    ]
    return np.reshape(np.stack(columns, -1), (*np.shape(f(x)), *x.shape))


@pytest.mark.parametrize("zeros", [(), (3,), (0, 4), (5, 6)])
@pytest.mark.parametrize("shape", [(7,), (30,), (10, 2)])
def test_derivatives_with_zeros(shape, zeros):
    draw = np.random.default_rng(0)
    x, w = draw.uniform(0.5, 1.5, shape), draw.normal(size=shape)
    x.ravel()[list(zeros)] = 0.0
    gradient = myia.grad(cumulative)
    np.testing.assert_allclose(
        gradient(x, w), differences(lambda x: cumulative(x, w), x), atol=1e-7
    )
    second = differences(lambda x: np.asarray(gradient(x, w)), x)
    np.testing.assert_allclose(myia.hessian(cumulative)(x, w), second, atol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "i8"])
@pytest.mark.parametrize("n", [1, 2, 64, 100])
@pytest.mark.parametrize("function", [np.cumsum, np.cumprod])
def test_to_the_bit(function, dtype, n):
    draw = np.random.default_rng(n)
    x = draw.uniform(-3, 3, n) if dtype in ("f4", "f8") else draw.integers(-3, 4, n)
    found, expected = myia.jit(function)(x.astype(dtype)), function(x.astype(dtype))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape, axis", [((70, 3), 0), ((3, 70), 1), ((2, 80, 3), 1), ((9, 5), 1)])
def test_sums_along_axes(shape, axis):
    x = np.random.default_rng(3).normal(size=shape)
    w = np.random.default_rng(4).normal(size=shape)
    found = myia.jit(lambda x: np.cumsum(x, axis=axis))(x)
    np.testing.assert_allclose(found, np.cumsum(x, axis=axis), rtol=1e-13, atol=1e-14)
    gradient = myia.grad(lambda x: np.sum(np.cumsum(x, axis=axis) * w))(x)
    expected = np.flip(np.cumsum(np.flip(w, axis), axis=axis), axis)
    np.testing.assert_allclose(gradient, expected, rtol=1e-13, atol=1e-13)


def test_what_is_not_read_makes_no_nan():
    """Products that overflow or are NaN further on."""
    x = np.array([1e-300, 1e200, 1e-100, 1e200, 1e100, *np.ones(16)])
    found = myia.grad(lambda x: np.cumprod(x)[1])(x)
    np.testing.assert_array_equal(found[:2], [1e200, 1e-300])
    found = myia.grad(lambda x: np.sum(np.cumprod(x, axis=1)[:, 1]))(np.stack([x, x]))
    np.testing.assert_array_equal(found[:, :2], [[1e200, 1e-300]] * 2)
    x = np.array([np.nan, *np.ones(20)])
    assert myia.grad(lambda x: np.cumprod(x)[0])(x)[0] == 1.0


def test_rows_of_a_loop():
    def squares(m):
        total = 0.0
        for i in range(len(m)):
            total += np.sum(np.cumprod(m[i]) ** 2)
        return total

    m = np.random.default_rng(2).normal(size=(12, 15))
    np.testing.assert_allclose(myia.grad(squares)(m), differences(squares, m), atol=1e-6, rtol=1e-6)


def test_steps_do_not_grow_with_the_axis():
    """A loop over the elements, no op for each doubling of the distance."""

    def ops(n):
        x = np.ones(n)
        return myia.grad(cumulative).ir(x, x)["finish"].count(" = ")

    assert ops(10_000) == ops(100)
