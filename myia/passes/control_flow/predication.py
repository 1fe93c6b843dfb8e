"""Predication: a short loop that an exception may leave runs to its end, and skips what is left.

    %c, %x = for %k < 5 (%c = %0, %x = %x0) {    ->    %c, %x = for %k < 5 (%c = %0, %x = %x0) {
      cond {                                             %1 = eq %c, 0
        %1 = eq %c, 0                                    %c, %x = if %1 {
        yield %1                                           ...
      }                                                    yield %c', %x'
      body {                                             } else {
        ...                                                yield %c, %x
        yield %c', %x'                                   }
      }                                                  yield %c, %x
    }                                                  }

The trip count is then a constant, so that the loops around it can be vectorized, and residuals of
an iteration have a fixed place. The exit is the code of an exception that a handler catches
(`infer/eval/handlers.py`), which is rare. An exit by `break`, a truth value, stays: to skip the
rest is what it is for.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from myia.ir.builder import at, build_region
from myia.ir.core import Function, Op, Region, Value, has_effect
from myia.ir.rewrite import inline
from myia.primitives.core.define import constant_p
from myia.primitives.core.emit_structured import if_
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.logic import eq
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import rebuilt, substituted, with_region

MAX_ITERATIONS = 32


def predication(function: Function) -> Function:
    """`function` with a condition in the body of short inner loops that an exception may leave."""
    return with_region(function, _region(function.region, in_loop=False))


def _region(region: Region, in_loop: bool) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        inside = functools.partial(_region, in_loop=in_loop or op.primitive is loop_p)
        op = substituted(op, {}, inside)
        ops.append(_predicated(op) if in_loop and _leaves_by_exception(op) else op)
    return rebuilt(region, ops, region.yields)


def _leaves_by_exception(op: Op) -> bool:
    """Is this a short counted loop without effects that goes on while a carried code is zero?"""
    if op.primitive is not loop_p or has_effect(op):
        return False
    loop = Loop.of(op)
    is_short = loop.count is not None and 1 < (loop.bound or 0) <= MAX_ITERATIONS
    return is_short and loop.cond is not None and _tests_carried_code(loop.cond)


def _tests_carried_code(cond: Region) -> bool:
    """Is the condition `code == 0`, of a carry `code`?"""
    by_result = definitions(cond)
    test = by_result.get(cond.yields[0])
    if test is None or test.primitive is not eq:
        return False
    code, zero = test.operands
    of_zero = by_result.get(zero)
    is_zero = of_zero is not None and of_zero.primitive is constant_p
    return code in cond.args[1:] and code.dtype == np.int32 and is_zero


def _predicated(op: Op) -> Op:
    parts = Loop.of(op)
    assert parts.cond is not None
    cond = parts.cond

    def body(k: Value, *carries: Value) -> Sequence[Value]:
        (holds,) = inline(cond, (k, *carries))
        return if_(holds, lambda: inline(parts.body, (k, *carries)), lambda: carries)

    avals = [x.aval for x in parts.body.args]
    names = [x.name for x in parts.body.args]
    with at(op.span):
        region = build_region(avals, body, names)
    params = {**op.params, "conditional": False}
    return Op(loop_p, op.operands, params, (region,), op.results, op.span)
