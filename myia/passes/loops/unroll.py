"""Loop unrolling: a loop of a few iterations over scalars becomes straight-line code.

    %s = for %k < 2 (%s = %s0) {                  %1 = dynamic_slice %x, 0
      %1 = dynamic_slice %x, %k                   %2 = max %s0, %1
      %2 = max %s, %1                       ->    %3 = dynamic_slice %x, 1
      yield %2                                    %s = max %2, %3
    }

Examples are the taps of a filter and the windows of pooling. Unrolling them has two effects on the
loop around: it can be vectorized (`inner_loop.py`), and elements that all its iterations write,
such as the cotangents of the taps, can become carried values (`scalar_replacement.py`).

The pass runs after storage has been chosen: until then a loop and its adjoint loop must have the
same form.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.analysis.loop_summary import is_scalar_op
from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value
from myia.ir.rewrite import inline
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import Walk, rewrite

MAX_ITERATIONS = 4
MAX_OPS = 300  # of all iterations together


def unroll(function: Function) -> Function:
    """`function` with short loops replaced by one copy of the body per iteration."""
    return rewrite(function, _unrolled)


def _unrolled(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not loop_p:
        return None
    loop = Loop.of(op)
    trip_count = walk.constant_value(loop.count)
    if trip_count is None or trip_count > MAX_ITERATIONS or loop.cond is not None:
        return None
    ops = loop.body.ops
    if not all(map(is_scalar_op, ops)) or trip_count * len(ops) > MAX_OPS:
        return None
    values: Sequence[Value] = loop.carries
    for k in range(trip_count):
        values = inline(loop.body, (constant(k, I64.dtype), *values))
    return values
