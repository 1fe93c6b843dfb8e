"""A loop that only looks for the first run-time check that fails asks first whether any does.

    %s = for %k < %n (%s = %s0) {          %any = for %k < %n (%any = False) {
      %1 = ...                               %1 = ...
      %2 = eq %s, 0                          %2 = or %any, %1
      %3 = and %1, %2                        yield %2
      %4 = select %3, 5, %s         ->     }
      yield %4                             %m = select %any, %n, 0
    }                                      %s = for %k < %m (%s = %s0) {
                                             cond { yield eq %s, 0 }
                                             body { as before }
                                           }

Of the loops of a gradient that is what is left where the adjoint needs nothing else of the primal.
Which check is the first is known trip by trip; whether any fails is asked of many trips at once
(`lanes.py`), and in a program that runs through that is all. The error is the same: a carry that
is not 0 stays what it is, so the trips after the first failure change nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from myia.ir.avals import BOOL, I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads
from myia.ir.dependence import needed
from myia.ir.rewrite import clone_region
from myia.passes.lanes import trips_of
from myia.passes.ranges import Ranges
from myia.passes.walk import rewrite_loops
from myia.primitives.define import constant, constant_p
from myia.primitives.logic import and_, eq, or_, select
from myia.primitives.structured import Loop, loop_p


def ask_first(function: Function) -> Function:
    """`function` with loops that only look for a failure made where there is one."""
    ranges = Ranges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: Ranges) -> None:
    loop = Loop.of(op)
    question = None if has_effect(op) else _question(loop)
    if question is None or trips_of(replace(loop, body=question), ranges) is None:
        append(op)
        return
    with at(op.span):
        any_fails = Value(BOOL)
        operands, body = (loop.count, constant(False, bool)), clone_region(question)
        append(Op(loop_p, operands, op.params, (body,), (any_fails,), op.span))
        trips = select(any_fails, loop.count, constant(0, I64.dtype))
        append(_search(op, trips))


# ----- Whether there is a failure


def _question(loop: Loop) -> Region | None:
    """The body of a loop that asks whether the carry changes if it is 0, if it changes only then
    and the trips do nothing else."""
    if loop.count is None or loop.cond is not None or len(loop.carries) != 1:
        return None
    k, carry = loop.body.args
    failures = _failures(loop.body)
    ops = needed(loop.body.ops, failures)
    if not failures or any(carry in reads(op) for op in ops):
        return None
    before = Value(BOOL)
    with Builder() as b:
        found = or_(before, reduce(or_, failures))
    return Region((k, before), (*ops, *b.ops), (found,))


def _failures(body: Region) -> list[Value]:
    """What each change of the carry asks, each question once; none if it changes otherwise."""
    (carry,), (state,) = body.args[1:], body.yields
    definitions = {y: op for op in body.ops for y in op.results}
    found = []
    while state is not carry:
        change = definitions.get(state)
        if change is None or change.primitive is not select:
            return []
        asked, _, state = change.operands
        failed = _beside_zero(asked, state, definitions)
        if failed is None:
            return []
        found.append(failed)
    return list(dict.fromkeys(reversed(found)))


def _beside_zero(asked: Value, state: Value, definitions: dict[Value, Op]) -> Value | None:
    """`failed`, where `asked` is `and failed, (eq state, 0)`."""
    both = definitions.get(asked)
    if both is None or both.primitive is not and_:
        return None
    failed, is_zero = both.operands
    test = definitions.get(is_zero)
    if test is None or test.primitive is not eq or test.operands[0] is not state:
        return None
    zero = definitions.get(test.operands[1])
    known = zero is not None and zero.primitive is constant_p and zero.params["value"] == 0
    return failed if known else None


# ----- Which one it is


def _search(op: Op, trips: Value) -> Op:
    """The loop, of so many trips, which stops when it has found one."""
    args = tuple(Value(x.aval, x.name) for x in Loop.of(op).body.args)
    with Builder() as b:
        none_yet = eq(args[1], constant(0, args[1].aval.dtype))
    regions = (Region(args, tuple(b.ops), (none_yet,)), *op.regions)
    operands, params = (trips, *op.operands[1:]), {**op.params, "conditional": True}
    return Op(loop_p, operands, params, regions, op.results, op.span)
