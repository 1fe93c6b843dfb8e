"""Minima and maxima of large arrays keep NaN, which XLA's library for reductions loses."""

import functools

import jax
import numpy as np
import pytest

import myia

SHAPES = [(5_000,), (64, 100), (30, 20, 10)]
RNG = np.random.default_rng(0)


def least(x, axis):
    return np.min(x, axis=axis)


def greatest(x, axis):
    return np.max(x, axis=axis)


def cases(dtype, shape):
    """Arrays without NaN, with one and with a row of them, with infinities, with all of these."""
    x = RNG.normal(size=shape).astype(dtype)
    for places in ({}, {7: np.nan}, {3: np.inf}, {3: np.inf, 4: -np.inf}):
        changed = x.copy()
        changed.flat[list(places)] = list(places.values())
        yield changed
    changed = changed.copy()
    changed[..., 1] = np.nan
    yield changed


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [least, greatest])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_are_those_of_numpy(f, shape, dtype):
    for axis in (0, -1, None):
        compiled = myia.jit(functools.partial(f, axis=axis))
        for x in cases(dtype, shape):
            found = compiled(x)
            np.testing.assert_array_equal(found, f(x, axis))
            assert np.asarray(found).dtype == dtype


def least_of_two(x, y):
    return np.minimum(x, y)


def greatest_of_two(x, y):
    return np.maximum(x, y)


SUMS = {
    "total": lambda x, y, of_two: np.sum(of_two(x, y)),
    "axis 0": lambda x, y, of_two: np.sum(of_two(x, y), axis=0),
    "last axis": lambda x, y, of_two: np.sum(of_two(x, y), axis=-1),
    "limit first": lambda x, y, of_two: np.sum(of_two(0.5, x)),
    "limit last": lambda x, y, of_two: np.mean(of_two(x, 0.5) * 2.0 + 1.0),
    "exponentials": lambda x, y, of_two: np.sum(np.exp(of_two(of_two(x, 0.5), y))),
    "largest": lambda x, y, of_two: np.max(of_two(x, y) * 2.0),
    "norm": lambda x, y, of_two: np.linalg.norm(of_two(x, 0.5)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("of_two", [least_of_two, greatest_of_two])
@pytest.mark.parametrize("name", SUMS)
def test_reductions_of_the_extrema_of_two(name, of_two, dtype):
    """XLA makes the extrema part of the reduction that it gives to its library."""
    f = functools.partial(SUMS[name], of_two=of_two)
    compiled = myia.jit(f)
    y = RNG.normal(size=(64, 100)).astype(dtype)
    for x in cases(dtype, (64, 100)):
        for args in ((x, y), (y, x)):
            np.testing.assert_allclose(compiled(*args), f(*args), rtol=1e-4)


def test_products_into_a_limit():
    """As the layers of a network: a product, a limit, a mean."""
    x, w = RNG.normal(size=(64, 100)), RNG.normal(size=(100, 100))
    x[3, 4] = np.nan
    loss = myia.jit(lambda x, w: np.mean(np.maximum(x @ w, 0.0)))
    assert np.isnan(loss(x, w)) and not np.isnan(loss(w, w))
    under_vmap = jax.jit(jax.vmap(myia.jit(lambda x: np.sum(np.maximum(x, 0.5)))))
    with jax.enable_x64(True):
        assert np.isnan(under_vmap(x)).nonzero()[0].tolist() == [3]


def test_under_other_transforms():
    x = RNG.normal(size=(64, 100))
    x[5, 3] = np.nan
    with jax.enable_x64(True):
        under_jit = jax.jit(myia.jit(lambda x: np.min(x, axis=1)))(x)
        under_vmap = jax.vmap(myia.jit(np.max))(x.reshape(2, 32, 100))
    np.testing.assert_array_equal(under_jit, np.min(x, axis=1))
    np.testing.assert_array_equal(under_vmap, [np.nan, np.max(x[32:])])


def test_derivatives_of_a_row_with_nan_are_nan():
    x = RNG.normal(size=(64, 100))
    x[5, 3] = np.nan
    gradient = myia.grad(lambda x: np.sum(np.max(x, axis=1)))(x)
    assert np.all(np.isnan(gradient[5]))
    rest = np.delete(gradient, 5, axis=0)
    np.testing.assert_array_equal(rest.sum(axis=1), np.ones(63))


def test_other_programs_have_no_check():
    def branches(x, **platforms):
        lowered = myia.jit(lambda x: np.max(x, axis=1)).trace(x).lower(**platforms)
        return lowered.as_text().count("stablehlo.case")

    large = np.ones((64, 100))
    assert branches(large) > 0
    assert branches(np.ones((20, 100))) == 0
    assert branches(large.astype(int)) == 0
    assert branches(large, lowering_platforms=("cuda",)) == 0
