"""Scalar replacement: a slice that every iteration loads and stores becomes a carried value.

    %a = for %k < %n (%a = %a0) {                   %s0 = read %a0 at %i
      %1 = read %a at %i                            %a, %s = for %k < %n (%a = %a0, %s = %s0) {
      %2 = read %b at %k                              %2 = read %b at %k
      %3 = add %1, %2                       ->        %3 = add %s, %2
      %4 = write %3 into %a at %i
      yield %4                                        yield %a, %3
    }                                               }
                                                    %a' = write %s into %a at %i

The example is `a[i] += b[k]`, summed in a register and stored once. Before derivatives are taken
this lowers their cost: no store of an iteration has to be recorded, and the cotangent of the sum is
a scalar.

The start indices must be loop-invariant. All other loads and stores of the array in the loop must
be of slices that are disjoint from it (`linear_indices.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from myia.analysis.array_versions import other_uses, slice_chains
from myia.analysis.linear_indices import IndexRanges, is_disjoint_slice, is_same_slice
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env, rematerialize
from myia.primitives.arrays.dynamic_slices import (
    STORES,
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.def_use import loop_variant_values
from myia.rewriting.walk import look_up, rewrite_loops, substituted, substituted_region


def scalar_replacement(function: Function) -> Function:
    """`function` with loop-invariant slices of arrays as carried values of the loops."""
    return rewrite_loops(function, partial(_emit_replaced, ranges=IndexRanges(function.region)))


def _emit_replaced(op: Op, ranges: IndexRanges) -> None:
    """Emit the loop, with all slices as carried values that can be."""
    for i in range(len(op.results)):
        candidate = _candidate(Loop.of(op), i, ranges)
        if candidate is not None:
            op, store_after = _with_carried_slice(op, candidate)
            _emit_replaced(op, ranges)
            append(store_after)
            return
    append(op)


# ----- What can be carried


@dataclass(frozen=True)
class _Slice:
    """A slice of the array at position `carry`: one store into it, and all loads and stores of it.

    The start indices and sizes are those of `store`.
    """

    carry: int
    store: Op
    accesses: frozenset[Op]


def _candidate(loop: Loop, i: int, ranges: IndexRanges) -> _Slice | None:
    """A slice of carry `i` with loop-invariant start indices that can become a carried value."""
    accesses = _accesses(loop, i)
    if accesses is None:
        return None
    varying = loop_variant_values(loop.body)
    for store in accesses:
        if store.primitive in STORES and varying.isdisjoint(start_indices(store)):
            same = frozenset(a for a in accesses if is_same_slice(store, a, ranges))
            if all(a in same or is_disjoint_slice(store, a, ranges) for a in accesses):
                return _Slice(i, store, same)
    return None


def _accesses(loop: Loop, i: int) -> list[Op] | None:
    """The loads and stores of carry `i`; None if it is used in any other way."""
    chain, loads = slice_chains(loop.body)[i], other_uses(loop, i)
    if chain is None or loads is None or any(link.inner for link in chain.links):
        return None
    only_loads = all(op.primitive is dynamic_slice for op in loads)
    return [*chain.stores, *loads] if only_loads else None


# ----- What it becomes


def _with_carried_slice(op: Op, slice_: _Slice) -> tuple[Op, Op]:
    """The loop that carries the slice, and the store after it; emits the load before it."""
    loop, i = Loop.of(op), slice_.carry
    starts = rematerialize(start_indices(slice_.store), loop.body.ops)
    with at(slice_.store.span):
        initial = dynamic_slice(loop.carries[i], *starts, sizes=slice_sizes(slice_.store))
    arg, array, final = Value(initial.aval), Value(op.results[i].aval), Value(initial.aval)
    *conds, body = op.regions
    conds = [Region((*r.args, Value(initial.aval)), r.ops, r.yields) for r in conds]
    regions = (*conds, _body_with_slice(body, slice_, arg))
    results = (*op.results[:i], array, *op.results[i + 1 :], final)
    new = Op(op.primitive, (*op.operands, initial), op.params, regions, results, op.span)
    operands = (array, final, *starts)
    span = slice_.store.span
    return new, Op(dynamic_update_slice, operands, {}, (), (op.results[i],), span)


def _body_with_slice(body: Region, slice_: _Slice, arg: Value) -> Region:
    """`body` with one more carried value, `arg`, in the place of the slice."""
    contents = {body.args[1 + slice_.carry]: arg}  # version of the array -> value of the slice
    env: Env = {}
    with Builder() as b:
        for op in body.ops:
            nested = [o for region in op.regions for o in walk(region) if o in slice_.accesses]
            env.update((o.results[0], contents[o.operands[0]]) for o in nested)
            is_store = op.primitive in STORES and op.operands[0] in contents
            if op in slice_.accesses and not is_store:
                env[op.results[0]] = contents[op.operands[0]]
                continue
            if is_store:
                contents[op.results[0]] = contents[op.operands[0]]
            if is_store and op in slice_.accesses:
                _emit_store_into_slice(op, contents, env)
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    final = contents[body.yields[slice_.carry]]
    return Region((*body.args, arg), tuple(b.ops), (*look_up(body.yields, env), final))


def _emit_store_into_slice(op: Op, contents: Env, env: Env) -> None:
    """Emit the effect of the store `op` on the carried slice; the array itself is unchanged."""
    (after,) = op.results
    array, update = look_up(op.operands[:2], env)
    with at(op.span):
        adds = op.primitive is dynamic_update_add
        contents[after] = add(contents[after], update) if adds else update
    env[after] = array
