"""Functions of selections, and results whose sizes the numbers decide."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_types.strict import assert_as_numpy

X = np.array([1.0, 2, 2.5, 3, 0, 2])
A = np.arange(6.0).reshape(2, 3)
T = np.arange(24.0).reshape(2, 3, 4)
N = np.array([1, 4, 1])

OF_PART = {
    "isin": lambda v, x: np.isin(v, [1.0, 2.0]),
    "isin, inverted": lambda v, x: np.isin(v, x[:2], invert=True),
    "isin of part": lambda v, x: np.isin(x, v),
    "isin of parts": lambda v, x: np.isin(v, v * 2),
    "roll": lambda v, x: (np.roll(v, 1), np.roll(v, -2), np.roll(v, 50)),
    "tile": lambda v, x: (np.tile(v, 2), np.tile(v, (2, 1)), np.tile(v, 0)),
    "repeat": lambda v, x: (np.repeat(v, 2), v.repeat(1)),
    "array": lambda v, x: (np.array([v, v]), np.array([v, 2 * v], dtype=np.float32)),
    "reshape": lambda v, x: (v.reshape(-1, 1), np.reshape(v, (1, -1)), v.reshape((1, -1, 1))),
    "histogram": lambda v, x: np.histogram(v, 3, (0, 3)),
    "histogram of edges": lambda v, x: np.histogram(v, [0, 1, 2.5], weights=v),
    "searchsorted": lambda v, x: (
        np.searchsorted(np.sort(x), v),
        np.searchsorted(np.sort(v), v, "right"),
    ),
    "unique": lambda v, x: np.unique(v, return_counts=True),
    "unique of all": lambda v, x: np.unique(v, True, True, True),
    "set differences": lambda v, x: (np.setdiff1d(x, v), np.setxor1d(v, x), np.intersect1d(v, x)),
    "bincount": lambda v, x: np.bincount(v.astype(int)),
    "bincount, weighted": lambda v, x: np.bincount(np.append(v, 1).astype(int), np.append(v, x[0])),
    "view": lambda v, x: v.view(),
}


@pytest.mark.parametrize("t", [0.5, 2.2, 9.0], ids=["most", "two", "none"])
@pytest.mark.parametrize("name", OF_PART)
def test_of_part(name, t):
    assert_as_numpy(lambda x, t: OF_PART[name](x[x > t], x), X, t)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("t", [0.5, 2.7, 9.0], ids=["most", "one", "none"])
def test_convolve(mode, t):
    assert_as_numpy(lambda x, t: np.convolve(x[x > t], x[:3], mode), X, t)
    assert_as_numpy(lambda x, t: np.convolve(x[:2], x[x > t], mode), X, t)
    assert_as_numpy(lambda x, t: np.convolve(x[x > t], x[x > 1], mode), X, t)


CALLS = {
    "argwhere": (lambda x: np.argwhere(x > 2), A),
    "argwhere of one axis": (lambda x: np.argwhere(x > 2), X),
    "argwhere of three": (lambda x, t: np.argwhere(x > t), T, 5.0),
    "argwhere of a number": (np.argwhere, np.float64(3)),
    "argwhere of zero": (np.argwhere, np.float64(0)),
    "bincount": (np.bincount, N),
    "bincount of nothing": (np.bincount, N[:0]),
    "bincount of bools": (np.bincount, N > 1),
    "bincount of bytes": (lambda x: np.bincount(x).argmax(), N.astype(np.uint8)),
    "bincount, weighted": (np.bincount, N, X[:3]),
    "bincount, at least": (lambda x: np.bincount(x, minlength=7), N),
    "bincount, negative": (np.bincount, -N),
    "bincount of floats": (np.bincount, X),
    "bincount, weights missing": (lambda x: np.bincount(x, x[:2]), N),
    "repeat": (np.repeat, X[:3], np.array([0, 2, 1])),
    "repeat rows": (lambda x, n: np.repeat(x, n, axis=0), A, np.array([2, 1])),
    "repeat all": (np.repeat, A, np.array([2])),
    "repeat by one number": (lambda x, n: np.repeat(x, n[0]), A, N),
    "repeat by a mask": (np.repeat, X[:3], N > 1),
    "repeat by too few": (np.repeat, X[:3], N[:2]),
    "repeat by a negative": (np.repeat, X[:3], -N),
    "repeat by floats": (np.repeat, X[:3], X[:3]),
    "unique": (lambda x: np.unique(x, return_counts=True, return_inverse=True), A % 2),
    "view": (lambda x: x.view()[1], A),
    "running maximum": (lambda x: np.maximum.accumulate(x, axis=1), A % 2 > 0),
    "running minimum": (np.minimum.accumulate, X > 0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    f, *args = CALLS[name]
    assert_as_numpy(f, *args)


ROUNDED = np.array([14, 15, 25, -15, -25, 127, 5])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("digits", [-1, -2, -3])
def test_integers_are_rounded_to_tens(dtype, digits):
    x = np.abs(ROUNDED).astype(dtype) if dtype[0] == "u" else ROUNDED.astype(dtype)
    assert_as_numpy(lambda x: (np.round(x, digits), x.round(digits), np.round(x[1], digits)), x)


def test_bools_are_rounded_to_whole_numbers_alone():
    assert_as_numpy(lambda x: np.round(x, -1), X > 1)
    assert_as_numpy(lambda x: np.round(x), X > 1)


NAMES = """add bitwise_and bitwise_or bitwise_xor gcd lcm hypot logaddexp logaddexp2 logical_xor
    subtract divide fmax"""


@pytest.mark.parametrize("name", NAMES.split())
@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_reductions_of_nothing(name, dtype):
    reduce = getattr(np, name).reduce
    assert_as_numpy(lambda x: reduce(x), np.zeros(0, dtype))
    assert_as_numpy(lambda x: reduce(x), np.zeros((0, 3), dtype))


def test_a_view_is_written_through():
    def f(x):
        y = x.view()
        y[0] = 7.0
        return x

    assert_as_numpy(f, X)
    with pytest.raises(MyiaError, match="another dtype"):
        myia.jit(lambda x: x.view(np.int64))(X)


def test_sums_at_places_of_run_time_size():
    def f(x, t):
        counts, part = np.zeros(4), x[x > t]
        np.add.at(counts, part.astype(int), part)
        np.subtract.at(counts, part.astype(int) - 4, 1)
        return counts

    for t in (0.5, 2.2, 9.0):
        assert_as_numpy(f, X, t)
    with pytest.raises(IndexError):
        myia.jit(f)(X * 2, 0.5)


DERIVATIVES = {
    "convolve": lambda x: np.sum(np.convolve(x[x > 1] ** 2, x[:2], "same") ** 2),
    "roll": lambda x: np.sum(np.roll(x[x > 1] ** 2, 1) * x[x > 1]),
    "tile": lambda x: np.sum(np.tile(x[x > 1], 2) ** 3),
    "repeat": lambda x: np.sum(np.repeat(x, np.argsort(x)) ** 2),
    "bincount": lambda x: np.sum(np.bincount(x.astype(int), x**2) ** 2),
    "histogram": lambda x: np.sum(np.histogram(x[x > 1], [0, 2, 5], weights=x[x > 1])[0] ** 2),
    "hypot": lambda x: np.hypot.reduce(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    check_derivatives(DERIVATIVES[name], np.array([1.5, 0.25, 2.75, 3.5]))
