"""Dtypes too narrow for what is asked: half precision in LAPACK, small indices, wrapping."""

from __future__ import annotations

import numpy as np
import pytest

from tests.library.numpy_types.strict import assert_as_numpy

HALF = np.eye(2, dtype=np.float16)
NAMES = "inv det eigvals eigvalsh eig eigh svd svdvals cholesky qr slogdet pinv cond norm"


@pytest.mark.parametrize("name", NAMES.split())
def test_half_precision_in_lapack(name):
    assert_as_numpy(getattr(np.linalg, name), HALF)


CALLS = {
    "solve": (np.linalg.solve, HALF, HALF),
    "solve with doubles": (np.linalg.solve, HALF, np.eye(2)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b), HALF, HALF[0]),
    "norm by singular values": (lambda a: np.linalg.norm(a, 2), HALF),
    "norm of rows": (lambda a: np.linalg.norm(a, axis=1), HALF),
    "an inverse power": (lambda a: np.linalg.matrix_power(a, -1), HALF),
    "a power": (lambda a: np.linalg.matrix_power(a, 2), HALF),
    "rfft": (np.fft.rfft, np.arange(4, dtype=np.float16)),
}


@pytest.mark.parametrize("name", CALLS)
def test_half_precision(name):
    f, *args = CALLS[name]
    assert_as_numpy(f, *args)


def put(mode):
    def f(x, at):
        np.put(x, at, [1, 2, 3], mode=mode)
        return x

    return f


INDICES = (np.array([-1, -100, 100], np.int8), np.array([1, 2, 200], np.uint8))
INDEXED = {
    "take, wrap": lambda x, at: np.take(x, at, mode="wrap"),
    "take, clip": lambda x, at: np.take(x, at, mode="clip"),
    "take": lambda x, at: np.take(x, at),
    "ravel, wrap": lambda x, at: np.ravel_multi_index((at, at), (300, 500), mode="wrap"),
    "ravel, clip": lambda x, at: np.ravel_multi_index((at, at), (300, 500), mode="clip"),
    "unravel": lambda x, at: np.unravel_index(np.abs(at), (20, 300)),
    **{f"put, {mode}": put(mode) for mode in ("wrap", "clip", "raise")},
}


@pytest.mark.parametrize("at", INDICES, ids=["int8", "uint8"])
@pytest.mark.parametrize("name", INDEXED)
def test_small_indices_into_long_axes(name, at):
    assert_as_numpy(INDEXED[name], np.arange(300.0), at)


def test_floats_are_no_indices():
    assert_as_numpy(lambda x, i: np.ravel_multi_index((i, i), (3, 3), mode="wrap"), HALF, HALF)
    assert_as_numpy(lambda x, i: np.take(x, i, mode="wrap"), HALF, HALF)


U = np.array([0, 1, 200], np.uint8)
S = np.array([-3, 0, 5], np.int8)
WRAPPED = {
    "where": (lambda x: np.where(x > 0, x, -1), U),
    "where, large": (lambda x: np.where(x > 0, 1000, x), S),
    "where, of run time": (lambda x, n: np.where(x > 0, x, n - 302), S, 1),
    "where, of 64 bits": (lambda x: np.where(x > 0, x, 2**63), U),
    "where of a number": (lambda x: np.where(x > 0, x, -1), np.uint8(1)),
    "where, floats": (lambda x: np.where(x > 0, x, 300), S.astype(np.float32)),
    "choose": (lambda x: np.choose(x % 2, [x, 300]), U),
    "isin": (lambda x: (np.isin(x, -1), np.isin(x, 300), np.isin(x, 200)), U),
    "isin of a list": (lambda x: np.isin(x, [-1, 200]), U),
    "isin of a double": (lambda x: np.isin(x, 0.1), np.array([0.1, 0.5], np.float32)),
    "isin of one": (lambda x: np.isin(300, x), S),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_integers_that_do_not_fit(name):
    f, *args = WRAPPED[name]
    assert_as_numpy(f, *args)


def at(ufunc, *places_and_values):
    def f(x):
        ufunc.at(x, *places_and_values)
        return x

    return f


TWICE = [0, 0, 1]
AT = {
    "add": (at(np.add, TWICE, [1.5, 1.7, 0.5]), np.array([1, 2])),
    "add one": (at(np.add, TWICE, 1.5), np.array([1, 2])),
    "add to a slice": (at(np.add, slice(0, 2), 1.5), np.array([1, 2])),
    "add at a tuple": (at(np.add, ([0, 0], [1, 1]), [0.5, 1.5]), np.array([[1, 2]])),
    "add to bools": (at(np.add, [0, 1], [True, False]), np.array([False, False])),
    "add ints to bools": (at(np.add, [0, 1], [2, 0]), np.array([False, False])),
    "add a large one": (at(np.add, [0, 0], 300), np.array([1, 2], np.int8)),
    "subtract": (at(np.subtract, TWICE, 0.5), np.array([1, 2])),
    "multiply": (at(np.multiply, TWICE, 1.5), np.array([3, 20])),
    "divide": (at(np.divide, TWICE, 2), np.array([7, 20])),
    "sqrt": (at(np.sqrt, TWICE), np.array([300, 20])),
}


@pytest.mark.parametrize("name", AT)
def test_at_casts_each_result(name):
    f, *args = AT[name]
    assert_as_numpy(f, *args)
