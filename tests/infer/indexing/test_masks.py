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


def beside_arrays(x):
    """Subscripts by several masks and arrays of integers, of as many elements."""
    order = np.argsort(x[:, 0, 0])
    two, three = x[:, 0, 0] >= x[order[1], 0, 0], np.arange(5) > 1
    columns = np.arange(4) % 2 == 0
    s = np.sum(x[two, columns] ** 3) + np.sum(x[two, [3, -4]] ** 2) + np.sum(x[two, columns, 1])
    s += np.sum(x[columns[:3], columns, np.array([1, 2])] ** 2)
    s += np.sum(x[np.arange(3), 2, three] * x[:, 0, 1]) + np.sum(x[x[:, :, 0] < 9, :].sum(axis=0))
    return s + np.sum(x[two, -1, [0, 1]] ** 2)


def stored_beside_arrays(x):
    y = x.copy()
    order = np.argsort(x[:, 0, 0])
    two, columns = x[:, 0, 0] >= x[order[1], 0, 0], np.arange(4) % 2 == 0
    y[two, columns] = x[two, [1, -1]] ** 2
    y[two, [0, 0]] *= 2.0
    y[two, columns, [1, 2]] += x[0, 0, :2]
    y[x[:, 0, 0] > 0, None] *= x[0, 0, 0]
    return np.sum(y**3)


def beside_new_axes(x):
    rows, depth = x[:, 0, 0] > 0, x[0, 0, :] > 0
    s = np.sum(x[rows, None] ** 2) + np.sum(x[None, rows] ** 3) + np.sum(x[:, None, :, depth])
    s += np.sum(x[rows, :, None, 1:] * x[0, 0, 0]) + np.sum(x[..., depth, None] ** 2)
    y = x * x
    y[rows, None] = x[0, 0, 0]
    return s + np.sum(y * x)


@pytest.mark.parametrize("f", [beside_arrays, stored_beside_arrays, beside_new_axes])
def test_beside_arrays_and_new_axes(f):
    test_value_and_derivative(f)
    v = np.random.default_rng(2).normal(size=X.shape)
    second = myia.hvp(f)(X, v)
    d = 1e-6 * v
    difference = (myia.grad(f)(X + d) - myia.grad(f)(X - d)) / 2e-6
    np.testing.assert_allclose(second, difference, rtol=1e-5, atol=1e-6)


def test_what_differs_in_size_raises():
    f = myia.jit(lambda x: x[x[:, 0, 0] > 0, x[0, :, 0] > 9].sum())
    with pytest.raises(ValueError, match="they differ in size"):
        f(np.abs(X))
    with pytest.raises(IndexError, match="out of bounds"):
        myia.jit(lambda x: x[x[:, 0, 0] > 0, [4, 0, 0]].sum())(np.abs(X))
    with pytest.raises(IndexError, match="boolean index"):
        myia.jit(lambda x: x[x[:, 0, 0] > 0, x[0, 0, :] > 0].sum())(X)


REFUSED = {
    "after a slice": lambda x: x[:, x[0, :, 0] > 0, x[0, 0, :] > 0].sum(),
    "integers and new axes": lambda x: x[x[:, 0, 0] > 0, 1, None].sum(),
    "indices of several axes": lambda x: x[x[:, 0, 0] > 0, [[0], [1]]].sum(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_beside_masks(name):
    with pytest.raises(myia.MyiaError, match=r"beside (a mask|masks|new axes)"):
        myia.jit(REFUSED[name])(X)
