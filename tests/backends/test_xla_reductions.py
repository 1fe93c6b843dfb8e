"""Sums and extrema along wide rows, and of a few elements, are not left to XLA's library."""

import jax
import numpy as np
import pytest

import myia

RNG = np.random.default_rng(0)
CASES = {  # shape, axis
    "few rows": ((3, 20_000), 0),
    "rows": ((40, 20_000), 0),
    "rows of two axes": ((5, 8, 100, 90), (0, 1)),
    "middle axis": ((4, 3, 10_000), 1),
    "middle axis, many rows": ((3, 50, 9_000), 1),
    "first and third axis": ((3, 2, 4, 9_000), (0, 2)),
    "pairs": ((20_000, 2), 1),
    "eight": ((100, 50, 8), -1),
}
REDUCTIONS = {"sum": np.sum, "min": np.min, "max": np.max}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients(case, reduction, dtype):
    (shape, axis), reduce = CASES[case], REDUCTIONS[reduction]

    def f(x):
        return reduce(x, axis=axis)

    x = RNG.normal(size=shape).astype(dtype)
    compiled = myia.jit(f)
    for place, number in ((0, 0.5), (5, np.nan), (7, np.inf), (9, -np.inf)):
        x.flat[place] = number
        rtol = 1e-12 if dtype is np.float64 else 1e-4
        np.testing.assert_allclose(compiled(x), f(x), rtol, rtol)
        assert compiled(x).dtype == dtype
    x = RNG.normal(size=shape).astype(dtype)
    weights = RNG.normal(size=f(x).shape).astype(dtype)
    gradient = myia.grad(lambda x: np.sum(f(x) * weights))(x)
    chosen = np.expand_dims(weights, axis)
    if reduction != "sum":
        chosen = np.where(x == np.expand_dims(f(x), axis), chosen, 0.0)
    np.testing.assert_array_equal(gradient, np.broadcast_to(chosen, shape))


@pytest.mark.parametrize("case", CASES)
def test_the_library_is_not_called(case):
    shape, axis = CASES[case]
    compiled = myia.jit(lambda x: np.sum(x, axis=axis)).lower(np.ones(shape)).compile()
    assert "ynn" not in compiled.as_text()


def test_dot_products_of_columns():
    def f(x, y):
        return np.einsum("ib,ib->b", x, y)

    x, y = RNG.normal(size=(2, 12, 9_000))
    np.testing.assert_allclose(myia.jit(f)(x, y), f(x, y), rtol=1e-9, atol=1e-12)
    assert "ynn" not in myia.jit(f).lower(x, y).compile().as_text()
    np.testing.assert_array_equal(myia.grad(lambda x: np.sum(f(x, y)))(x), y)


def test_under_transforms_of_jax():
    x = RNG.normal(size=(2, 40, 9_000))
    sums = myia.jit(lambda x: np.sum(x, axis=0))
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(sums)(x[0]), np.sum(x[0], axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(jax.vmap(sums)(x), np.sum(x, axis=1), rtol=1e-9, atol=1e-12)
        gradient = jax.grad(lambda x: sums(x).sum())(x[0])
    np.testing.assert_array_equal(gradient, np.ones_like(x[0]))
