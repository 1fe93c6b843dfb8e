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
windows lie apart (`array_versions.py`): along some axis they start at `a * k + c`, within the
array, and `abs(a)` is at least their size. Then the array never changes, as `carries.py` will
notice, and its reads need no fence; what only its stores needed, in inner loops too, goes.

Nor does a trip see stores behind which it reads, as the reversal of `x[i] += f * x[i - 1]` does: it
restores element i and reads i - 1, which has not been restored yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.passes.analysis.array_versions import (
    VersionChain,
    carried_chains,
    reads_ahead_of_stores,
    reads_initial_value,
)
from myia.passes.analysis.def_use import uses
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region


def eliminate_dead_stores(function: Function) -> Function:
    """`function` without stores into carried arrays that no later trip reads."""
    return with_region(function, _Stores(function).region(function.region))


class _Stores:
    def __init__(self, function: Function):
        ops = list(walk(function.region))
        self.ranges = IndexRanges(function.region)
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
        env: Env = {}
        for i, arg in enumerate(loop.body.args[1:]):
            if self.is_dead(op, loop, i):
                env.update(dict.fromkeys(carried_chains(loop.body)[i].versions, arg))
        if not env:
            return op
        body = substituted_region(loop.body, env)
        regions = (body,) if loop.cond is None else (loop.cond, body)
        return Op(op.primitive, op.operands, op.params, regions, op.results, op.span)

    def is_dead(self, op: Op, loop: Loop, i: int) -> bool:
        """Are the stores into carry `i` seen neither after the loop nor by another trip?"""
        if op.results[i] in self.read:
            return False
        if loop.cond is not None and loop.cond.args[1 + i] in self.read:
            return False
        arg, history = loop.body.args[1 + i], carried_chains(loop.body)[i]
        if history is None or not history.stores:
            return False
        versions = {arg, *history.versions}
        return _stays(loop, versions, i) and all(
            self._is_step(user, versions, history)
            or self._is_early(user, loop, arg)
            or _is_only_stored(user, region, history)
            for region in _regions(loop.body)
            for user in region.ops
            if not versions.isdisjoint(user.operands)
        )

    def _is_step(self, op: Op, versions: set[Value], history: VersionChain) -> bool:
        """Does `op` make a version of another and do no more with it?"""
        if op in history.stores:
            return op.operands[0] in versions and versions.isdisjoint(op.operands[1:])
        if op.primitive is not loop_p or Loop.of(op).cond is not None:
            return False
        carries, results = Loop.of(op).carries, op.results
        return all(y in versions for x, y in zip(carries, results) if x in versions)

    def _is_early(self, op: Op, loop: Loop, arg: Value) -> bool:
        return op.primitive is dynamic_slice and (
            reads_initial_value(loop, arg, op, self.ranges)
            or reads_ahead_of_stores(loop, arg, op, self.ranges)
        )


def _is_only_stored(op: Op, region: Region, history: VersionChain) -> bool:
    """Is what `op` computes in `region` seen by nobody but stores into the array?"""
    if op.regions or op.primitive.effect or any(y in region.yields for y in op.results):
        return False
    users = (user for y in op.results for user in uses(region).get(y, ()))
    return all(user in history.stores or _is_only_stored(user, region, history) for user in users)


def _regions(region: Region) -> Iterator[Region]:
    """A region, and all that are in it."""
    yield region
    for op in region.ops:
        for inner in op.regions:
            yield from _regions(inner)


def _stays(loop: Loop, versions: set[Value], i: int) -> bool:
    """Do the trips hand on what is in `versions` as that, and as carry `i`, and as nothing else?"""
    handed = {y for j, y in enumerate(loop.body.yields) if j != i}
    for op in walk(loop.body):
        for region in op.regions:
            results = zip(region.yields[-len(op.results) :], op.results)
            handed.update(y for y, result in results if result not in versions)
    return versions.isdisjoint(handed)
