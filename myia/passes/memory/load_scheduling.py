"""A trip of a loop reads an array before it writes it, and writes each window once.

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

Each trip of the reversal of a loop over elements takes the cotangent of one and adds to those of
its neighbours, one after the other: reads and writes alternate, and each has to wait for the one
before it. Of windows known to lie apart (`linear_indices.py`) nothing has to wait. Neighbours that
are read from one version of the array can then be read at once (`adjacent_accesses.py`).
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

# Elements of a window. Larger ones are better rewritten where they are, which takes no fence.
MAX_SLICE_ELEMENTS = 16


def schedule_loads(function: Function) -> Function:
    """`function` with the reads of small windows in loops before the stores that lie apart, and
    without stores of windows that are stored again."""
    ranges = IndexRanges(function.region)
    constants = [op for op in walk(function.region) if op.primitive is constant_p]
    numbers = {y for op in constants for y in op.results}

    def change(region: Region) -> Region:
        return _stored_once(_reading_first(region, ranges, numbers), ranges)

    return rewrite_loop_bodies(function, change)


# ----- Reads


def _reading_first(region: Region, ranges: IndexRanges, numbers: Collection[Value]) -> Region:
    """`region` with each read made of the oldest version that has what it reads."""
    stores: dict[Value, Op] = {}  # by what they make
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            if op.primitive is dynamic_update_slice:
                stores[op.results[0]] = op
            if op.primitive is not dynamic_slice:
                append(op)
                continue
            array, stored = _oldest(op, stores, ranges)
            small = prod(op.params["sizes"]) <= MAX_SLICE_ELEMENTS
            if stored is not None and (small or stored in numbers):
                env[op.results[0]] = stored
            else:
                append(_of_array(op, array) if small else op)
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _oldest(read: Op, stores: dict[Value, Op], ranges: IndexRanges) -> tuple[Value, Value | None]:
    """The array that a window can be read from, and what it holds if it was stored just there."""
    array = read.operands[0]
    while array in stores:
        store = stores[array]
        if is_same_slice(read, store, ranges):
            return array, store.operands[1]
        if not is_disjoint_slice(read, store, ranges):
            break
        array = store.operands[0]
    return array, None


def _of_array(access: Op, array: Value) -> Op:
    """This read or store, of `array`."""
    if array is access.operands[0]:
        return access
    operands = (array, *access.operands[1:])
    return Op(access.primitive, operands, access.params, (), access.results, access.span)


# ----- Stores


def _stored_once(region: Region, ranges: IndexRanges) -> Region:
    """`region` without the stores of what it stores again, before anybody reads it."""
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            if _is_dead(op, region, ranges):
                env[op.results[0]] = env.get(op.operands[0], op.operands[0])
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    return rebuilt(region, b.ops, region.yields)


def _is_dead(store: Op, region: Region, ranges: IndexRanges) -> bool:
    """Does nobody see the window? It is stored again, or the array is dropped, and till then
    nothing is done but to read and to store windows that lie apart."""
    if store.primitive is not dynamic_update_slice:
        return False
    versions = [store.results[0]]
    while versions:
        array = versions.pop()
        if array in region.yields:
            return False
        for op in uses(region).get(array, ()):
            if op.primitive not in STORES or array in op.operands[1:]:
                if not _only_reads_elsewhere(op, array, store, ranges):
                    return False
            elif op.primitive is not dynamic_update_slice or not is_same_slice(store, op, ranges):
                if not is_disjoint_slice(store, op, ranges):
                    return False
                versions += op.results
    return True


def _only_reads_elsewhere(op: Op, array: Value, store: Op, ranges: IndexRanges) -> bool:
    """Does `op` nothing with `array`, in its regions either, but read what lies apart?"""
    if not op.regions:
        apart = op.primitive is dynamic_slice and op.operands[0] is array
        return apart and is_disjoint_slice(op, store, ranges)
    return array not in op.operands and all(
        array not in region.yields
        and all(_only_reads_elsewhere(x, array, store, ranges) for x in uses(region).get(array, ()))
        for region in op.regions
    )
