"""Comparisons of whole arrays, and within tolerances."""

from __future__ import annotations

import numpy as np

from myia.library.support.from_source import Array, from_source


@from_source(np.isclose)
def isclose(
    a: Array, b: Array, rtol: Array = 1e-5, atol: Array = 1e-8, equal_nan: bool = False
) -> Array:
    """|a - b| <= atol + rtol |b|, where b is finite; else a == b."""
    a, b = operand(a), operand(b)
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | np.equal(a, b)
    return near | np.isnan(a) & np.isnan(b) if equal_nan else near


def operand(x: Array) -> Array:
    """Python's numbers keep their kind; integers become floats."""
    if isinstance(x, (int, float, complex)):
        return x if isinstance(x, complex) else float(x)
    x = np.asarray(x)
    return x.astype(float) if x.dtype.kind in "biu" else x


@from_source(np.allclose)
def allclose(
    a: Array, b: Array, rtol: Array = 1e-5, atol: Array = 1e-8, equal_nan: bool = False
) -> Array:
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@from_source(np.array_equal)
def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> Array:
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(np.all(same | np.isnan(a1) & np.isnan(a2) if equal_nan else same))
