"""Attributes of arrays that are assigned (`shape`, `flat`), and `np.ndarray(shape)`."""

from __future__ import annotations

import numpy as np
import pytest

import myia

A = np.arange(12.0).reshape(3, 4) - 5.0


def views_follow(a):
    b = a * 2.0
    c, v, w = b, b[0], b[1:].T
    b.shape = (2, -1)
    c[0] = 1.0
    v[1] = a[0, 0]
    w[1, 1] = 4.0
    b[1, 5] *= a[1, 1]
    return np.sum(c**2) * b.shape[1] + np.sum(w) + v[0]


def of_a_view(a):
    b = a.copy()
    v = b[1:]
    v.shape = 8
    v[::3] *= a[0, 0]
    v.shape = (2, 2, 2)
    v[0, 1] = 3.0
    return np.sum(b**2) + np.sum(v**3)


def in_a_loop(a):
    s = 0.0
    for i in range(3):
        b = a * i
        row = b[1]
        b.shape = (2, 6)
        row[0] += 5.0
        b[0] *= a[2, i]
        s += b[0, 5] * row[0]
    return s


def flat(a):
    b = a * a
    b.flat = [1.0, a[0, 1], 2.0]
    b.flat[2:5] = a[0, :3]
    b.flat[3] *= a[2, 2]
    c = np.zeros(3)
    c.flat = b
    return np.sum(b**2) + np.sum(c**3) + sum(v for v in b.flat)


def made(a):
    b, c = np.ndarray(3), np.ndarray((2, 2), dtype=np.float32)
    b[:] = a[:, 0]
    c[...] = 2.0
    n = np.ndarray(shape=4, dtype=int)
    n[:] = np.arange(4)
    return np.sum(b**2) * np.sum(c) + n[3]


@pytest.mark.parametrize("f", [views_follow, of_a_view, in_a_loop, flat, made])
def test_values_and_derivatives(f):
    assert myia.jit(f)(A.copy()) == pytest.approx(f(A.copy()), rel=1e-12)
    myia.check_grads(f, (A.copy(),))


def outcome(f):
    try:
        return f(A.copy())
    except Exception as error:
        return next(t for t in (AttributeError, ValueError) if isinstance(error, t)), str(error)


def transposed(a):
    b = (a * 2.0).T
    b.shape = (12,)
    return b


def of_another_size(a):
    b = a * 2.0
    b.shape = (5, 2)
    return b


@pytest.mark.parametrize("f", [transposed, of_another_size])
def test_what_numpy_raises(f):
    (kind, text), (same, found) = outcome(f), outcome(myia.jit(f))
    assert same is kind
    assert found.splitlines()[0] == text.splitlines()[0]


def of_an_argument(a):
    a.shape = (4, 3)
    return a


def of_the_dtype(a):
    b = a * 2.0
    b.dtype = np.int64
    return b


def on_one_path(a):
    b = a * 2.0
    if a[0, 0] > 0.0:
        b.shape = (12,)
    return np.sum(b)


REFUSED = {
    of_an_argument: "`x.shape = ...` of an argument, or of an array that may have another name,",
    of_the_dtype: "cannot write into an attribute of an array f64[3,4]",
    on_one_path: "the branches give an array f64[12] and an array f64[3,4]",
    lambda a: np.ndarray(2, buffer=a): "`np.ndarray` of a buffer is not supported",
}


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f):
    with pytest.raises(myia.MyiaError) as caught:
        myia.jit(f)(A.copy())
    assert str(caught.value).startswith(REFUSED[f])
