"""Equations of comparisons, bits, selection and conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from myia.ir.core import Op, Value
from myia.ir.primitive import Primitive
from myia.passes.canonicalize.equations.define import Matcher, equation, is_integer
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import (
    and_,
    convert,
    convert_p,
    eq,
    ge,
    gt,
    le,
    lt,
    ne,
    not_,
    or_,
    select,
    xor,
)

# ----- Bits (for booleans, all bits set means True)


def _all_bits_set(x: Value) -> int:
    return int(np.iinfo(x.dtype).max) if x.dtype.kind == "u" else -1 if x.dtype.kind == "i" else 1


@equation(and_, "x & x == x")
@equation(or_, "x | x == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return x if x is y else None


@equation(and_, "x & ones == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return match.other_than(_all_bits_set(x), x, y)


@equation(and_, "x & 0 == 0")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return None if match.other_than(0, x, y) is None else constant(0, x.dtype, x.shape)


@equation(or_, "x | ones == ones")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    ones = _all_bits_set(x)
    return None if match.other_than(ones, x, y) is None else constant(ones, x.dtype, x.shape)


@equation(or_, "x | 0 == x")
@equation(xor, "x ^ 0 == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return match.other_than(0, x, y)


@equation(xor, "x ^ x == 0")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return constant(0, x.dtype, x.shape) if x is y else None


@equation(xor, "x ^ ones == ~x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    other = match.other_than(_all_bits_set(x), x, y)
    return None if other is None else not_(other)


@equation(or_, "x | (x | y) == x | y; x | (x & y) == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return _absorbed(match, x, y, or_, and_)


@equation(and_, "x & (x & y) == x & y; x & (x | y) == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return _absorbed(match, x, y, and_, or_)


def _absorbed(match: Matcher, x: Value, y: Value, same: Primitive, dual: Primitive) -> Value | None:
    for one, other in ((x, y), (y, x)):
        op = match.walk.definition(other)
        if op is not None and op.primitive in (same, dual) and one in op.operands:
            return other if op.primitive is same else one
    return None


@equation(or_, "x | select(p, 0, x) == x")
@equation(and_, "x & select(p, x, ones) == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    neutral = _all_bits_set(x) if op.primitive is and_ else 0
    for one, other in ((x, y), (y, x)):
        selection = match.defined_by(select, other)
        if selection is None:
            continue
        _, *sides = selection.operands
        if one in sides and any(match.is_number(side, neutral) for side in sides):
            return one
    return None


# ----- Comparisons


@equation(not_, "not x == y is x != y, and back; also for NaN")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    for comparison, opposite in ((eq, ne), (ne, eq)):
        inner = match.defined_by(comparison, x)
        if inner is not None:
            return opposite(*inner.operands)
    return None


@equation(not_, "not x < y is x >= y, and so on (not for floats: NaN)")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    for comparison, opposite in ((lt, ge), (ge, lt), (gt, le), (le, gt)):
        inner = match.defined_by(comparison, x)
        if inner is not None and inner.operands[0].dtype.kind in "biu":
            return opposite(*inner.operands)
    return None


@equation(lt, "x < x is False, also for NaN")
@equation(gt, "x > x is False, also for NaN")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return constant(False, bool, x.shape) if x is y else None


@equation(eq, "select(p, 1, 2) == 1 is p, and so on (integers)")
@equation(ne, "select(p, 1, 2) != 1 is not p, and so on (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    for chosen, other in ((x, y), (y, x)):
        selection = match.defined_by(select, chosen)
        number = match.number(other)
        if selection is None or number is None or x.dtype.kind not in "biu":
            continue
        p, *sides = selection.operands
        numbers = [match.number(side) for side in sides]
        if None in numbers or p.shape != x.shape:
            continue
        one, two = [(each == number) == (op.primitive is eq) for each in numbers]
        if one == two:
            return constant(one, bool, x.shape)
        return p if one else not_(p)
    return None


@equation(eq, "x == x is True (integers)")
@equation(le, "x <= x is True (integers)")
@equation(ge, "x >= x is True (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return constant(True, bool, x.shape) if x is y and x.dtype.kind in "biu" else None


@equation(ne, "x != x is False (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return constant(False, bool, x.shape) if x is y and x.dtype.kind in "biu" else None


# ----- Selection


@equation(select, "select(p, x, x) == x")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    return x if x is y else None


@equation(select, "select(True, x, y) == x; select(False, x, y) == y")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    chosen = match.number(p)
    return None if chosen is None else (x if chosen else y)


@equation(select, "select(not p, x, y) == select(p, y, x)")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    negated = match.operand_of(not_, p)
    return None if negated is None else select(negated, y, x)


@equation(select, "select(a != b, x, y) == select(a == b, y, x); also for NaN")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    differs = match.defined_by(ne, p)
    if differs is None or match.is_number(y, 0.0):  # the mask of a cotangent (index_form)
        return None
    return select(eq(*differs.operands), y, x)


@equation(select, "select(p, True, False) == p; select(p, False, True) == not p")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    if x.dtype.kind != "b":
        return None
    if match.is_number(x, True) and match.is_number(y, False):
        return p
    return not_(p) if match.is_number(x, False) and match.is_number(y, True) else None


@equation(select, "select(p, q, False) == p & q; select(p, True, q) == p | q")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    if x.dtype.kind != "b" or p.shape != x.shape:
        return None
    if match.is_number(y, False):
        return and_(p, x)
    return or_(p, y) if match.is_number(x, True) else None


@equation(select, "select(p, p, q) == p | q; select(p, q, p) == p & q")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    return or_(p, y) if p is x else and_(p, x) if p is y else None


@equation(select, "select(x == c, c, x) == x (integers)")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    equal = match.defined_by(eq, p)
    if equal is None or y not in equal.operands or y.dtype.kind not in "biu":
        return None
    other = equal.operands[1 - equal.operands.index(y)]
    return y if other is x or match.same_number(other, x) else None


@equation(select, "select(p, select(p, x, y), z) == select(p, x, z)")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    inner = match.defined_by(select, x)
    return select(p, inner.operands[1], y) if inner is not None and inner.operands[0] is p else None


@equation(select, "select(p, x, select(p, y, z)) == select(p, x, z)")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    inner = match.defined_by(select, y)
    return select(p, x, inner.operands[2]) if inner is not None and inner.operands[0] is p else None


@equation(select, "select(p, select(p & q, x, z), z) == select(p & q, x, z)")
def _(match: Matcher, op: Op, p: Value, x: Value, z: Value) -> Value | None:
    inner = match.defined_by(select, x)
    if inner is None or inner.operands[2] is not z:
        return None
    both = match.defined_by(and_, inner.operands[0])
    return x if both is not None and p in both.operands else None


def _addend(match: Matcher, sum_: Value, x: Value) -> tuple[Value, Mapping[str, Any]] | None:
    """The value that `sum_` adds to `x`, and the params of the addition, if `sum_` is `x + ...`.

    Not where `x` is zero: XLA takes 0.0 + -0.0 for -0.0.
    """
    op = match.defined_by(add, sum_)
    if op is None or x not in op.operands or match.is_number(x, 0.0):
        return None
    return op.operands[1 - op.operands.index(x)], op.params


@equation(select, "select(p, x + t, x) == x + select(p, t, -0.0): the form of a reduction")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    if x.dtype.kind != "f":
        return None
    if (found := _addend(match, x, y)) is not None:
        return add(y, select(p, found[0], -0.0), **found[1])
    if (found := _addend(match, y, x)) is not None:
        return add(x, select(p, -0.0, found[0]), **found[1])
    return None


@equation(select, "select(p, x + t, x + u) == x + select(p, t, u)")
def _(match: Matcher, op: Op, p: Value, x: Value, y: Value) -> Value | None:
    one = match.defined_by(add, x)
    if one is None or x.dtype.kind != "f":
        return None
    for a, t in (one.operands, one.operands[::-1]):
        found = _addend(match, y, a)
        if found is not None and found[1] == one.params:
            return add(a, select(p, t, found[0]), **one.params)
    return None


# ----- Conversion


def _bits(dtype: np.dtype) -> int:
    """The number of binary digits of the integers that `dtype` represents exactly."""
    if dtype.kind == "f":
        return np.finfo(dtype).nmant + 1
    return 8 * dtype.itemsize - (dtype.kind == "i")


def _lossless(source: np.dtype, target: np.dtype) -> bool:
    """Whether `target` represents every number of `source` exactly."""
    if source.kind not in "biuf" or target.kind not in "biuf":
        return False
    if source.kind == "b" or target.kind == "b":
        return source.kind == "b"
    if source.kind == "f":
        return target.kind == "f" and source.itemsize <= target.itemsize
    if source.kind == "i" and target.kind == "u":
        return False
    return _bits(source) <= _bits(target)


@equation(convert_p, "x as a wider dtype, as another == x as the other")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    source, target = match.operand_of(convert_p, x), op.params["dtype"]
    if source is None or not _lossless(source.dtype, x.dtype):
        return None
    if is_integer(source) and x.dtype.kind == "f" and target.kind in "iu":
        # Out of range, floats and integers give other numbers.
        return convert(source, dtype=target) if _lossless(source.dtype, target) else None
    return convert(source, dtype=target)
