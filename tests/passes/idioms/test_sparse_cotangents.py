"""Masks of extrema in index form: the same derivatives, with ties, NaN and infinities, too."""

import functools

import numpy as np
import pytest

import myia
from myia.passes.idioms import sparse_cotangents as this
from myia.passes.idioms.index_form import row_blocks
from myia.pipeline import Options

N, K, D = 12, 7, 3


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    monkeypatch.setattr(this, "MIN_ELEMENTS", 1)
    monkeypatch.setattr(this, "MIN_LENGTH", 2)
    monkeypatch.setattr(row_blocks, "BLOCK_ELEMENTS", 5 * K)


def differences(p, c):
    return np.sum(np.min(np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2), axis=1))


def product(p, c):
    squares = np.sum(p**2, axis=1)[:, None] + np.sum(c**2, axis=1)
    return np.sum(np.min(squares - 2 * p @ c.T, axis=1) ** 2)


def distances(p, c):
    d = np.sqrt(np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2))
    return np.sum(np.cos(np.arange(1.0, N + 1)) * np.min(d, axis=1))


def norms(p, c):
    d = np.linalg.norm(p[:, None] - c, axis=2)
    return np.sum(np.cos(np.arange(1.0, N + 1)) * np.min(d, axis=1))


def norms_along_rows(p, c):
    return np.sum(np.min(np.linalg.norm(c[:, None] - p, axis=-1), axis=0) ** 3)


def first_axis(p, c):
    return np.sum(np.max(np.exp(0.1 * c @ p.T), axis=0) * np.arange(N))


def first_axis_of_columns(p, c):
    return np.sum(np.max(np.sin(p @ c.T), axis=0) ** 2)


def batches(p, c):
    d = np.abs(p.reshape(3, 4, 1, D) - c).sum(axis=3)
    return np.sum(np.min(d, axis=2) ** 2)


def of_elements(p, c):  # the index of each column
    return np.sum(np.max(p[:, None, :] * np.sin(c[None, :, :]), axis=1) ** 3)


def twice(p, c):
    d = p @ c.T
    return np.sum(np.max(d, axis=1) ** 2 - np.min(d, axis=1) * np.max(d, axis=1))


def descended(p, c):
    for _ in range(3):
        c = c - 0.01 * myia.grad(differences, argnums=1)(p, c)
    return c


def with_a_weight_of_the_row(p, c):
    d = (p @ c.T) * p[:, :1] * np.exp(c[:, 0])
    return np.sum(np.min(d, axis=1))


def also_elsewhere(p, c):
    d = p @ c.T
    return np.sum(np.min(d, axis=1)) + np.sum(d**2)


IN_INDEX_FORM = [
    differences,
    product,
    distances,
    norms,
    norms_along_rows,
    first_axis,
    first_axis_of_columns,
    batches,
    with_a_weight_of_the_row,
]
AS_THEY_ARE = [of_elements, twice, also_elsewhere]


def arguments(dtype=float):
    rng = np.random.default_rng(5)
    return rng.normal(size=(N, D)).astype(dtype), rng.normal(size=(K, D)).astype(dtype)


@functools.cache
def gradient(f, *disable):
    return myia.grad(f, argnums=(0, 1), pipeline=Options(disable=frozenset(disable)))


def same(f, *args, rtol=1e-12):
    """With the pass and without it."""
    with np.errstate(all="ignore"):
        ours = gradient(f)(*args)
        plain = gradient(f, "sparse_cotangents")(*args)
    for x, y in zip(ours, plain, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)
    return ours


def text(f, *args):
    return gradient(f).ir(*args)["finish"]


@pytest.mark.parametrize("f", IN_INDEX_FORM)
def test_in_index_form(f):
    assert "lone_extremum" in text(f, *arguments())
    p, c = arguments()
    found, h = same(f, p, c), 1e-6
    for i, args in enumerate([(p, c)] * 2):
        v = np.cos(np.arange(args[i].size)).reshape(args[i].shape)
        moved = [[a + s * h * v if i == j else a for j, a in enumerate(args)] for s in (1, -1)]
        slope = (f(*moved[0]) - f(*moved[1])) / (2 * h)
        assert np.sum(found[i] * v) == pytest.approx(slope, rel=1e-6, abs=1e-6)
    # Ties.
    c[4], p[3] = c[1], p[8]
    same(f, p, c)
    same(f, np.round(p), np.round(c))
    same(f, np.ones_like(p), np.ones_like(c))
    p, c = arguments()
    p[3] = c[2]  # no distance
    same(f, p, c)
    for value in (np.nan, np.inf, -np.inf):
        for where in (0, 1):
            args = arguments()
            args[where][2, 1] = value
            same(f, *args)
    same(f, np.full_like(p, np.inf), c)


@pytest.mark.parametrize("f", AS_THEY_ARE)
def test_as_they_are(f):
    assert "lone_extremum" not in text(f, *arguments())
    same(f, *arguments())


@pytest.mark.parametrize("f", [product, distances])
def test_single_precision(f):
    p, c = arguments(np.float32)
    assert gradient(f)(p, c)[0].dtype == np.float32
    same(f, p, c, rtol=2e-5)


@pytest.mark.parametrize("f", [product, distances, norms])
def test_second_order(f):
    p, c = arguments()
    v = np.sin(np.arange(K * D)).reshape(K, D)

    def slope(c):
        return myia.grad(f, argnums=1)(p, c)

    def newton(c, v):
        return myia.jvp(slope, (c,), (v,))[1]

    ours, h = myia.jit(newton)(c, v), 1e-5
    central = (slope(c + h * v) - slope(c - h * v)) / (2 * h)
    np.testing.assert_allclose(ours, central, rtol=1e-6, atol=1e-6 * np.max(np.abs(central)))
    _, forwards = myia.jvp(lambda c: f(p, c), (c,), (v,))
    assert float(forwards) == pytest.approx(float(np.sum(slope(c) * v)), rel=1e-11)


def test_in_a_loop():
    p, c = arguments()
    descent = myia.jit(descended)
    assert "lone_extremum" in descent.ir(p, c)["finish"]
    for _ in range(3):
        c = c - 0.01 * gradient(differences, "sparse_cotangents")(p, c)[1]
    np.testing.assert_allclose(descent(*arguments()), c, rtol=1e-12)


def test_a_mask_of_the_user():
    """What is zero in it may be multiplied by infinity, which is NaN."""

    def picked(d, x):
        mask = (d == d.min(axis=1)[:, None]).astype(float)
        return mask.T @ x

    p, c = arguments()
    d, picked_here = p @ c.T, myia.jit(picked)
    assert "lone_extremum" in picked_here.ir(d, p)["finish"]
    np.testing.assert_allclose(picked_here(d, p), picked(d, p), rtol=1e-13)
    p[2, 1] = np.inf
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.isnan(picked_here(d, p)), np.isnan(picked(d, p)))


def test_the_value_beside_the_derivative():
    p, c = arguments()
    value, found = myia.value_and_grad(product, argnums=1)(p, c)
    assert float(value) == pytest.approx(product(p, c), rel=1e-13)
    np.testing.assert_allclose(found, gradient(product)(p, c)[1], rtol=1e-12)


def test_nothing_of_the_size_of_the_mask(monkeypatch):
    """Where there are no ties, all arrays are of the size of the operands, or of a block."""
    monkeypatch.undo()
    p, c = np.zeros((4096, 4)), np.zeros((128, 4))

    def nearest(p, c):
        return np.sum(np.min(np.linalg.norm(p[:, None] - c, axis=2), axis=1))

    for f in (differences, product, nearest):
        taken, _ = myia.grad(f, argnums=1).ir(p, c)["finish"].split("} else {")
        assert "4096,128" not in taken


def test_small_masks_stay(monkeypatch):
    monkeypatch.undo()
    texts = myia.grad(product, argnums=1).ir(*arguments())
    assert "lone_extremum" not in texts["finish"]
