"""Arrays without elements, of sizes known when compiling and at run time; one value for several."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_types.strict import assert_as_numpy

X = np.array([0.5, -1.5, 2.0, 0.0])
A = np.arange(6.0).reshape(2, 3)
EMPTY = np.zeros(0)
ROWS = np.zeros((3, 0))
HOLES = np.array([[1, np.nan, 5, 7], [3, np.nan, np.nan, np.nan], [2, np.nan, 4, np.inf]])

CALLS = {
    "trim_zeros": (np.trim_zeros, EMPTY),
    "trim_zeros at the front": (lambda x: np.trim_zeros(x, "f"), EMPTY),
    "trim_zeros of part": (lambda x, t: np.trim_zeros(x[x > t]), X, 9.0),
    "trim_zeros of some": (lambda x, t: np.trim_zeros(x[x > t]), X, -1.0),
    "trim_zeros of zeros": (lambda x: (np.trim_zeros(x), np.trim_zeros(x, "b")), np.zeros(3)),
    "trim_zeros behind": (lambda x: np.trim_zeros(x, "b"), np.array([0, 1.0, 0, 0])),
    "norm": (lambda x: np.linalg.norm(x, np.inf), EMPTY),
    "norm of part": (lambda x, t: np.linalg.norm(x[x > t], np.inf), X, 9.0),
    "norm of rows": (lambda x: np.linalg.norm(x, np.inf, axis=1), ROWS),
    "smallest norm": (lambda x: np.linalg.norm(x, -np.inf), EMPTY),
    "norms of matrices": (lambda x: [np.linalg.norm(x, k) for k in (1, np.inf, 2, "nuc")], ROWS),
    "largest of NaN": (lambda x: np.linalg.norm(x, np.inf), HOLES[0]),
    "nanmedian": (np.nanmedian, EMPTY),
    "nanmedian of part": (lambda x, t: np.nanmedian(x[x > t]), X, 9.0),
    "nanmedian of some": (lambda x, t: np.nanmedian(x[x > t]), X, -1.0),
    "nanmedian of rows": (lambda x: (np.nanmedian(x, axis=0), np.nanmedian(x, axis=1)), ROWS),
    "nanmedian of holes": (lambda x: [np.nanmedian(x, axis=k) for k in (None, 0, 1)], HOLES),
    "nanmedian kept": (lambda x: np.nanmedian(x, 1, keepdims=True), HOLES.astype(np.float16)),
    "nanmedian of ints": (lambda x: np.nanmedian(x, axis=(0, 1)), A.astype(int)),
    "nanmedian of large": (np.nanmedian, np.array([1e308, 1.5e308, 1.7e308])),
    "piecewise": (lambda x: np.piecewise(x, np.array([x < 0, x >= 0]), [-1, 1]), X),
    "piecewise of functions": (
        lambda x: np.piecewise(x, np.array([x < 0, x >= 0]), [-1, lambda t: t * 2]), X,
    ),
    "piecewise, one condition": (lambda x: np.piecewise(x, x < 0, [-1, 1]), X),
    "piecewise, bools": (lambda x: np.piecewise(x, [True, False, True, False], [-1, 1]), X),
    "piecewise of a number": (lambda x: np.piecewise(x, [x < 0, x >= 0], [-1, 1]), np.float64(3)),
    "piecewise of part": (lambda x: np.piecewise(x[x > 0], [x[x > 0] < 1], [0, 1]), X),
    "insert": (lambda x: np.insert(x, [1], [5, 6, 7]), X),
    "insert at the end": (lambda x: np.insert(x, [-1], [5, 6, 7]), X),
    "insert at an array": (lambda x: np.insert(x, np.array([1]), [5, 6, 7]), X),
    "insert at arrays": (lambda x, i: np.insert(x, i, [5, 6, 7]), X, np.array([3, -1, 3])),
    "insert one at arrays": (lambda x, i: np.insert(x, i, 5), X, np.array([3, 0])),
    "insert outside": (lambda x, i: np.insert(x, i, 5), X, np.array([3, 5])),
    "insert rows": (lambda x: np.insert(x, [1], [[5], [6]], axis=0), A[:, :1]),
    "insert columns": (lambda x: np.insert(x, [1], [5, 6], axis=1), A),
    "insert at a slice": (lambda x: np.insert(x, slice(1, 2), [5, 6, 7]), X),
    "insert nothing": (lambda x: np.insert(x, [], []), X),
    "insert too many": (lambda x: np.insert(x, [1, 2], [5, 6, 7]), X),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    f, *args = CALLS[name]
    assert_as_numpy(f, *args)


DERIVATIVES = {
    "norm": lambda x: np.linalg.norm(x**2, np.inf),
    "norm of a matrix": lambda x: np.linalg.norm(np.outer(x, x + 1), 1),
    "nanmedian": lambda x: np.nanmedian(np.array([x**2, np.log(x)]), axis=1),
    "nanmedian of part": lambda x: np.nanmedian(x[x > 0] ** 2),
    "insert": lambda x: np.insert(x**2, [1], x),
    "insert at an array": lambda x: np.insert(x**2, np.array([1, 3]), x[:2]),
    "piecewise": lambda x: np.piecewise(x, np.array([x < 1, x >= 1]), [lambda t: t**2, 1]),
}


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_derivatives(name):
    check_derivatives(DERIVATIVES[name], np.array([0.5, -1.5, 2.0, 3.0]))


def test_insert_by_a_list_of_bools():
    """NumPy 2.4 raises AttributeError: it asks the list for its dimensions."""
    mask = [True, False, True, False]
    found = myia.jit(lambda x: np.insert(x, mask, [5, 6]))(X)
    np.testing.assert_array_equal(found, np.insert(X, np.array(mask), [5, 6]))
