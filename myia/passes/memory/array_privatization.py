"""Array privatization: an array that each iteration fills anew is not carried from one to the next.

    %t = for %i < %n (%t = %t0) {             ->   ... = for %i < %n (...) {
      %t = for %j < 9 (%t = %t) {                    %0 = 0.0: f64[9]
        %1 = dynamic_update_slice %t, %u, %j         %t = for %j < 9 (%t = %0) {
        yield %1                                       %1 = dynamic_update_slice %t, %u, %j
      }                                                yield %1
      ... reads %t                                   }
      yield %t                                       ... reads %t
    }                                              }

An example is `terms = np.zeros(9)` before a loop over points that computes nine terms of each and
adds them up. Carried, the array makes the iterations dependent, and its old elements would be
recorded for the adjoint. All elements must be stored before any is read, and the array must not be
read after the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from myia.analysis.array_versions import is_write_only_carry
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, captures, walk
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.define import constant_p, zeros
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import rewrite_loops


def array_privatization(function: Function) -> Function:
    """`function` whose loops do not carry arrays that each iteration fills."""
    region = function.region
    counts = {
        op.results[0]: op.params["value"] for op in walk(region) if op.primitive is constant_p
    }
    regions = [region, *(inner for op in walk(region) for inner in op.regions)]
    used = {y for each in regions for y in each.yields}
    used |= {x for op in walk(region) for x in op.operands}
    return rewrite_loops(function, lambda op: append(_privatized(op, used, counts)))


def _privatized(op: Op, used: Set[Value], counts: Mapping[Value, object]) -> Op:
    for i, result in enumerate(op.results):
        loop = Loop.of(op)
        arg = loop.body.args[1 + i]
        if result in used or arg.shape == () or loop.body.yields[i] is arg:
            continue
        if loop.cond is not None and uses(loop.cond).get(loop.cond.args[1 + i]):
            continue
        writer = _fills(loop.body, arg, counts)
        if writer is not None:
            body = _with_own_array(loop.body, i, writer)
            op = Op(loop_p, op.operands, op.params, (*op.regions[:-1], body), op.results, op.span)
    return op


def _fills(body: Region, arg: Value, counts: Mapping[Value, object]) -> Op | None:
    """The loop in `body` that stores all elements of `arg`, if nothing else reads it."""
    users = uses(body).get(arg, [])
    if len(users) != 1 or users[0].primitive is not loop_p or arg in body.yields:
        return None
    (op,) = users
    inner = Loop.of(op)
    if inner.count is None or inner.cond is not None or op.operands.count(arg) != 1:
        return None
    j = inner.carries.index(arg)
    store = definitions(inner.body).get(inner.body.yields[j])
    if arg in captures(*op.regions) or store is None or store.primitive is not dynamic_update_slice:
        return None
    array, update, first, *_ = store.operands
    rows = update.shape == (1, *arg.shape[1:]) and counts.get(inner.count) == arg.shape[0]
    own = array is inner.body.args[1 + j] and first is inner.body.args[0]
    return op if rows and own and is_write_only_carry(inner, j) else None


def _with_own_array(body: Region, i: int, writer: Op) -> Region:
    """`body` in which `writer` starts from zeros, and carry `i` stays as it is."""
    arg = body.args[1 + i]
    with Builder() as b:
        for op in body.ops:
            if op is writer:
                with at(op.span):
                    new = zeros(arg.aval)
                operands = tuple(new if x is arg else x for x in op.operands)
                op = Op(op.primitive, operands, op.params, op.regions, op.results, op.span)
            append(op)
    yields = (*body.yields[:i], arg, *body.yields[i + 1 :])
    return Region(body.args, tuple(b.ops), yields)
