"""Load scheduling: in an iteration, loads precede disjoint stores, and a slice is stored only once.

    for %k < %n (%a = %a0) {                        for %k < %n (%a = %a0) {
      %b = write %0 into %a at %k                     %1 = read %a at %k
      %1 = read %a at %k                              %2 = read %a at %k + 1
      %2 = read %b at %k + 1                          %3 = add %2, %1
      %3 = add %2, %1                       ->        %4 = add %0, %1
      %c = write %3 into %b at %k + 1                 %c = write %3 into %a at %k + 1
      %4 = read %c at %k                              %d = write %4 into %c at %k
      %5 = add %4, %1                                 yield %d
      %d = write %5 into %c at %k                   }
      yield %d
    }

Adjoint loops need it: each iteration takes the cotangent of one element and adds to those of
adjacent elements, one by one, so that loads and stores alternate and each depends on the one
before. A load of a slice that is disjoint from the stores before it (`linear_indices.py`) does not
depend on them. Adjacent slices that are read from one version of the array can then be coalesced
(`adjacent_accesses.py`).

Loads also take the value of an earlier store into the same slice (store-to-load forwarding), and a
store is dropped if its slice is stored again before any load of it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from math import prod

from myia.analysis.linear_indices import IndexRanges, is_disjoint_slice, is_same_slice
from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.define import constant_p
from myia.rewriting.def_use import uses
from myia.rewriting.walk import (
    look_up,
    rebuilt,
    rewrite_loop_bodies,
    substituted,
    substituted_region,
)

# Loads of larger slices stay: XLA rewrites these slices in place, without an opaque barrier.
MAX_SLICE_ELEMENTS = 16


def load_scheduling(function: Function) -> Function:
    """`function` with loads of small slices in loops before disjoint stores, and without stores
    into slices that are stored again.
    """
    ranges = IndexRanges(function.region)
    ops = [op for op in walk(function.region) if op.primitive is constant_p]
    constants = {y for op in ops for y in op.results}

    def schedule(region: Region) -> Region:
        return _without_overwritten_stores(_loading_early(region, ranges, constants), ranges)

    return rewrite_loop_bodies(function, schedule)


# ----- Loads


def _loading_early(region: Region, ranges: IndexRanges, constants: Collection[Value]) -> Region:
    """`region` with each load from the oldest version of the array that has the loaded slice.

    This is the only dependence of the load; nothing has to be moved.
    """
    stores: dict[Value, Op] = {}  # version of an array -> the store that makes it
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            if op.primitive is dynamic_update_slice:
                stores[op.results[0]] = op
            if op.primitive is not dynamic_slice:
                append(op)
                continue
            array, stored = _oldest_version(op, stores, ranges)
            is_small = prod(op.params["sizes"]) <= MAX_SLICE_ELEMENTS
            if stored is not None and (is_small or stored in constants):
                env[op.results[0]] = stored
            else:
                append(_load_from(array, op) if is_small else op)
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _oldest_version(
    load: Op, stores: dict[Value, Op], ranges: IndexRanges
) -> tuple[Value, Value | None]:
    """The oldest version of the array that has the loaded slice; the value that was stored into
    exactly this slice, if that is how the version was made.
    """
    array = load.operands[0]
    while array in stores:
        store = stores[array]
        if is_same_slice(load, store, ranges):
            return array, store.operands[1]
        if not is_disjoint_slice(load, store, ranges):
            break
        array = store.operands[0]
    return array, None


def _load_from(array: Value, load: Op) -> Op:
    """The same load, from this version of the array."""
    if array is load.operands[0]:
        return load
    operands = (array, *load.operands[1:])
    return Op(load.primitive, operands, load.params, (), load.results, load.span)


# ----- Stores


def _without_overwritten_stores(region: Region, ranges: IndexRanges) -> Region:
    """`region` without stores whose slice it stores again before any load of it."""
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            # Judged by the old region: of several stores into one slice, the last one remains.
            if op.primitive is dynamic_update_slice and _is_dead(op, region, ranges):
                env[op.results[0]] = env.get(op.operands[0], op.operands[0])
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    return rebuilt(region, b.ops, region.yields)


def _is_dead(store: Op, region: Region, ranges: IndexRanges) -> bool:
    """Is the stored slice never read?

    It is stored again, or the array is dropped; until then only disjoint slices of it are used.
    """
    (array,) = store.results
    while array not in region.yields:
        users = uses(region).get(array, [])
        stores = [op for op in users if op.primitive is dynamic_update_slice]
        loads = [op for op in users if op not in stores]
        if not all(_only_loads_disjoint(op, array, store, ranges) for op in loads):
            return False
        if not stores:
            return True
        (after, *more) = stores
        if more or array in after.operands[1:]:
            return False
        if is_same_slice(store, after, ranges):
            return True
        if not is_disjoint_slice(store, after, ranges):
            return False
        (array,) = after.results
    return False


def _only_loads_disjoint(op: Op, array: Value, store: Op, ranges: IndexRanges) -> bool:
    """Does `op`, also in its regions, only load slices of `array` that `store` leaves unchanged?"""
    ops = list(walk(Region((), (op,), ())))
    return all(
        array not in x.operands
        or (x.primitive is dynamic_slice and is_disjoint_slice(x, store, ranges))
        for x in ops
    ) and not any(array in region.yields for x in ops for region in x.regions)
