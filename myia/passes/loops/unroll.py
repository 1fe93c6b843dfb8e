"""Loops of a few trips over elements become straight code.

    %s = for %k < 2 (%s = %s0) {                  %1 = dynamic_slice %x, 0
      %1 = dynamic_slice %x, %k                   %2 = max %s0, %1
      %2 = max %s, %1                       ->    %3 = dynamic_slice %x, 1
      yield %2                                    %s = max %2, %3
    }

Such are the taps of a filter and the windows of pooling. Of the loop around them the trips can then
be made many at once (`lanes.py`), and elements that all of them write, as the cotangents of the
taps, be carried (`promote.py`). When storage has been chosen: a loop and its reversal have to be
the same until then.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value
from myia.ir.rewrite import inline
from myia.passes.analysis.loop_dependence import on_elements
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import Walk, rewrite

MAX_ITERATIONS = 4
MAX_OPS = 300  # of all trips


def unroll_loops(function: Function) -> Function:
    """`function` with short loops as so many copies of their bodies."""
    return rewrite(function, _unrolled)


def _unrolled(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not loop_p:
        return None
    loop = Loop.of(op)
    trips = None if loop.count is None else walk.number(loop.count)
    if trips is None or trips > MAX_ITERATIONS or loop.cond is not None:
        return None
    ops = loop.body.ops
    if not all(map(on_elements, ops)) or trips * len(ops) > MAX_OPS:
        return None
    values: Sequence[Value] = loop.carries
    for k in range(trips):
        values = inline(loop.body, (constant(k, I64.dtype), *values))
    return values
