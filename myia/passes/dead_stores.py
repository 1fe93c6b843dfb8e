"""Stores that nobody reads: each trip of a loop has a window of an array to itself.

    %y, %b = for %k < %n (%y = %x, %b = %b0) bound 8 {   ->    %y, %b = for ... (... %b = %b0) {
      %i = sub 7, %k                                             %i = sub 7, %k
      %1 = dynamic_slice %b, %i {sizes=(1,)}                     %1 = dynamic_slice %b, %i
      %2 = f(%y, %1)                                             %2 = f(%y, %1)
      %3 = dynamic_update_slice %b, %0, %i
      yield %2, %3                                               yield %2, %b
    }                                                          }
    return %y                                                  return %y

That is the reversal of a loop which fills an array: each trip takes the cotangent of its element
and clears it, and the array is dropped at the end. No trip sees the store of another when their
windows lie apart: along some axis the window starts at `a * k + c`, within the array, and
`abs(a)` is at least its size. Then the array never changes, as `carries.py` will notice, and its
reads need no fence.
"""

from __future__ import annotations

from collections.abc import Iterator

from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.ranges import Ranges
from myia.passes.walk import rebuilt, substituted, with_region
from myia.primitives.structured import Loop, loop_p
from myia.primitives.windows import dynamic_slice, dynamic_update_slice


def eliminate_dead_stores(function: Function) -> Function:
    """`function` without stores into carried arrays that no later trip reads."""
    return with_region(function, _Stores(function).region(function.region))


class _Stores:
    def __init__(self, function: Function):
        ops = list(walk(function.region))
        self.ranges = Ranges(function.region)
        self.definitions = {y: op for op in ops for y in op.results}
        regions = [function.region, *(r for op in ops for r in op.regions)]
        self.read = {x for op in ops for x in op.operands}
        self.read.update(y for region in regions for y in region.yields)

    def region(self, region: Region) -> Region:
        return rebuilt(region, [self.op(op) for op in region.ops], region.yields)

    def op(self, op: Op) -> Op:
        op = substituted(op, {}, self.region)
        if op.primitive is not loop_p:
            return op
        loop = Loop.of(op)
        dead = [i for i in range(len(loop.carries)) if self.is_dead(op, loop, i)]
        if not dead:
            return op
        args = loop.body.args[1:]
        yields = tuple(args[i] if i in dead else y for i, y in enumerate(loop.body.yields))
        body = Region(loop.body.args, loop.body.ops, yields)
        regions = (body,) if loop.cond is None else (loop.cond, body)
        return Op(op.primitive, op.operands, op.params, regions, op.results, op.span)

    def is_dead(self, op: Op, loop: Loop, i: int) -> bool:
        """Is the store into carry `i` seen neither after the loop nor by another trip?"""
        store = self.definitions.get(loop.body.yields[i])
        if store is None or store.primitive is not dynamic_update_slice:
            return False
        array, update, *start = store.operands
        if array is not loop.body.args[1 + i] or op.results[i] in self.read:
            return False
        if loop.cond is not None and loop.cond.args[1 + i] in self.read:
            return False
        k, apart = loop.body.args[0], self.ranges.trips_apart
        axes = zip(start, update.shape, array.shape)
        return _only_window(store, loop.body) and any(apart(*axis, k) for axis in axes)


def _only_window(store: Op, body: Region) -> bool:
    """Is the array read by windows like that of `store` alone, and what it becomes by nobody?"""
    array, update, *start = store.operands
    windows = 0
    for op in body.ops:
        if op.primitive is dynamic_slice and op.operands[0] is array:
            if op.params["sizes"] != update.shape or op.operands[1:] != tuple(start):
                return False
            windows += 1
    everything = list(_reads(body))
    return everything.count(array) == windows + 1 and everything.count(store.results[0]) == 1


def _reads(body: Region) -> Iterator[Value]:
    """Whatever is read in a region, at any depth, once for each time."""
    for op in walk(body):
        yield from op.operands
        for region in op.regions:
            yield from region.yields
    yield from body.yields
