"""Edges of bins that fall, or are not finite; numbers without a range."""

import numpy as np
import pytest

from tests.library.numpy_values.comparison import assert_as_numpy, by_numpy

X = np.array([-1.0, 0.0, 1.0, np.nan, 5.0])
FEW = np.array([1.0, 2.0, 0.0])
FALLING = np.array([2.0, 1.0, 0.0])
HISTOGRAMS = {
    "falling edges": (lambda x, e: np.histogram(x, e), FEW, FALLING),
    "edges that are not ordered": (lambda x, e: np.histogram(x, e), FEW, FALLING[[1, 0, 2]]),
    "falling edges only": (lambda x, e: np.histogram_bin_edges(x, e), FEW, FALLING),
    "equal edges": (lambda x, e: np.histogram(x, e), FEW, np.array([0.0, 1.0, 1.0, 2.0])),
    "edges with NaN": (lambda x, e: np.histogram(x, e)[0], FEW, np.array([0.0, 1.0, np.nan])),
    "of two": (lambda x, e: np.histogram2d(x, x, [3, e]), FEW, FALLING),
    "NaN": (lambda x: np.histogram(x), X),
    "infinity": (lambda x: np.histogram(x, 3), np.array([1.0, np.inf])),
    "infinity in one of two": (lambda x, y: np.histogramdd((x, 1 / y), 3), FEW, FEW),
    "an infinite range": (lambda x, e: np.histogram(x, 3, (0.0, e)), FEW, np.inf),
    "NaN outside of a range": (lambda x: np.histogram(x, 3, (0, 3)), X),
    "a range that falls": (lambda x, e: np.histogram(x, 3, (3.0, e)), FEW, 0.0),
    "numbers at the edges": (lambda x: np.histogram(x, 10), np.arange(101) / 100),
}


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_histograms(name):
    with np.errstate(all="ignore"):
        assert_as_numpy(*HISTOGRAMS[name])


ORDERED = ([0, 1, np.nan], [np.nan, 1, 0], [np.nan, np.nan], [1, 1], [0, 0, 1], [2, 0, 0], [3])
NOT_ORDERED = ([0, 2, 1], [1, 1, 2, 0], [2, 1, 3])
BY_CHANCE = ([0, np.nan], [0, 0, np.nan], [1, np.nan, 0], [0, np.nan, 1])


def digits(x, bins):
    return np.digitize(x, bins), np.digitize(x, bins, right=True)


@pytest.mark.parametrize("bins", ORDERED + NOT_ORDERED, ids=str)
def test_digitize(bins):
    assert_as_numpy(digits, X, np.array(bins, float))


@pytest.mark.parametrize("bins", BY_CHANCE, ids=str)
def test_edges_among_which_numpy_searches_without_an_order(bins):
    """They fall by NumPy's rule, and NaN is not the first: what it finds depends on its steps."""
    bins = np.array(bins, float)
    assert not isinstance(by_numpy(digits, X, bins), Exception)
    with pytest.raises(ValueError, match="monotonically"):
        assert_as_numpy(digits, X, bins)
