"""Subscripts with arrays of integers, read and written, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError

X = np.arange(60.0).reshape(3, 4, 5)

# Each index `i` is 1, `j` an array of it; the table names what is special.
READS = [
    lambda x, i, j: x[[0, 2]],
    lambda x, i, j: x[[0, 2, 0], 1],
    lambda x, i, j: x[1, [0, 2]],
    lambda x, i, j: x[:, [0, -1]],
    lambda x, i, j: x[1:, [0, 2], ::2],
    lambda x, i, j: x[[0, 2], [1, -1]],
    lambda x, i, j: x[[0, 2], :, [1, -1]],
    lambda x, i, j: x[0, :, [1, -1]],
    lambda x, i, j: x[:, [0, 1], [2, 3]],
    lambda x, i, j: x[[[0, 1], [2, -1]]],
    lambda x, i, j: x[[[0], [2]], [1, 3]],
    lambda x, i, j: x[..., [0, 2]],
    lambda x, i, j: x[[0, 2], ..., 1:3],
    lambda x, i, j: x[None, [0, 2]],
    lambda x, i, j: x[[0, 2], None, :, 1],
    lambda x, i, j: x[:, None, [0, 2]],
    lambda x, i, j: x[i, j],
    lambda x, i, j: x[j, i, j],
    lambda x, i, j: x[j, j[:, None], i],
    lambda x, i, j: x[np.arange(3), np.arange(3)],
    lambda x, i, j: x[np.zeros(0, int)],
    lambda x, i, j: x[:0, [0, 1]],
]


@pytest.mark.parametrize("number", range(len(READS)))
def test_reads(number):
    f = READS[number]
    got, want = myia.jit(f)(X, 1, np.array([1, 0])), f(X, 1, np.array([1, 0]))
    np.testing.assert_array_equal(got, want)
    assert got.shape == want.shape


def rows(x, v):
    x[[0, 2, 0]] = v


def pairs(x, v):
    x[[0, 2], [1, -1]] *= v


def apart(x, v):
    x[[0, 2], :, [1, -1]] += v


def after_a_slice(x, v):
    x[1:, [0, 2], ::2] = v


def of_a_view(x, v):
    y = x[:, ::2].T
    y[[1, 1, 3], 0] = v


def with_new_axes(x, v):
    x[None, :, [0, 3]] -= np.ones((1, 3, 2, 5)) * v


def diagonal(x, v):
    n = np.arange(3)
    x[n, n, n] = n * v


@pytest.mark.parametrize(
    "f", [rows, pairs, apart, after_a_slice, of_a_view, with_new_axes, diagonal]
)
def test_writes(f):
    ours, theirs = X.copy(), X.copy()
    myia.jit(f)(ours, 0.5)
    f(theirs, 0.5)
    np.testing.assert_array_equal(ours, theirs)


def test_gradients():
    def cross_entropy(logits, labels):
        z = logits - np.max(logits, axis=1, keepdims=True)
        logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
        return -np.mean(logp[np.arange(len(labels)), labels])

    logits, labels = np.sin(np.arange(6.0)).reshape(2, 3), np.array([2, 0])
    softmax = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    want = (softmax - np.eye(3)[labels]) / 2
    np.testing.assert_allclose(myia.grad(cross_entropy)(logits, labels), want, rtol=1e-12)


def test_out_of_range():
    f = myia.jit(lambda x, j: x[j, [0, 1]])
    assert f(X, np.array([2, -3])).shape == (2, 5)
    for j in ([3, 0], [0, -4]):
        with pytest.raises(IndexError, match="size 3"):
            f(X, np.array(j))


def test_shapes_that_do_not_meet():
    with pytest.raises(MyiaError, match="could not be broadcast"):
        myia.jit(lambda x: x[[0, 1], [0, 1, 2]])(X)


def test_integers_that_do_not_fit_are_errors():
    """NumPy raises for Python integers, and wraps its own."""

    def store(k, x):
        k[0] = int(x)
        return k

    def add(k, x):
        return k + int(x)

    for f in (store, add):
        assert f(np.zeros(2, np.int8), 100.0)[0] == myia.jit(f)(np.zeros(2, np.int8), 100.0)[0]
        with pytest.raises(OverflowError):
            f(np.zeros(2, np.int8), 300.0)
        with pytest.raises(OverflowError, match="int8"):
            myia.jit(f)(np.zeros(2, np.int8), 300.0)
        with pytest.raises(OverflowError, match="uint8"):
            myia.jit(f)(np.zeros(2, np.uint8), -1.0)
