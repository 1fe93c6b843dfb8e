"""Repeated checks: run-time checks that are the same in all iterations are made in the first one.

    %e, %s = for %k < %n (%e = %e0, %s = %s0) {       %m = min %n, 1
      %e' = ... the first failure of %c, %d           %e = for %k < %m (%e = %e0) {
      %s' = ... of %k and %s                    ->      %e' = ... the first failure of %c, %d
      yield %e', %s'                                    yield %e'
    }                                                 }
                                                      %s = for %k < %n (%s = %s0) { ... }

The number of the first check that failed is carried through loops, from iteration to iteration. An
example is `icf[c, at + l]` in loops over points and clusters, where `at` follows from the inner
indices: whether it is in range is found in the first iteration of the outer loops. Without the
number these have independent iterations, and are vectorised.

A value qualifies if each op that changes it does so only where it is 0, and if nothing else that
this depends on differs between iterations: then the second iteration, and all after it, would leave
it as it is.
"""

from __future__ import annotations

from collections.abc import Set

from myia.ir.builder import append, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads, walk
from myia.ir.rewrite import clone_region
from myia.passes.loops.fission import restricted_to_carries
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import and_, eq, select
from myia.rewriting.def_use import definitions
from myia.rewriting.liveness import eliminate_dead_values
from myia.rewriting.walk import rewrite_loops


def repeated_checks(function: Function) -> Function:
    """`function` whose loops make checks that do not vary in one iteration."""
    zeros = {
        op.results[0]
        for op in walk(function.region)
        if op.primitive is constant_p and op.params["value"] == 0
    }
    return rewrite_loops(function, lambda op: _emit(op, zeros))


def _emit(op: Op, zeros: Set[Value]) -> None:
    loop = Loop.of(op)
    if loop.count is not None and loop.cond is None and loop.bound != 1 and not has_effect(op):
        for i, arg in enumerate(loop.body.args[1:]):
            parts = _parts(loop, i, zeros) if _is_number_of_check(arg) else None
            if parts is not None:
                _emit_parts(op, loop, i, *parts)
                return
    append(op)


def _is_number_of_check(x: Value) -> bool:
    return x.shape == () and x.dtype.name == "int32"


def _parts(loop: Loop, i: int, zeros: Set[Value]) -> tuple[Region, Region] | None:
    """The body that computes carry `i` alone, if one iteration of it is enough, and the rest."""
    body, arg, y = loop.body, loop.body.args[1 + i], loop.body.yields[i]
    if y is arg or not _keeps_nonzero(y, arg, body, zeros):
        return None
    checks = eliminate_dead_values(Region(body.args, body.ops, (y,)))
    varying = set(body.args) - {arg}
    if any(not varying.isdisjoint(reads(op)) for op in checks.ops):
        return None
    yields = (*body.yields[:i], arg, *body.yields[i + 1 :])
    rest = eliminate_dead_values(Region(body.args, body.ops, yields))
    if any(arg in reads(op) for op in rest.ops) or yields.count(arg) > 1:
        return None
    return Region((body.args[0], arg), checks.ops, checks.yields), rest


def _keeps_nonzero(y: Value, arg: Value, region: Region, zeros: Set[Value]) -> bool:
    """Is `y`, computed in `region`, surely `arg` wherever that is not 0?"""
    if y is arg:
        return True
    op = definitions(region).get(y)
    if op is None:
        return False
    if op.primitive is select:
        failed, _, before = op.operands
        is_kept = _requires_zero(failed, before, region, zeros)
        return is_kept and _keeps_nonzero(before, arg, region, zeros)
    i = op.results.index(y)
    if op.primitive is if_p:
        return all(_keeps_nonzero(r.yields[i], arg, r, zeros) for r in op.regions)
    if op.primitive is not loop_p:
        return False
    inner = Loop.of(op)
    is_kept = _keeps_nonzero(inner.body.yields[i], inner.body.args[1 + i], inner.body, zeros)
    return is_kept and _keeps_nonzero(inner.carries[i], arg, region, zeros)


def _requires_zero(failed: Value, before: Value, region: Region, zeros: Set[Value]) -> bool:
    """Is `failed` surely false wherever `before` is not 0?"""
    op = definitions(region).get(failed)
    if op is None or op.primitive not in (and_, eq):
        return False
    x, y = op.operands
    if op.primitive is and_:
        return any(_requires_zero(each, before, region, zeros) for each in (x, y))
    return (x is before and y in zeros) or (y is before and x in zeros)


def _emit_parts(op: Op, loop: Loop, i: int, checks: Region, rest: Region) -> None:
    """Emit the loop of the checks, of one iteration or none, and the loop without them."""
    with at(op.span):
        once = minimum(loop.trip_count, constant(1, loop.trip_count.dtype))
    params = {**op.params, "bound": 1}
    operands = (once, loop.carries[i])
    append(Op(loop_p, operands, params, (clone_region(checks),), (op.results[i],), op.span))
    others = [j for j in range(len(loop.carries)) if j != i]
    if others:
        whole = Op(loop_p, op.operands, op.params, (rest,), op.results, op.span)
        append(restricted_to_carries(whole, others))
