"""`x[i : i + 3]` where the slice may leave its axis: clipped as by NumPy, for every `i`."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.zoo.in_place_checks import check_in_place
from tests.zoo.reference_calls import ReferenceCalls

X = np.array([0.7, -1.2, 1.9, 0.4, -0.8, 0.3])
Y = np.array([0.3, 1.1, -0.7, 0.2, 0.9, -0.5])
W = np.array([0.2, 0.5, -0.3])
M = np.outer(X, Y) + np.arange(36.0).reshape(6, 6) / 20


def slices_at(x, start):
    i = int(start)
    w = x[i : i + 3]
    return np.sum(w * w) + len(w) + np.sum(x[i - 1 : i + 1]) * np.sum(x[i : i + 8])


def writes_at(x, start):
    i = int(start)
    x[i : i + 3] *= 2.0
    x[i + 1 : i + 3] = 5.0
    w = x[i : i + 2]
    w += x[0]
    return np.sum(x * x)


@pytest.mark.parametrize("f", [slices_at, writes_at], ids=lambda f: f.__name__)
def test_every_start(f):
    compiled = ReferenceCalls(myia.jit(f))
    for start in range(-9, 10):
        ours, theirs = X.copy(), X.copy()
        assert compiled(ours, start + 0.0) == pytest.approx(f(theirs, start), rel=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    for start in (-4.0, -1.0, 2.0, 4.0):
        check_in_place(f, X, start)


def sums_of_slices(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sum(x[i : i + 3] ** 2) * x[i] + np.sum(x[i - 2 : i + 1])
    return total


def slices_written_in_a_loop(x, y):
    for i in range(len(x)):
        x[i : i + 3] += y[i] * x[i]
    return np.sum(x**2)


def a_slice_in_a_while(x):
    i, total = 1, 0.0
    while i < len(x):
        total += np.sum(x[i - 1 : i + 2]) * x[i]
        x[i - 1 : i + 2] *= 0.5
        i += 1
    return total + np.sum(x)


def the_last_block_is_short(x, y):
    w = 0.3
    for b in range(0, len(x), 4):
        error = x[b : b + 4] * w - y[b : b + 4]
        w = w - 0.1 * np.mean(error * x[b : b + 4])
    return w


def blocked_product(a, b):
    n, size = len(a), 4
    c = np.zeros((n, n))
    for i in range(0, n, size):
        for j in range(0, n, size):
            for k in range(0, n, size):
                c[i : i + size, j : j + size] += (
                    a[i : i + size, k : k + size] @ b[k : k + size, j : j + size]
                )
    return np.sum(c**2)


def means_of_adjacent_elements(m):
    out = np.zeros_like(m)
    for i in range(len(m)):
        for j in range(len(m)):
            out[i, j] = np.mean(m[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2])
            out[i, j] *= np.prod(m[i : i + 2, j])
    return np.sum(out**3)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (sums_of_slices, (X,)),
        (slices_written_in_a_loop, (X, Y)),
        (a_slice_in_a_while, (X,)),
        (the_last_block_is_short, (X, Y)),
        (blocked_product, (M, M.T)),
        (means_of_adjacent_elements, (M,)),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_in_loops(f, args):
    check_in_place(f, *(a.copy() for a in args))


def beside_arrays_of_its_size(x, w, start):
    i = int(start)
    x[i : i + 3] += w
    rows = np.outer(x, x)[[0, 2, 1], i : i + 3]
    return np.convolve(x[i : i + 3], w)[1] + x[i : i + 3] @ w + np.sum(rows)


def as_results(x, start):
    i = int(start)
    return x[i : i + 3], x[i : i + 3] * 2


def test_where_its_size_must_be_known_it_is_what_the_slice_says():
    check_in_place(beside_arrays_of_its_size, X, W, 2.0)
    check_in_place(as_results, X, 2.0, derivatives=False)


def test_a_shorter_one_raises_there():
    with pytest.raises(IndexError, match="leaves its axis"):
        ReferenceCalls(myia.jit(as_results))(X, 4.0)
    with pytest.raises(ValueError, match="size"):  # as NumPy does
        ReferenceCalls(myia.jit(beside_arrays_of_its_size))(X, W, 4.0)
