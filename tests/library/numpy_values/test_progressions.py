"""Geometric progressions at powers of ten; interpolation between samples that are not finite."""

import numpy as np
import pytest

import myia
from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_values.comparison import assert_as_numpy

PROGRESSIONS = {
    "powers of ten": lambda x: np.geomspace(x, 1000, 4, dtype=int),
    "negative": lambda x: np.geomspace(-x, -1000 * x, 4, dtype=int),
    "falling": lambda x: np.geomspace(100 * x, x / 100, 5),
    "of an array": lambda x: np.geomspace(np.array([1.0, 5.0, 0.1]) * x, 1e4, 5, axis=-1),
    "float32": lambda x: np.geomspace(x, np.float32(1e6), 7, dtype=np.float32),
    "without an end": lambda x: np.geomspace(x, 256.0, 8, endpoint=False),
    "of one": lambda x: (np.geomspace(x, 7.0, 1), np.geomspace(x, 7.0, 0)),
    "of both signs": lambda x: np.geomspace(x, -1000.0, 4),
    "from zero": lambda x: np.geomspace(x - 1, 1000.0, 4),
    "complex": lambda x: np.geomspace(x * 1j, 16.0, 5),
    "logspace": lambda x: np.logspace(x - 1, 3, 4, dtype=int),
    "bases": lambda x: np.logspace(x, 3, 4, base=np.array([10.0, 2.0, 3.0])),
    "bases along the last axis": lambda x: np.logspace([0, x], 3, 4, base=[2.0, 3.0], axis=-1),
}


@pytest.mark.parametrize("name", PROGRESSIONS)
def test_progressions(name):
    assert_as_numpy(PROGRESSIONS[name], 1.0, rtol=1e-6 if name == "float32" else 1e-14)


def test_derivatives_of_progressions():
    check_derivatives(lambda x: np.geomspace(x[0], x[1], 5), np.array([-0.3, -7.0]))
    check_derivatives(lambda x: np.logspace(x, 1.0, 3, base=2.5), np.array([-0.3, 0.7]))


# ----- Interpolation

PLACES = np.array([0.0, 1.0, 2.0, 3.0])
X = np.array([-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, np.nan])
SAMPLES = (
    [np.inf, np.inf, 2, np.nan], [1, np.inf, -np.inf, 2], [1, 2, np.nan, 4], [np.nan, 1, 1, 2],
    [-np.inf, -np.inf, -np.inf, np.inf], [0.1, 0.2, 0.7, -0.3],
)  # fmt: skip


def interpolations(x, places, samples):
    return (
        np.interp(x, places, samples), np.interp(x, places * 0.1, samples, left=7, right=-1.0),
        np.interp(x[1:3], places[:1], samples[:1]), np.interp(x[4], places, samples),
    )  # fmt: skip


@pytest.mark.parametrize("samples", SAMPLES, ids=str)
def test_interpolation(samples):
    assert_as_numpy(interpolations, X, PLACES, np.array(samples), rtol=1e-14)


INTERPOLATIONS = {
    "equal places": lambda x, p: np.interp(x, np.minimum(p, 2.0), p**2),
    "a period": lambda x, p: np.interp(x, p, p**2, period=2.5),
    "a negative period": lambda x, p: np.interp(x, p, p**2, period=-2.5),
    "complex": lambda x, p: np.interp(x, p, p**2 - 1j * p, left=2j),
    "float32": lambda x, p: np.interp(x.astype("f4"), p.astype("f4"), (p * 0.1).astype("f4")),
    "integers": lambda x, p: np.interp(2, p.astype(int), p.astype(int) * 3),
    "several axes": lambda x, p: np.interp(x.reshape(2, 5), p, p**2),
    "no period": lambda x, p: np.interp(x, p, p, period=x[1]),
}


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_interpolations(name):
    assert_as_numpy(INTERPOLATIONS[name], X, PLACES, rtol=1e-14)


def test_derivatives_of_interpolation():
    x = np.array([-0.7, 0.3, 1.25, 2.5, 3.5])
    check_derivatives(lambda x: np.interp(x, PLACES, PLACES**3), x)
    check_derivatives(lambda f: np.interp(x, PLACES, f**2, right=f[0]), PLACES + 1)
    check_derivatives(lambda p: np.interp(x, p**3, PLACES**2), PLACES + 0.1)
    check_derivatives(lambda x: np.interp(x, PLACES, PLACES**3, period=3.6), x)


def test_the_gradient_at_a_sample_is_a_slope_beside_it():
    def loss(x, samples):
        return np.sum(np.interp(x, PLACES, samples))

    x, samples = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0, 8.0])
    by_x, by_samples = myia.grad(loss, argnums=(0, 1))(x, samples)
    np.testing.assert_array_equal(by_x, [1, 2, 4, 4])
    np.testing.assert_array_equal(by_samples, [1, 1, 1, 1])
    infinite = np.array([1.0, 2.0, 4.0, np.inf])
    by_x, by_samples = myia.grad(loss, argnums=(0, 1))(np.array([0.5, 1.0, 2.0, 9.0]), infinite)
    np.testing.assert_array_equal(by_x[:2], [1, 2])
    np.testing.assert_array_equal(by_samples, [0.5, 1.5, 1, 1])
