"""Barriers in loops, and `stop_gradient`, are removed once storage has been chosen.

for ... { %1 = barrier %x, %ct ; %2 = sin %1 ; ... }     ->     for ... { %2 = sin %x ; ... }

A barrier keeps a loop from recording what is to be recomputed. Once storage is chosen that is
settled, and the forward sweep is another loop by then, out of which XLA moves nothing.
"""

from __future__ import annotations

from myia.ir.core import Function, Op, Region
from myia.ir.rewrite import Env
from myia.primitives.core.barriers import barrier_p
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise.logic import stop_gradient
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def remove_barriers(function: Function) -> Function:
    """`function` without barriers inside loops, and without `stop_gradient`."""
    return with_region(function, _region(function.region, {}, False))


def _region(region: Region, env: Env, inside: bool) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        if inside and op.primitive is barrier_p:
            env.update(zip(op.results, look_up(op.operands[: op.params["held"]], env)))
        elif op.primitive is stop_gradient:
            env.update(zip(op.results, look_up(op.operands, env)))
        else:
            deeper = inside or op.primitive is loop_p
            ops.append(substituted(op, env, lambda r, d=deeper: _region(r, env, d)))
    return rebuilt(region, ops, look_up(region.yields, env))
