"""Windows that a loop writes again and again in one place are carried, and written once.

    %a = for %k < %n (%a = %a0) {                   %s0 = read %a0 at %i
      %1 = read %a at %i                            %a, %s = for %k < %n (%a = %a0, %s = %s0) {
      %2 = read %b at %k                              %2 = read %b at %k
      %3 = add %1, %2                       ->        %3 = add %s, %2
      %4 = write %3 into %a at %i
      yield %4                                        yield %a, %3
    }                                               }
                                                    %a' = write %s into %a at %i

That is `a[i] += b[k]`, summed up in a register. Before derivatives are taken it decides what they
cost: of the stores of the trips nothing has to be recorded, and the cotangent of the sum is a
number. The array may be read and written elsewhere, if that surely lies apart
(`linear_indices.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, captures, reads, walk
from myia.ir.rewrite import Env, rematerialize
from myia.passes.analysis.accesses import (
    STORES,
    is_disjoint_slice,
    is_same_slice,
    slice_sizes,
    start_indices,
)
from myia.passes.analysis.def_use import loop_variant_values
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.walk import look_up, rewrite_loops, substituted, substituted_region


def replace_scalars(function: Function) -> Function:
    """`function` with windows that loops keep writing carried by these loops."""
    return rewrite_loops(function, partial(_emit_promoted, ranges=IndexRanges(function.region)))


def _emit_promoted(op: Op, ranges: IndexRanges) -> None:
    """Emit the loop, with all windows carried that can be."""
    for i in range(len(op.results)):
        window = _find(Loop.of(op), i, ranges)
        if window is not None:
            op, after = _promoted(op, window)
            _emit_promoted(op, ranges)
            append(after)
            return
    append(op)


# ----- What can be carried


@dataclass(frozen=True)
class _Window:
    """A window of carry `i`: the store that names it, and all its reads and stores."""

    carry: int
    store: Op
    accesses: frozenset[Op]


def _find(loop: Loop, i: int, ranges: IndexRanges) -> _Window | None:
    """A window of carry `i` that each trip finds in the same place."""
    accesses = _accesses(loop, i)
    if accesses is None:
        return None
    varying = loop_variant_values(loop.body)
    for store in accesses:
        if store.primitive in STORES and varying.isdisjoint(start_indices(store)):
            within = frozenset(a for a in accesses if is_same_slice(store, a, ranges))
            if all(a in within or is_disjoint_slice(store, a, ranges) for a in accesses):
                return _Window(i, store, within)
    return None


def _accesses(loop: Loop, i: int) -> list[Op] | None:
    """The reads and stores of carry `i`, if windows are read and stored and that is all."""
    version, versions, found = loop.body.args[1 + i], {loop.body.args[1 + i]}, []
    for op in loop.body.ops:
        if versions.isdisjoint(reads(op)):
            continue
        if op.primitive is dynamic_slice:
            found.append(op)
        elif op.primitive in STORES:
            if op.operands[0] is not version or op.operands[1] in versions:
                return None
            (version,) = op.results
            versions.add(version)
            found.append(op)
        elif versions.isdisjoint(op.operands):
            inner = _inner_reads(op, versions)
            if inner is None:
                return None
            found += inner
        else:
            return None
    yielded = [j for j, y in enumerate(loop.body.yields) if y in versions]
    if yielded != [i] or loop.body.yields[i] is not version:
        return None
    return None if loop.cond is not None and _reads_carry(loop.cond, i) else found


def _reads_carry(cond: Region, i: int) -> bool:
    return cond.args[1 + i] in captures(Region((), cond.ops, cond.yields))


def _inner_reads(op: Op, versions: set[Value]) -> list[Op] | None:
    """The reads of windows in the regions of an op, which does nothing else with the array."""
    found = []
    for region in op.regions:
        if not versions.isdisjoint(region.yields):
            return None
        for inner in walk(region):
            if any(not versions.isdisjoint(r.yields) for r in inner.regions):
                return None
            if not versions.isdisjoint(inner.operands):
                if inner.primitive is not dynamic_slice:
                    return None
                found.append(inner)
    return found


# ----- What it becomes


def _promoted(op: Op, window: _Window) -> tuple[Op, Op]:
    """The loop that carries the window, having emitted the read before it; the store after it."""
    loop, i = Loop.of(op), window.carry
    place = rematerialize(start_indices(window.store), loop.body.ops)
    with at(window.store.span):
        start = dynamic_slice(loop.carries[i], *place, sizes=slice_sizes(window.store))
    arg, array, last = Value(start.aval), Value(op.results[i].aval), Value(start.aval)
    *conds, body = op.regions
    conds = [Region((*r.args, Value(start.aval)), r.ops, r.yields) for r in conds]
    regions = (*conds, _body(body, window, arg))
    results = (*op.results[:i], array, *op.results[i + 1 :], last)
    new = Op(op.primitive, (*op.operands, start), op.params, regions, results, op.span)
    operands = (array, last, *place)
    span = window.store.span
    return new, Op(dynamic_update_slice, operands, {}, (), (op.results[i],), span)


def _body(body: Region, window: _Window, arg: Value) -> Region:
    """`body` with one more carry, `arg`, in the place of the window."""
    now = {body.args[1 + window.carry]: arg}  # what the window holds in each version of the array
    env: Env = {}
    with Builder() as b:
        for op in body.ops:
            inner = [o for region in op.regions for o in walk(region) if o in window.accesses]
            env.update((o.results[0], now[o.operands[0]]) for o in inner)
            stores = op.primitive in STORES and op.operands[0] in now
            if op in window.accesses and not stores:
                env[op.results[0]] = now[op.operands[0]]
                continue
            if stores:
                now[op.results[0]] = now[op.operands[0]]
            if stores and op in window.accesses:
                _store_in_hand(op, now, env)
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    last = now[body.yields[window.carry]]
    return Region((*body.args, arg), tuple(b.ops), (*look_up(body.yields, env), last))


def _store_in_hand(op: Op, now: Env, env: Env) -> None:
    """The window is changed by the store `op`, what remains of the array is not."""
    (after,) = op.results
    array, update = look_up(op.operands[:2], env)
    with at(op.span):
        sums = op.primitive is dynamic_update_add
        now[after] = add(now[after], update) if sums else update
    env[after] = array
