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
from math import prod

from myia.analysis.array_versions import is_never_read, oldest_equal_version
from myia.analysis.linear_indices import IndexRanges
from myia.ir.builder import Builder, append
from myia.ir.core import Function, Region, Value, walk
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.define import constant_p
from myia.rewriting.walk import look_up, rebuilt, rewrite_loop_bodies, substituted

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
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            if op.primitive is not dynamic_slice:
                append(substituted(op, env))
                continue
            array, store = oldest_equal_version(op.operands[0], op, region, ranges)
            is_small = prod(op.params["sizes"]) <= MAX_SLICE_ELEMENTS
            stored = None if store is None else env.get(store.operands[1], store.operands[1])
            if stored is not None and (is_small or stored in constants):
                env[op.results[0]] = stored
            else:
                moved = {op.operands[0]: array} if is_small else {}
                append(substituted(substituted(op, moved), env))
    return rebuilt(region, b.ops, look_up(region.yields, env))


# ----- Stores


def _without_overwritten_stores(region: Region, ranges: IndexRanges) -> Region:
    """`region` without stores whose slice it stores again before any load of it."""
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            # Judged by the old region: of several stores into one slice, the last one remains.
            if op.primitive is dynamic_update_slice and is_never_read(op, region, ranges):
                env[op.results[0]] = env.get(op.operands[0], op.operands[0])
            else:
                append(substituted(op, env))
    return rebuilt(region, b.ops, region.yields)
