"""Comparisons of numbers that have no common dtype: they are exact, as in Python and NumPy.

n == x     a Python int and a float: `float(n)` rounds beyond 2**53
k < u      int64 and uint64: float64 would round both
b < 300    an array of bytes and a Python int that no byte holds
"""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, is_number, is_weak, kind_of, number_value, promote
from myia.infer.domain.values import Abstract, Static
from myia.infer.numeric.promotion import PRIMITIVES, operand, operand_dtype
from myia.infer.numeric.samples import MIRRORED
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import convert

I64, U64, F64 = (np.dtype(t) for t in (np.int64, np.uint64, np.float64))
EXACT = 2**53  # floats hold the integers up to it


def compared(ctx: Context, op: str, a: Abstract, b: Abstract, shape: tuple[int, ...]) -> Value:
    """The truth values of a comparison of numbers or arrays, broadcast to `shape`."""
    (a_dtype, a_weak), (b_dtype, b_weak) = operand_dtype(ctx, a), operand_dtype(ctx, b)
    if a_weak and b_weak:
        for n, x, of_n in ((a, b, op), (b, a, MIRRORED[op])):
            if kind_of(n) == "i" and kind_of(x) == "f" and not held_by_floats(n):
                return _int_with_float(ctx, of_n, n, x)
    if a_dtype.kind in "iu" and b_dtype.kind in "iu":
        return _integers(ctx, op, a, b, shape)
    aval = Aval(promote((a_dtype, a_weak), (b_dtype, b_weak))[0], shape)
    return PRIMITIVES[op](operand(ctx, a, aval), operand(ctx, b, aval))


def decided(op: str, a: Abstract, b: Abstract) -> bool | None:
    """The order of two integers of Python whose ranges do not overlap; None: it is not known.

    `min(i + 16, n)` is `i + 16` wherever that cannot be more than `n`.
    """
    if not all(is_number(x) and is_weak(x) and kind_of(x) == "i" for x in (a, b)):
        return None
    if op in (">", ">="):
        a, b, op = b, a, MIRRORED[op]
    if op not in ("<", "<="):
        return None
    (a_lo, a_hi), (b_lo, b_hi) = bounds(a), bounds(b)
    strict = op == "<"
    if a_hi is not None and b_lo is not None and (a_hi < b_lo or (a_hi == b_lo and not strict)):
        return True
    if a_lo is not None and b_hi is not None and (a_lo > b_hi or (a_lo == b_hi and strict)):
        return False
    return None


def held_by_floats(x: Abstract) -> bool:
    """Is every value of this integer a float, exactly?"""
    if isinstance(x, Static):
        return int(x.value) == _nearest_float(int(x.value))
    lo, hi = (0, 1) if kind_of(x) == "b" else bounds(x)
    return lo is not None and hi is not None and lo >= -EXACT and hi <= EXACT


def _nearest_float(n: int) -> float:
    try:
        return float(n)
    except OverflowError:
        return np.inf if n > 0 else -np.inf


def _int_with_float(ctx: Context, op: str, n: Abstract, x: Abstract) -> Value:
    """As `float(n)`; where that is `x`, what it was rounded by decides."""
    y = operand(ctx, x, Aval(F64, ()))
    if isinstance(n, Static):
        nearest = _nearest_float(int(n.value))
        rounded_down = int(n.value) > nearest
        if op in ("==", "!="):
            return constant(op == "!=", bool)
        strict, weak = op[0], f"{op[0]}="
        # n is between two floats: n < y just where float(n) < y, if that is above n.
        found = strict if rounded_down == (strict == "<") else weak
        return PRIMITIVES[found](constant(nearest, F64), y)
    value = number_value(n, I64)
    rounded = convert(value, dtype=F64)
    # Exact: the difference is small, and wraps around where the float is 2**63.
    rest = arithmetic.sub(value, convert(rounded, dtype=I64))
    alike = logic.and_(logic.eq(rounded, y), PRIMITIVES[op](rest, 0))
    if op == "==":
        return alike
    if op == "!=":
        return logic.or_(logic.ne(rounded, y), logic.ne(rest, 0))
    return logic.or_(PRIMITIVES[op[0]](rounded, y), alike)


def _integers(ctx: Context, op: str, a: Abstract, b: Abstract, shape: tuple[int, ...]) -> Value:
    for x, y, of_x in ((a, b, op), (b, a, MIRRORED[op])):
        if (side := _side_of(ctx, x, y)) is not None:
            holds = {"==": False, "!=": True}.get(op, (side < 0) == (of_x[0] == "<"))
            return constant(holds, bool, shape)
    dtypes = _held_dtype(ctx, a, b), _held_dtype(ctx, b, a)
    common = np.result_type(*dtypes)
    if common.kind != "f":
        aval = Aval(common, shape)
        return PRIMITIVES[op](operand(ctx, a, aval), operand(ctx, b, aval))
    if dtypes[0] == U64:
        a, b, op = b, a, MIRRORED[op]
    signed, unsigned = operand(ctx, a, Aval(I64, shape)), operand(ctx, b, Aval(U64, shape))
    is_negative = logic.lt(signed, 0)
    found = PRIMITIVES[op](convert(signed, dtype=U64), unsigned)
    return logic.select(is_negative, op in ("!=", "<", "<="), found)


def _side_of(ctx: Context, x: Abstract, y: Abstract) -> int | None:
    """-1, 1 where the compile-time integer `x` is less, greater than all of the dtype of `y`."""
    if not (isinstance(x, Static) and is_weak(x)) or isinstance(y, Static):
        return None
    info = np.iinfo(operand_dtype(ctx, y)[0])
    return -1 if x.value < info.min else 1 if x.value > info.max else None


def _held_dtype(ctx: Context, x: Abstract, other: Abstract) -> np.dtype:
    """The dtype to compare `x` in: that of `other` for a Python integer that it holds."""
    dtype, weak = operand_dtype(ctx, x)
    other_dtype = operand_dtype(ctx, other)[0]
    if not weak or (is_number(other) and is_weak(other)):
        return dtype
    info, (lo, hi) = np.iinfo(other_dtype), bounds(x)
    holds = lo is not None and hi is not None and info.min <= lo and hi <= info.max
    return other_dtype if holds else dtype
