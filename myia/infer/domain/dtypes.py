"""Numbers: dtypes by NEP 50, Python's weak numbers, explicit conversion and broadcasting.

Below this stage nothing is implicit: every operand of a typed op has the dtype and the shape that
the op works at.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from myia.infer.domain.errors import WideInteger
from myia.infer.domain.values import Abstract, Number, Scalar, Static, is_static_number
from myia.ir.avals import Aval
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import MyiaError

PYTHON_DTYPES = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

PYTHON_TYPES = {dtype.kind: cls for cls, dtype in PYTHON_DTYPES.items()}


def is_number(x: Abstract) -> TypeGuard[Number]:
    """A number, compile-time or run-time."""
    return isinstance(x, Scalar) or is_static_number(x)


def is_weak(x: Abstract) -> bool:
    """A Python number (as against a NumPy scalar)."""
    if isinstance(x, Scalar):
        return x.weak
    assert isinstance(x, Static)
    return not isinstance(x.value, np.generic)


def number_dtype(x: Abstract) -> np.dtype:
    """The dtype of a number: that of its run-time representation."""
    if isinstance(x, Scalar):
        return x.dtype
    assert isinstance(x, Static)
    if isinstance(x.value, np.generic):
        return x.value.dtype
    return next(PYTHON_DTYPES[t] for t in type(x.value).__mro__ if t in PYTHON_DTYPES)


def kind_of(x: Abstract) -> str:
    """`b`, `i`, `u`, `f` or `c`."""
    return number_dtype(x).kind


def same_bool(a: Number, b: Number) -> Static | None:
    """One known bool, of Python's class and of NumPy's: NumPy's."""
    known = [x.value for x in (a, b) if isinstance(x, Static)]
    if len(known) < 2 or not all(isinstance(x, (bool, np.bool_)) for x in known):
        return None
    return Static(np.bool_(known[0])) if known[0] == known[1] else None


def promote(*operands: tuple[np.dtype, bool]) -> tuple[np.dtype, bool]:
    """The dtype that `(dtype, weak)` operands meet at, and whether the result is weak (NEP 50)."""
    strong = [dtype for dtype, weak in operands if not weak]
    if not strong:
        kinds = [dtype.kind for dtype, _ in operands]
        top = max(kinds, key="bifc".index)
        return PYTHON_DTYPES[PYTHON_TYPES[top]], True
    weak = [PYTHON_TYPES[dtype.kind]() for dtype, is_weak in operands if is_weak]
    # A weak bool is a bool array to NumPy; the other weak numbers only lend their kind.
    return np.result_type(*strong, *weak), False


def bounds(x: Abstract) -> tuple[int | None, int | None]:
    """The known range of an integer."""
    if isinstance(x, Scalar):
        return x.lo, x.hi
    assert isinstance(x, Static)
    return int(x.value), int(x.value)


def number_value(x: Abstract, dtype: np.dtype) -> Value:
    """The number as a typed scalar of `dtype`."""
    if isinstance(x, Static):
        if dtype == PYTHON_DTYPES[int]:
            require_int64(x)
        return constant(_cast(x.value, dtype), dtype)
    assert isinstance(x, Scalar)
    return convert(x.value, dtype)


def require_int64(*xs: Abstract) -> None:
    """An error if a Python int has more than 64 bits."""
    for x in xs:
        n = x.value if isinstance(x, Static) else 0
        if type(n) is int and not INT64_MIN <= n <= INT64_MAX:
            raise MyiaError(WideInteger(span=current_span(), value=n))


def _cast(x: complex | np.generic, dtype: np.dtype) -> Any:
    """The number by NumPy's `astype`."""
    if type(x) is int and dtype.kind in "iu":
        return x
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(dtype)[()]


def convert(x: Value, dtype: np.dtype) -> Value:
    """`x` as `dtype`, by NumPy's `astype`."""
    return x if x.dtype == dtype else logic.convert(x, dtype=np.dtype(dtype))


def broadcast_to(x: Value, shape: tuple[int, ...]) -> Value:
    """`x` repeated along the missing axes and those of size 1, by NumPy's rule."""
    if x.shape == shape:
        return x
    offset = len(shape) - len(x.shape)
    kept = tuple(i for i, n in enumerate(x.shape) if n == shape[offset + i])
    squeezed = (
        shaping.reshape(x, shape=tuple(x.shape[i] for i in kept)) if len(kept) < len(x.shape) else x
    )
    return shaping.broadcast(squeezed, shape=tuple(shape), dims=tuple(offset + i for i in kept))


def filled(x: Abstract, aval: Aval) -> Value:
    """The number repeated to fill `aval`."""
    if isinstance(x, Static):
        return constant(_cast(x.value, aval.dtype), aval.dtype, aval.shape)
    assert isinstance(x, Scalar)
    return broadcast_to(convert(x.value, aval.dtype), aval.shape)


def interval_hull(a: Abstract, b: Abstract) -> tuple[int | None, int | None]:
    """A range that holds both integers."""
    (alo, ahi), (blo, bhi) = bounds(a), bounds(b)
    lo = None if alo is None or blo is None else min(alo, blo)
    hi = None if ahi is None or bhi is None else max(ahi, bhi)
    return lo, hi
