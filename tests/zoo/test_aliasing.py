"""Names, views and stores as NumPy has them: values, what is written, two orders of derivative."""

from __future__ import annotations

import numpy as np
import pytest
from in_place_checks import check_in_place

X = np.array([0.7, -1.2, 1.9, 0.4, -0.8, 1.1])
Y = np.array([0.3, 0.9, -1.4, 0.6, 1.2, -0.5])
M = np.sin(np.arange(16.0)).reshape(4, 4) + 0.17 * np.arange(16.0).reshape(4, 4) - 1.1
N = np.cos(1.7 * np.arange(16.0)).reshape(4, 4)


# ----- Rows of one matrix change places


def rows_by_integer_arrays(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, p]] = a[[p, i]]
        a[i + 1 :] -= np.outer(a[i + 1 :, i] / a[i, i], a[i])
    return np.sum(a * b)


def rows_by_a_copy(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        row = a[i].copy()
        a[i] = a[p]
        a[p] = row
        a[i + 1 :] -= np.outer(a[i + 1 :, i] / a[i, i], a[i])
    return np.sum(a * b)


def rows_by_views(a, b):
    """NumPy's trap: the right-hand sides are views, so the first store shows in the second."""
    for i in range(3):
        p = int(np.argmax(a[:, i]))
        a[i], a[p] = a[p], a[i]
    return np.sum(a * b)


def parts_of_rows_on_one_path(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        if p != i:
            a[[i, p], i:] = a[[p, i], i:]
            a[:, [i, p]] = a[:, [p, i]]
    return np.sum(a * b)


# ----- Stores by mask, and into parts of complex numbers


def copied_where(a, b):
    np.copyto(a, b * a)
    np.copyto(a, b[0], where=b > 0)
    np.copyto(a[1:], b[:-1] ** 2, where=[True, False, True, False, True])
    return np.sum(a * b)


def parts_of_complex_numbers(a, b):
    z = np.zeros(6, complex)
    z.real = b
    z.imag = a * b
    z.imag[1] = a[2]
    z.flat = z * z
    return np.sum(np.abs(z) ** 2 * a)


@pytest.mark.parametrize(
    "f, args",
    [
        (rows_by_integer_arrays, (M, N)),
        (rows_by_a_copy, (M, N)),
        (rows_by_views, (M, N)),
        (parts_of_rows_on_one_path, (M, N)),
        (copied_where, (X, Y)),
        (parts_of_complex_numbers, (X, Y)),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_as_in_numpy(f, args):
    check_in_place(f, *args)
