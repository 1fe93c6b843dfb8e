"""Constant folding: operations on constants are evaluated at compile time.

    %1 = 2.0: f64[3]                ->      %3 = 6.0: f64[3]
    %2 = 3.0: f64[3]
    %3 = mul %1, %2

A constant is one number that fills an array. So arithmetic on constants of any size is arithmetic
on numbers, and a rearranged constant is a constant. An `if` on a constant becomes the branch that
is taken, a loop of no iterations its initial carried values, a loop of one iteration its body.

Folding must not change a result by one bit, whatever computes it at run time. So only operations
that IEEE 754 defines exactly are folded (never `exp`, `pow`, sums of floats), only in the formats
that hardware computes in, and never subnormal numbers, which hardware may flush to zero. On
integers, nothing is folded that the languages below us leave undefined (division by zero, shifts
out of range).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from myia.ir.avals import I64, Aval
from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value, has_effect
from myia.ir.params import param_key
from myia.ir.rewrite import inline
from myia.primitives.arrays import dynamic_slices, gather, reductions, shaping
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.rewriting.walk import Walk, rewrite


def constant_folding(function: Function) -> Function:
    """`function` with constant expressions, branches and trip counts evaluated."""
    return rewrite(function, _fold)


def _fold(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is if_p:
        return _fold_if(op, walk)
    if op.primitive in (loop_p, rev_p):
        return _fold_loop(op, walk)
    number = _result(op, [walk.constant_value(x) for x in op.operands])
    if number is None:
        return None
    (y,) = op.results
    return [constant(number, y.dtype, y.shape)]


def _result(op: Op, numbers: list[Any]) -> Any:
    """The number that fills the result of `op`; `numbers`: those that fill its operands. None:
    unknown."""
    if op.primitive in REARRANGES_FIRST_OPERAND:
        return numbers[0]
    if op.primitive in MERGES_OPERANDS:
        several = {param_key(n) for n in numbers[: MERGES_OPERANDS[op.primitive]]}
        return numbers[0] if len(several) == 1 else None
    if op.primitive in SELECTS_ELEMENTS:
        return numbers[0] if _selects_some(op) else None
    if op.primitive is shaping.reduce_sum:
        return _sum(op, numbers[0])
    if op.primitive is shaping.iota:
        return 0 if op.params["shape"][op.params["axis"]] == 1 else None
    if op.primitive in FOLDABLE_POINTWISE and None not in numbers:
        return _evaluate(op, numbers)
    return None


# ----- Rearrangements: the elements of the result are elements of the operands

# The elements come from the first operand; the others are indices.
REARRANGES_FIRST_OPERAND = {
    shaping.reshape,
    shaping.transpose,
    shaping.broadcast,
    shaping.flip,
    shaping.slice,
    dynamic_slices.dynamic_slice,
    logic.stop_gradient,
}

# The elements come from the first n operands (None: from all): folded if these are equal.
MERGES_OPERANDS = {
    shaping.concatenate: None,
    shaping.pad: 2,
    dynamic_slices.dynamic_update_slice: 2,
}

# Each element is one of the first operand, provided that there is any.
SELECTS_ELEMENTS = {
    reductions.reduce_max,
    reductions.reduce_min,
    reductions.reduce_and,
    reductions.reduce_or,
    gather.gather,
}


def _selects_some(op: Op) -> bool:
    """Whether each element of the result is one of the operand: no fill value, no empty axis."""
    if op.primitive is gather.gather:
        return bool(op.params["mode"] == "clip")
    return all(op.operands[0].shape[axis] > 0 for axis in op.params["axes"])


def _sum(op: Op, number: Any) -> Any:
    """A sum of equal integers, exact in any order; or of zeros. Other sums of floats: None."""
    (x,), dtype = op.operands, op.results[0].dtype
    if number is None or (dtype.kind not in "iu" and param_key(number) != param_key(0.0)):
        return None
    length = math.prod(x.shape[axis] for axis in op.params["axes"])
    return _wrap_around(number * length, dtype)


def _wrap_around(number: Any, dtype: np.dtype) -> Any:
    """`number` modulo 2^bits, in the range of the integers `dtype`; a float as it is."""
    if dtype.kind not in "iu":
        return number
    bits = 8 * dtype.itemsize
    number %= 2**bits
    return number - 2**bits if dtype.kind == "i" and number >= 2 ** (bits - 1) else number


# ----- Pointwise operations

_INTEGER_DIVISIONS = {
    arithmetic.floordiv,
    arithmetic.mod,
    arithmetic.truncdiv,
    arithmetic.rem,
}
_SHIFTS = {logic.shift_left, logic.shift_right}
_EXACT_ON_FLOATS = {
    arithmetic.neg,
    arithmetic.add,
    arithmetic.sub,
    arithmetic.mul,
    arithmetic.square,
    arithmetic.div,
    arithmetic.reciprocal,
    arithmetic.abs,
    arithmetic.max,
    arithmetic.min,
    transcendental.floor,
    transcendental.ceil,
    transcendental.trunc,
    transcendental.round,
    transcendental.is_finite,
    logic.eq,
    logic.ne,
    logic.lt,
    logic.le,
    logic.gt,
    logic.ge,
    logic.select,
    logic.convert_p,
}
_ON_INTEGERS_ONLY = {
    arithmetic.sign,
    arithmetic.integer_pow,
    logic.and_,
    logic.or_,
    logic.xor,
    logic.not_,
    *_INTEGER_DIVISIONS,
    *_SHIFTS,
}
FOLDABLE_POINTWISE = _EXACT_ON_FLOATS | _ON_INTEGERS_ONLY


def _evaluate(op: Op, numbers: list[Any]) -> Any:
    """The result of a pointwise `op` on numbers, if every machine computes the same; else None."""
    avals = [x.aval for x in op.operands]
    evaluate = op.primitive.evaluate
    if evaluate is None or not _is_portable_op(op, avals, numbers):
        return None
    scalars = [np.asarray(n, a.dtype) for n, a in zip(numbers, avals)]
    with np.errstate(all="ignore"):
        result = np.asarray(evaluate(*scalars, **op.params)).item()
    return result if _is_portable_number(op.results[0].aval, result) else None


def _is_portable_op(op: Op, avals: list[Aval], numbers: list[Any]) -> bool:
    """Whether every machine computes the same result from these numbers."""
    if not all(_is_portable_number(a, n) for a, n in zip(avals, numbers)):
        return False
    kind: str = avals[-1].dtype.kind
    last: float = numbers[-1]
    if kind == "f":
        if op.primitive in _ON_INTEGERS_ONLY:
            return False
        if op.primitive in (arithmetic.max, arithmetic.min):
            return any(n != 0 for n in numbers)  # of 0.0 and -0.0 either may be the maximum
        if op.primitive is logic.convert_p and op.params["dtype"].kind in "iu":
            limits: np.iinfo[Any] = np.iinfo(op.params["dtype"])
            return math.isfinite(last) and limits.min < last < limits.max
    if op.primitive in _INTEGER_DIVISIONS:
        return last not in (0, -1)  # -1: the least integer has no negation in its dtype
    if op.primitive in _SHIFTS:
        return 0 <= last < 8 * avals[-1].dtype.itemsize
    return True


def _is_portable_number(aval: Aval, number: Any) -> bool:
    """Integers, booleans, and single or double precision numbers that are not subnormal."""
    if aval.dtype.kind in "biu":
        return True
    if aval.dtype not in (np.float32, np.float64):
        return False
    return number == 0 or not abs(number) < np.finfo(aval.dtype).tiny


# ----- Branches and loops


def _fold_if(op: Op, walk: Walk) -> Sequence[Value] | None:
    pred = walk.constant_value(op.operands[0])
    if pred is None:
        return None
    taken = op.regions[0] if pred else op.regions[1]
    for inner in taken.ops:
        append(inner)
    return taken.yields


def _fold_loop(op: Op, walk: Walk) -> Sequence[Value] | None:
    loop = Loop.of(op)
    count = walk.constant_value(loop.count)
    if (count is not None and count <= 0) or _is_false(loop.cond, walk):
        return loop.initial
    if count == 1 and loop.cond is None:
        index = constant(0, I64.dtype)
        if loop.adjoint is None:
            return inline(loop.body, (index, *loop.carries))
        return inline(loop.adjoint, (index, *loop.carries, *loop.initial))
    return None


def _is_false(cond: Region | None, walk: Walk) -> bool:
    """Whether a loop's condition is the constant False, and has no effect."""
    if cond is None or any(map(has_effect, cond.ops)):
        return False
    return walk.constant_value(cond.yields[0]) is False
