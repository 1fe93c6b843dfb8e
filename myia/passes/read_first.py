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
before it. Of windows known to lie apart (`ranges.py`) nothing has to wait. Neighbours that are read
from one version of the array can then be read at once (`neighbours.py`).
"""

from __future__ import annotations

from functools import partial
from math import prod

from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.places import is_apart, is_same
from myia.passes.ranges import Ranges
from myia.passes.uses import next_store, uses
from myia.passes.walk import look_up, rebuilt, rewrite_trips, substituted, substituted_region
from myia.primitives.windows import dynamic_slice, dynamic_update_slice

# Elements of a window. Larger ones are better rewritten where they are, which takes no fence.
SMALL = 16


def read_first(function: Function) -> Function:
    """`function` with the reads of small windows in loops before the stores that lie apart."""
    ranges = Ranges(function.region)

    def change(region: Region) -> Region:
        return _stored_once(_reading_first(region, ranges), ranges)

    return rewrite_trips(function, change)


# ----- Reads


def _reading_first(region: Region, ranges: Ranges) -> Region:
    """`region` with each read made of the oldest version that has what it reads."""
    stores: dict[Value, Op] = {}  # by what they make
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            if op.primitive is dynamic_update_slice:
                stores[op.results[0]] = op
            if op.primitive is not dynamic_slice or prod(op.params["sizes"]) > SMALL:
                append(op)
                continue
            array, stored = _oldest(op, stores, ranges)
            if stored is None:
                append(_of_array(op, array))
            else:
                env[op.results[0]] = stored
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _oldest(read: Op, stores: dict[Value, Op], ranges: Ranges) -> tuple[Value, Value | None]:
    """The array that a window can be read from, and what it holds if it was stored just there."""
    array = read.operands[0]
    while array in stores:
        store = stores[array]
        if is_same(read, store, ranges):
            return array, store.operands[1]
        if not is_apart(read, store, ranges):
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


def _stored_once(region: Region, ranges: Ranges) -> Region:
    """`region` without the stores of what it stores again, before anybody reads it."""
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            if _is_dead(op, region, ranges):
                env[op.results[0]] = env.get(op.operands[0], op.operands[0])
            else:
                append(substituted(op, env, partial(substituted_region, env=env)))
    return rebuilt(region, b.ops, region.yields)


def _is_dead(store: Op, region: Region, ranges: Ranges) -> bool:
    """Is the window stored again, and nothing between but stores that lie apart? Or is nothing
    done with the array but reading what lies apart?"""
    if store.primitive is not dynamic_update_slice:
        return False
    if _only_read_elsewhere(store, region, ranges):
        return True
    after = next_store(store, region)
    while after is not None and is_apart(store, after, ranges):
        after = next_store(after, region)
    return after is not None and is_same(store, after, ranges)


def _only_read_elsewhere(store: Op, region: Region, ranges: Ranges) -> bool:
    (array,) = store.results
    if array in region.yields:
        return False
    return all(
        _only_read_elsewhere_in(op, store, ranges)
        if op.regions
        else _reads_elsewhere(op, store, ranges)
        for op in uses(region).get(array, ())
    )


def _only_read_elsewhere_in(op: Op, store: Op, ranges: Ranges) -> bool:
    """Within the regions of `op`?"""
    inside = (_only_read_elsewhere(store, region, ranges) for region in op.regions)
    return store.results[0] not in op.operands and all(inside)


def _reads_elsewhere(op: Op, store: Op, ranges: Ranges) -> bool:
    return op.primitive is dynamic_slice and is_apart(op, store, ranges)
