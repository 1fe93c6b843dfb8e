"""Derivatives at ties, at NaN, where numbers are all equal, and where a square would overflow."""

import numpy as np
import pytest

import myia

NAN, INF = np.nan, np.inf

RUNNING = [
    ([2.0, 2.0, 1.0], [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]),
    ([2.0, 2.0, 2.0], [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]]),
    ([2.0, 1.0, 3.0], [[1, 0, 0], [1, 0, 0], [0, 0, 1]]),
    ([0.0, -0.0, 0.0], [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]]),
    ([1.0, NAN, 2.0], [[1, 0, 0], [0, 0, 0], [0, 0, 0]]),
    ([NAN, 1.0, 1.0], [[0, 0, 0], [0, 0, 0], [0, 0, 0]]),
]


@pytest.mark.parametrize(("x", "want"), RUNNING)
def test_running_extrema(x, want):
    """Of equal elements the first and the last have a half each; what is NaN has derivative 0."""
    x = np.array(x)
    for f in (np.maximum.accumulate, lambda x: -np.minimum.accumulate(-x)):
        np.testing.assert_array_equal(myia.jacrev(f)(x), want)
        np.testing.assert_array_equal(myia.jacfwd(f)(x), want)


def test_an_infinite_slope_of_one_result_stays_with_its_element():
    x = np.array([4.0, 1.0, 0.0])
    slope = myia.grad(lambda x: np.sum(np.sqrt(np.minimum.accumulate(x))))(x)
    np.testing.assert_array_equal(slope, [0.25, 0.5, INF])


@pytest.mark.parametrize("shape", [(1,), (3,)])
def test_the_standard_deviation_of_equal_numbers(shape):
    x = np.full(shape, 0.75)
    np.testing.assert_array_equal(myia.grad(np.std)(x), np.zeros(shape))
    np.testing.assert_array_equal(myia.jacfwd(np.std)(x), np.zeros(shape))
    np.testing.assert_array_equal(myia.hessian(np.std)(x), np.zeros(shape * 2))
    rows = np.array([[1.0, 1.0], [1.0, 3.0]])
    along = myia.grad(lambda x: np.sum(x.std(axis=1)))(rows)
    np.testing.assert_allclose(along, [[0.0, 0.0], [-0.5, 0.5]])


ANGLES = [
    ((3.0, -4.0), (-0.16, -0.12)),
    ((-4.0, 3.0), (0.12, 0.16)),
    ((1e-170, 1e-170), (5e169, -5e169)),
    ((1e170, -1e170), (-5e-171, -5e-171)),
    ((1e170, 1.0), (0.0, -1e-170)),
    ((INF, 1.0), (0.0, 0.0)),
    ((0.0, 2.0), (0.5, 0.0)),
    ((2.0, 0.0), (0.0, -0.5)),
]


@pytest.mark.parametrize(("point", "want"), ANGLES)
def test_angles(point, want):
    np.testing.assert_allclose(myia.grad(np.arctan2, argnums=(0, 1))(*point), want, atol=1e-300)
    unit = [myia.jvp(np.arctan2, point, along)[1] for along in ((1.0, 0.0), (0.0, 1.0))]
    np.testing.assert_allclose(unit, want, atol=1e-300)


def test_the_area_of_a_large_hyperbolic_sine():
    slope = myia.grad(np.arcsinh)
    x = [1e170, -1e170, 0.0, 0.75, -1.0, 2.0, INF]
    want = [1e-170, 1e-170, 1.0, 0.8, 0.5**0.5, 5**-0.5, 0.0]
    np.testing.assert_allclose([slope(v) for v in x], want, rtol=1e-15)
    bend = [myia.grad(slope)(v) for v in (0.0, 0.75, 1.0, -2.0)]
    np.testing.assert_allclose(bend, [0.0, -0.75 * 0.8**3, -(2**-1.5), 2 * 5**-1.5], rtol=1e-14)


@pytest.mark.parametrize(
    ("point", "want"),
    [((INF, -1.5), 0.0), ((INF, 1.5), INF), ((0.0, 2.0), 0.0), ((2.0, 3.0), 8 * np.log(2.0))],
)
def test_powers_by_their_exponent(point, want):
    np.testing.assert_allclose(myia.grad(np.power, argnums=1)(*point), want)
