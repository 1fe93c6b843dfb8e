"""A mask beside integers and slices: the axis of the selected elements is where NumPy has it."""

from __future__ import annotations

import numpy as np
import pytest

import myia

X = np.random.default_rng(0).normal(size=(3, 4, 5))


def selected(x):
    i = int(x[0, 0, 0] > -9)
    rows, columns, depth = x[:, 0, 0] > 0, x[0, :, 0] > 0, x[0, 0, :] > 0
    both = x[:, :, 0] > 0
    s = np.sum(x[rows, 1] ** 2) + np.sum(x[rows, i, ::-1] ** 3)
    s += np.sum(x[-1, columns, ::2] ** 2) + np.sum(x[i, columns, 2] ** 3)
    s += np.sum(x[0, :, depth] * np.arange(4.0)) + np.sum(x[0, :2, depth] ** 2)
    s += np.sum(x[:, columns, 1].T * np.arange(3.0)) + np.sum(x[1:, 1:, depth] ** 3)
    return s + np.sum(x[both, 1:] ** 2) + np.sum(x[both, i] ** 3) + np.sum(x[2, x[2] > 0] ** 2)


def stored(x):
    i = int(x[0, 0, 0] > -9)
    rows, depth = x[:, 0, 0] > 0, x[0, 0, :] > 0
    y = x.copy()
    for j in range(4):
        y[rows, j] = x[rows, j] ** 2
    y[~rows, i, 1:] += x[~rows, 0, 1:]
    y[1, :, depth] = 3 * x[1, :, depth]
    y[1:, 2, depth] *= x[1, 1, 1]
    y[x[:, :, 0] > 0, 1] = 2.5
    return np.sum(y**3)


@pytest.mark.parametrize("f", [selected, stored])
def test_value_and_derivative(f):
    value, gradient = myia.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    d = 1e-6 * np.random.default_rng(1).normal(size=X.shape)
    difference = (f(X + d) - f(X - d)) / 2
    np.testing.assert_allclose(np.sum(gradient * d), difference, rtol=1e-5)


def test_none_and_all_are_selected():
    f = myia.jit(lambda x: np.sum(x[x[:, 0, 0] > 0, 1] ** 2))
    for x in (-np.abs(X), np.abs(X)):
        np.testing.assert_allclose(f(x), np.sum(x[x[:, 0, 0] > 0, 1] ** 2))


def test_a_mask_of_another_size():
    with pytest.raises(IndexError, match="boolean index"):
        myia.jit(lambda x: x[x[0, :, 0] > 0, 1].sum())(X)


def test_two_masks_are_refused():
    with pytest.raises(myia.MyiaError, match="a mask beside masks"):
        myia.jit(lambda x: x[x[:, 0, 0] > 0, x[0, :, 0] > 0].sum())(X)
