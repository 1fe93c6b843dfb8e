"""Long sorts, as sorts of integers: NaN last, equal elements in their order, to the bit."""

import jax
import numpy as np
import pytest

import myia
from myia.backends.xla.cpu import sort_forms

RNG = np.random.default_rng(0)
SHAPES = [(700,), (3_000,), (60, 40), (3, 50, 20), (1, 600), (600, 1)]
TINY = np.float64(1e-310)
SPECIAL = (0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, TINY, -TINY)


def floats(dtype, shape, special=SPECIAL):
    """With ties, and with the special numbers."""
    x = np.round(RNG.standard_normal(shape), 1)
    return np.where(RNG.random(shape) < 0.3, RNG.choice(special, shape), x).astype(dtype)


def integers(dtype, shape):
    if dtype == "?":
        return RNG.random(shape) < 0.5
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = RNG.integers(low, high, shape, dtype, endpoint=True)
    return np.where(RNG.random(shape) < 0.3, RNG.choice(np.array([low, 0, high], dtype), shape), x)


def assert_same_bits(got, want):
    np.testing.assert_array_equal(got, want)
    if want.dtype.kind == "f":
        is_number = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(want)[is_number])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("special", [SPECIAL, SPECIAL[2:]], ids=["zeros", "no zeros"])
def test_floats(shape, dtype, special):
    for axis in range(len(shape)):
        x = floats(dtype, shape, special)
        order = np.argsort(x, axis, kind="stable")
        got = myia.jit(lambda x, axis=axis: (np.sort(x, axis), np.argsort(x, axis, kind="stable")))(
            x
        )
        assert_same_bits(got[0], np.take_along_axis(x, order, axis))
        np.testing.assert_array_equal(got[1], order)
        alone = myia.jit(lambda x, axis=axis: np.sort(x, axis))(x)
        assert_same_bits(alone, np.take_along_axis(x, order, axis))


KEYS = ["f8", "f4", "i8", "u8", "i4", "u4", "i1", "u1", "?", "f8 i8", "f4 f8", "u8 ?", "i2 u2 f4"]


@pytest.mark.parametrize("dtypes", KEYS)
def test_several_keys(dtypes):
    make = [floats if d[0] == "f" else integers for d in dtypes.split()]
    xs = [f(d, (40, 30)) for f, d in zip(make, dtypes.split())]
    values = RNG.standard_normal((40, 30))
    for axis in (0, 1):
        sort = lambda *xs: sort_forms._sorted_by_digits(*xs, axis=axis, keys=len(xs) - 1)  # noqa: B023, E731
        with jax.enable_x64(True):
            got = jax.jit(sort)(*xs, values)
        order = np.lexsort(xs[::-1], axis)
        for found, x in zip(got, [*xs, values], strict=True):
            assert_same_bits(np.asarray(found), np.take_along_axis(x, order, axis))


def test_derivatives_of_a_long_sort():
    x, weights = RNG.standard_normal((2, 3_000))
    gradient = myia.grad(lambda x: np.sum(np.sort(x) ** 2 * weights))(x)
    want = np.empty_like(x)
    want[np.argsort(x)] = 2 * np.sort(x) * weights
    np.testing.assert_allclose(gradient, want, rtol=1e-14)
    hessian_times_x = myia.grad(
        lambda x: np.sum(myia.grad(lambda y: np.sum(np.sort(y) ** 3))(x) * x)
    )
    np.testing.assert_allclose(hessian_times_x(x), 9 * x**2, rtol=1e-13)


@pytest.mark.parametrize("f", [np.sort, np.argsort])
def test_no_comparison_of_floats_is_left(f):
    x = RNG.standard_normal(3_000)
    text = myia.jit(lambda x: f(x)).lower(x).as_text()
    assert text.count("stablehlo.sort") >= 1
    assert "TOTALORDER" not in text and "compare  LT, %arg1, %arg2,  FLOAT" not in text
