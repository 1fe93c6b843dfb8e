"""Lowering: ops that served derivatives and storage get the form that the late passes match.

for ... { %1 = barrier %x, %ct ; %2 = sin %1 ; ... }     ->     for ... { %2 = sin %x ; ... }

%b = dynamic_update_add %a, %u, %i       ->       %1 = dynamic_slice %a, %i
                                                  %2 = add %1, %u
                                                  %b = dynamic_update_slice %a, %2, %i

%z = pow %x, -1.5                        ->       %1 = sqrt %x
                                                  %2 = div 1.0, %1
                                                  %z = div %2, %x

A barrier in a loop keeps that from recording what is to be recomputed; `stop_gradient` goes, too.
XLA moves nothing from the forward sweep into the adjoint: these are two loops by now.

A square root takes a tenth of the time of a power, which has the simpler derivative. There are two
divisions, since `x sqrt(x)` may underflow although its reciprocal does not overflow. Negative
infinity needs a selection: its powers are inf and 0, its root is NaN. All other numbers come out
right, -0.0 included. The result is rounded two or three times instead of once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from myia.ir.core import Function, Op, Value, walk
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.core.barriers import barrier_p
from myia.primitives.core.define import lift
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise.arithmetic import add, div, mul, pow
from myia.primitives.pointwise.logic import eq, select, stop_gradient
from myia.primitives.pointwise.transcendental import sqrt
from myia.rewriting.walk import Walk, rewrite


def lowering(function: Function) -> Function:
    """`function` with additions into slices, barriers in loops and powers in lower forms."""
    loops = (op for op in walk(function.region) if op.primitive is loop_p)
    in_loops = {y for op in loops for r in op.regions for inner in walk(r) for y in inner.results}

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is barrier_p and in_loops.issuperset(op.results):
            return op.operands[: op.params["held"]]
        return _LOWERED[op.primitive](op, walk) if op.primitive in _LOWERED else None

    return rewrite(function, rule)


def _without_barrier(op: Op, _: Walk) -> Sequence[Value]:
    return op.operands


def _accumulate(op: Op, _: Walk) -> Sequence[Value]:
    array, term, *starts = op.operands
    total = add(dynamic_slice(array, *starts, sizes=term.shape), term)
    return [dynamic_update_slice(array, total, *starts)]


def _power(op: Op, walk: Walk) -> Sequence[Value] | None:
    x, exponent = op.operands
    n = walk.constant_value(exponent)
    if x.dtype.kind != "f" or n not in (1.5, -1.5):
        return None
    root, is_minus_inf = sqrt(x), eq(x, lift(-math.inf, x.aval))
    if n > 0:
        return [select(is_minus_inf, math.inf, mul(root, x))]
    return [select(is_minus_inf, 0, div(div(lift(1, x.aval), root), x))]


_LOWERED = {stop_gradient: _without_barrier, dynamic_update_add: _accumulate, pow: _power}
