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

from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.passes.analysis.accesses import STORES, is_disjoint_slice, is_same_slice
from myia.passes.analysis.def_use import uses
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.define import constant_p
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
            if _is_dead(op, region, ranges):
                env[op.results[0]] = env.get(op.operands[0], op.operands[0])
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    return rebuilt(region, b.ops, region.yields)


def _is_dead(store: Op, region: Region, ranges: IndexRanges) -> bool:
    """Is the stored slice never read?

    On all paths it is stored again, or the array is dropped; until then the array is used only by
    loads and stores of disjoint slices.
    """
    if store.primitive is not dynamic_update_slice:
        return False
    versions = [store.results[0]]
    while versions:
        array = versions.pop()
        if array in region.yields:
            return False
        for op in uses(region).get(array, ()):
            if op.primitive not in STORES or array in op.operands[1:]:
                if not _only_loads_disjoint(op, array, store, ranges):
                    return False
            # A store into the same slice ends the path: later loads find what it stores.
            elif op.primitive is not dynamic_update_slice or not is_same_slice(store, op, ranges):
                if not is_disjoint_slice(store, op, ranges):
                    return False
                versions += op.results
    return True


def _only_loads_disjoint(op: Op, array: Value, store: Op, ranges: IndexRanges) -> bool:
    """Are all uses of `array` by `op`, and in its regions, loads of slices that `store` leaves
    unchanged?
    """
    if not op.regions:
        is_load = op.primitive is dynamic_slice and op.operands[0] is array
        return is_load and is_disjoint_slice(op, store, ranges)
    return array not in op.operands and all(
        array not in region.yields
        and all(_only_loads_disjoint(x, array, store, ranges) for x in uses(region).get(array, ()))
        for region in op.regions
    )
