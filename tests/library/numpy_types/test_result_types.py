"""What results are made of: dtypes where operands differ in theirs, arrays or numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_types.strict import assert_as_numpy

X = np.array([1.0, 2, 4, 7])
F = X.astype(np.float32)
H = X.astype(np.float16)
I = np.array([1, 2, 3], np.int32)
PERIODIC = np.array([0, 3, 7, 1])
ROWS = np.array([[1, 2], [4, 7], [1, 1.0]])
C = np.array([1, 2, 3j], np.complex64)

CALLS = {
    "unravel_index": (lambda i: np.unravel_index(i, (2, 3)), I),
    "unravel_index of one": (lambda i: np.unravel_index(i, (2, 3)), np.uint8(3)),
    "unravel_index of a float": (lambda i: np.unravel_index(i, (2, 3)), F),
    "gradient": (np.gradient, F, X),
    "gradient by a number": (np.gradient, F, np.float64(2)),
    "gradient by a Python number": (lambda x: np.gradient(x, 2.0), F),
    "gradient of halves": (np.gradient, H, F),
    "gradient of ints": (np.gradient, I, I.astype(np.float32)),
    "gradient of small ints": (np.gradient, I.astype(np.int8), np.array([0, 1, 3], np.float32)),
    "gradient of rows": (lambda x, y: np.gradient(x, y[:3], 0.5), ROWS.astype(np.float32), X),
    "histogram": (lambda x: np.histogram(x, 3, weights=x, density=True), F),
    "histogram of a mask": (lambda x: np.histogram(x, 3, weights=x > 2), F),
    "histogram of a mask, dense": (lambda x: np.histogram(x, 3, None, True, x > 2), F),
    "histogram of a mask, edges": (lambda x: np.histogram(x, [0, 3, 9], weights=x > 2), F),
    "histogram2d": (lambda x, y: np.histogram2d(x, y), F, X),
    "histogram2d in a range": (lambda x: np.histogram2d(x, x, 2, ((0, 7), (0, 7))), F),
    "histogramdd": (lambda x: np.histogramdd(x, 2), ROWS.astype(np.float32)),
    "histogramdd of ints": (lambda x: np.histogramdd(x, 2), ROWS.astype(int)),
    "histogramdd of a range": (lambda x: np.histogramdd((x, x), 2, (None, (0, 7))), F),
    "histogramdd of nothing": (lambda x: np.histogramdd((x[:0], x[:0]), 2), F),
    "unwrap": (lambda x: np.unwrap(x, period=4), PERIODIC.astype(np.int32)),
    "unwrap of small ints": (lambda x: np.unwrap(x, period=5), PERIODIC.astype(np.int8)),
    "unwrap of ints by floats": (lambda x: np.unwrap(x, period=5.5), PERIODIC.astype(np.int32)),
    "unwrap of floats": (np.unwrap, F),
    "roots": (np.roots, np.array([1, 2, 3], np.float32)),
    "roots of complex": (np.roots, C),
    "roots of ints": (np.roots, I),
    "poly of nothing": (np.poly, X[:0]),
    "union1d": (lambda x: np.union1d(x, 1.5), F),
    "union1d of a list": (lambda x: np.union1d(x, [1.5]), F),
    "union1d of ints": (lambda x: np.union1d(x, 2), I.astype(np.int8)),
    "qr raw": (lambda x: np.linalg.qr(x, "raw"), ROWS),
    "qr r": (lambda x: np.linalg.qr(x, mode="r"), ROWS),
    "qr": (lambda x: type(np.linalg.qr(x)).__name__ == "QRResult", ROWS),
    "cross of a plane": (np.cross, X[:2], X[2:]),
    "cross of planes": (np.cross, ROWS, X[2:]),
    "einsum optimized": (lambda x: np.einsum("i,i", x, x, optimize=True), X),
    "einsum greedy": (lambda x: np.einsum("i,i->", x, x, optimize="greedy"), X),
    "einsum of one": (lambda x: np.einsum("i->", x, optimize=True), X),
    "einsum of a number": (lambda x: np.einsum("i,->", x, 2.0, optimize=True), X),
    "einsum not optimized": (lambda x: np.einsum("i,i", x, x, optimize=False), X),
    "result_type": (lambda x, n: np.zeros(1, np.result_type(x, n * 1.5)), F, 2.0),
    "result_type of ints": (lambda x, n: np.zeros(1, np.result_type(x, n + 1)), I, 2),
    "result_type of part": (lambda x: np.zeros(1, np.result_type(x[x > 2])), F),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    f, *args = CALLS[name]
    assert_as_numpy(f, *args)


DERIVATIVES = {
    "gradient": lambda x: np.gradient(x**2, x),
    "cross": lambda x: np.cross(x[:2] ** 2, x[2:]),
    "roots": lambda x: np.abs(np.roots(x)),
    "unwrap": lambda x: np.unwrap(x**2, period=5.0),
    "einsum": lambda x: np.einsum("i,i", x, x**2, optimize=True),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    check_derivatives(DERIVATIVES[name], X)
