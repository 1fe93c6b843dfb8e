"""If-conversion: a small branch becomes straight code and selections.

    %y = if %p {                ->      %1 = neg %x
      %1 = neg %x                       %y = select %p, %1, %x
      yield %1
    } else {
      yield %x
    }

On a CPU a branch in a loop costs more than a few operations on numbers, and it stands between XLA
and fusion. Both sides are computed and one is selected, so the results are the same to the bit, and
a NaN of the side that is not taken is dropped. A derivative would not be: this pass runs after all
derivatives have been taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value
from myia.passes.hoist import CHEAP
from myia.passes.walk import Walk, rewrite
from myia.primitives import arithmetic, logic, shaping
from myia.primitives.define import constant_p
from myia.primitives.shaping import broadcast
from myia.primitives.structured import if_p

# Limits of a branch worth converting: its ops, and the elements of each of its values.
MAX_OPS = 8
MAX_SIZE = 16

SMALL_OPS = (CHEAP - {shaping.pad, shaping.concatenate}) | {
    constant_p,
    arithmetic.div,
    arithmetic.sign,
    logic.xor,
    shaping.transpose,
}


def convert_branches(function: Function) -> Function:
    """`function` with small branches as selections."""
    return rewrite(function, _convert)


def _convert(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not if_p or not all(map(_is_small, op.regions)):
        return None
    (pred,), (then, other) = op.operands, op.regions
    for inner in (*then.ops, *other.ops):
        append(inner)
    return [_select(pred, x, y) for x, y in zip(then.yields, other.yields)]


def _is_small(region: Region) -> bool:
    computing = [op for op in region.ops if op.primitive is not constant_p]
    values = [y for op in region.ops for y in op.results]
    return (
        len(computing) <= MAX_OPS
        and all(op.primitive in SMALL_OPS for op in region.ops)
        and all(y.aval.size <= MAX_SIZE for y in (*values, *region.yields))
    )


def _select(pred: Value, x: Value, y: Value) -> Value:
    if x is y:
        return x
    if x.shape:
        pred = broadcast(pred, shape=x.shape, dims=())
    return logic.select(pred, x, y)
