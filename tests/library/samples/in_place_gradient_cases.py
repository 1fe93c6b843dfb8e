"""Functions that write into an array, and sets, to be differentiated."""

from __future__ import annotations

import numpy as np

from tests.library.samples.numpy_gradient_cases import GRADIENTS, MASK, I, M, V, X


def put(x):
    y = 2 * x
    np.put(y, [0, 2], x[:2] ** 2)
    return y


def place(x):
    y = 2 * x
    np.place(y, MASK, x[0] ** 2)
    return y


def putmask(x):
    y = 2 * x
    np.putmask(y, MASK, x**2)
    return y


def put_along_axis(x):
    y = 2 * x
    np.put_along_axis(y, I[:2, None], x[:, :1] ** 2, 1)
    return y


def fill_diagonal(x):
    y = 2 * x
    np.fill_diagonal(y, x[0] ** 2)
    return y


def copyto(x):
    y = 2 * x
    np.copyto(y, x[0] ** 2)
    return y


GRADIENTS |= {
    "numpy.put": (put, V),
    "numpy.place": (place, X),
    "numpy.putmask": (putmask, X),
    "numpy.put_along_axis": (put_along_axis, X),
    "numpy.fill_diagonal": (fill_diagonal, M),
    "numpy.copyto": (copyto, X),
    "numpy.intersect1d": (lambda x: np.sum(np.intersect1d(x, x[:2]) ** 2), V),
    "numpy.unique_values": (lambda x: np.sum(np.unique_values(x) ** 2), V),
    "numpy.unique_counts": (lambda x: np.sum(np.unique_counts(x).values ** 2), V),
    "numpy.unique_inverse": (lambda x: np.sum(np.unique_inverse(x).values ** 3), V),
    "numpy.unique_all": (lambda x: np.sum(np.unique_all(x).values ** 2), V),
}
