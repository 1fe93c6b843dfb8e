"""Quantiles at their edges: halves, infinities, NaN, integers, weights, numbers out of range."""

import numpy as np
import pytest

import myia
from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_values.comparison import assert_as_numpy

POWERS = np.array([4.0, 1.0, 16.0, 2.0, 8.0])
NUMBERS = np.array([3, 1, 7, 2, -5], "i4")
INFINITE = np.array(
    [[1, np.inf, 2, -np.inf, 4], [np.nan, 1, 3, 0, np.inf], [np.nan, np.nan, 3, 4, -np.inf]]
)
EIGHTHS = np.arange(9) / 8
METHODS = """
    inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull
    linear median_unbiased normal_unbiased lower higher midpoint nearest
"""


@pytest.mark.parametrize("method", METHODS.split())
@pytest.mark.parametrize("name", ["quantile", "nanpercentile"])
def test_every_method(name, method):
    """At halves between samples, of infinities and NaN; integers stay, or become floats."""
    f, unit = getattr(np, name), 100 if "percentile" in name else 1

    def program(x, infinite, whole, single, q):
        return (
            f(x, q, method=method), f(x, 0.375 * unit, method=method),
            f(infinite, q, 1, method=method), f(infinite, 0.875 * unit, 0, method=method),
            f(whole, q, method=method), f(whole, 0.375 * unit, method=method),
            f(single, 0.3 * unit, method=method), f(single, q[3:4], method=method),
        )  # fmt: skip

    single = POWERS.astype("f4")
    args = (POWERS, INFINITE, NUMBERS, single, EIGHTHS * unit)
    assert_as_numpy(program, *args, rtol=1e-6)


CALLS = {
    "an int of q": lambda x: (np.quantile(x, 1), np.quantile(x, [0, 1]), np.percentile(x, 100)),
    "bools": lambda x: (np.quantile(x > 3, 0.3, method="lower"), np.nanquantile(x > 3, 1)),
    "run-time size": lambda x: (np.quantile(x[x > 1], 0.3), np.percentile(x[x > 3], [20, 70])),
    "two axes of q": lambda x: np.quantile(np.outer(x, x), [[0.2], [0.7]], axis=0, keepdims=True),
    "axes": lambda x: np.nanquantile(x[:, None, None] * np.ones((2, 3)), [0.2, 0.9], axis=(0, 2)),
    "weights": lambda x: np.quantile(x, [0.0, 0.3, 0.5, 1.0], method="inverted_cdf", weights=x),
    "weights along an axis": lambda x: np.percentile(
        np.outer(x, -x), 40, axis=1, weights=x - 1, method="inverted_cdf"
    ),
    "weights without NaN": lambda x: np.nanquantile(
        np.where(x > 8, np.nan, x), 0.7, weights=x, method="inverted_cdf"
    ),
    "nothing": lambda x: np.nanquantile(x[:0], 0.3),
    "out": lambda x: np.quantile(x, 0.3, out=np.zeros((2, 3))[0, :1], keepdims=True),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    assert_as_numpy(CALLS[name], POWERS, rtol=1e-12)


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_run_time_numbers_out_of_range(name):
    f = getattr(np, name)
    unit = 100 if "percentile" in name else 1
    for q in (1.5, -0.5, np.nan):
        assert_as_numpy(f, POWERS, q * unit)
        assert_as_numpy(f, POWERS, np.array([0.5, q]) * unit)

    def caught(x, q):
        try:
            return f(x, q)
        except ValueError:
            return 0.0

    assert myia.jit(caught)(POWERS, 1.5 * unit) == 0.0


@pytest.mark.parametrize("weights", [POWERS - 9, POWERS * 0, POWERS * np.nan])
def test_weights_that_are_none(weights):
    def weighted(x, q, w):
        return np.quantile(x, q, weights=w, method="inverted_cdf")

    assert_as_numpy(weighted, POWERS, 0.5, weights)


@pytest.mark.parametrize("method", ["linear", "nearest", "hazen", "averaged_inverted_cdf"])
def test_derivatives(method):
    def f(x):
        few = np.append(x, np.nan)
        return np.append(
            np.quantile(x**2, [0.1, 0.7], method=method), np.nanquantile(few, 0.6, method=method)
        )

    check_derivatives(f, POWERS)


def test_derivatives_by_the_number():
    check_derivatives(lambda q: np.quantile(POWERS, q**2, method="linear"), np.array([0.3, 0.8]))
    check_derivatives(lambda q: np.nanpercentile(POWERS, 50 * q), np.array([0.3, 0.8]))


def test_the_gradient_at_an_end_is_that_of_the_sample():
    for q in (0.0, 1.0):
        gradient = myia.grad(lambda x, q: np.quantile(x, q))(POWERS, q)
        np.testing.assert_array_equal(gradient, np.quantile(POWERS, q) == POWERS)


# ----- Positions of extrema without NaN


@pytest.mark.parametrize("f", [np.nanargmax, np.nanargmin])
def test_positions_among_nan(f):
    gaps = np.array([[np.nan, 1.0, -np.inf], [np.nan, np.nan, np.inf], [2.0, np.nan, np.nan]])
    assert_as_numpy(lambda x: (f(x), f(x, 0), f(x, axis=1, keepdims=True)), gaps)
    assert_as_numpy(lambda x: f(x, axis=1), gaps.astype("f4"))
    assert_as_numpy(lambda x: f(x.astype(int)), np.arange(3.0))
    for nothing in (gaps[:1, :1], np.where(gaps > 1, np.nan, gaps)):
        assert_as_numpy(lambda x: f(x, axis=1), nothing)
    assert_as_numpy(f, gaps[:0, 0])
