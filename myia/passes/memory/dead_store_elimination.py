"""Dead store elimination: stores into a carried array that nothing reads, in the loop or after it.

    %y, %b = for %k < %n (%y = %x, %b = %b0) bound 8 {   ->    %y, %b = for ... (... %b = %b0) {
      %i = sub 7, %k                                             %i = sub 7, %k
      %1 = dynamic_slice %b, %i {sizes=(1,)}                     %1 = dynamic_slice %b, %i
      %2 = f(%y, %1)                                             %2 = f(%y, %1)
      %3 = dynamic_update_slice %b, %0, %i
      yield %2, %3                                               yield %2, %b
    }                                                          }
    return %y                                                  return %y

The example is the adjoint of a loop that fills an array: each iteration reads the cotangent of its
element and clears it, and the array is not read after the loop. The pass makes the array
loop-invariant, so that `loop_carried_values.py` removes it from the carried values and its loads
need no opaque barrier. Ops that only the stores needed go, too, also in inner loops.

A store is dead if no load sees it. `array_versions.py` proves this for a load in two ways:
- Iterations access disjoint slices: along some axis the slices start at `a * k + c`, inside the
  array, and `abs(a)` is at least their size. The load then sees the initial value.
- The load is ahead of all stores, as in the adjoint of `x[i] += f * x[i - 1]`: it restores element
  i and reads element i - 1, which has not been restored yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.passes.analysis.array_versions import (
    VersionChain,
    reads_ahead_of_stores,
    reads_initial_value,
    slice_chains,
)
from myia.passes.analysis.def_use import uses
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region


def dead_store_elimination(function: Function) -> Function:
    """`function` without stores into carried arrays that no load reads."""
    return with_region(function, _Elimination(function).region(function.region))


class _Elimination:
    def __init__(self, function: Function):
        ops = list(walk(function.region))
        self.ranges = IndexRanges(function.region)
        regions = [function.region, *(r for op in ops for r in op.regions)]
        self.used = {x for op in ops for x in op.operands}
        self.used.update(y for region in regions for y in region.yields)

    def region(self, region: Region) -> Region:
        return rebuilt(region, [self._op(op) for op in region.ops], region.yields)

    def _op(self, op: Op) -> Op:
        op = substituted(op, {}, self.region)
        if op.primitive is not loop_p:
            return op
        loop = Loop.of(op)
        env: Env = {}
        for i, arg in enumerate(loop.body.args[1:]):
            if self._has_dead_stores(op, loop, i):
                env.update(dict.fromkeys(slice_chains(loop.body)[i].versions, arg))
        if not env:
            return op
        body = substituted_region(loop.body, env)
        regions = (body,) if loop.cond is None else (loop.cond, body)
        return Op(op.primitive, op.operands, op.params, regions, op.results, op.span)

    def _has_dead_stores(self, op: Op, loop: Loop, i: int) -> bool:
        """Are there stores into carry `i`, and does no load read them, in the loop or after it?

        Each use of a version of the array is a step of its version chain, or a load of what was
        there before the stores, or it computes only values that are stored into the array itself.
        """
        if op.results[i] in self.used:
            return False
        if loop.cond is not None and loop.cond.args[1 + i] in self.used:
            return False
        arg, chain = loop.body.args[1 + i], slice_chains(loop.body)[i]
        if chain is None or not chain.stores:
            return False
        versions = {arg, *chain.versions}
        return _stays_within_carry(loop, versions, i) and all(
            self._is_chain_step(user, versions, chain)
            or self._precedes_stores(user, loop, arg)
            or _is_only_stored(user, region, chain)
            for region in _with_nested_regions(loop.body)
            for user in region.ops
            if not versions.isdisjoint(user.operands)
        )

    def _is_chain_step(self, op: Op, versions: set[Value], chain: VersionChain) -> bool:
        """Does `op` make a version of the array from another one, and use it for nothing else?"""
        if op in chain.stores:
            return op.operands[0] in versions and versions.isdisjoint(op.operands[1:])
        if op.primitive is not loop_p or Loop.of(op).cond is not None:
            return False
        carries, results = Loop.of(op).carries, op.results
        return all(y in versions for x, y in zip(carries, results) if x in versions)

    def _precedes_stores(self, op: Op, loop: Loop, arg: Value) -> bool:
        """Is `op` a load of elements into which no store before it writes?"""
        return op.primitive is dynamic_slice and (
            reads_initial_value(loop, arg, op, self.ranges)
            or reads_ahead_of_stores(loop, arg, op, self.ranges)
        )


def _is_only_stored(op: Op, region: Region, chain: VersionChain) -> bool:
    """Is what `op` computes in `region` used for nothing but stores into the array?"""
    if op.regions or op.primitive.effect or any(y in region.yields for y in op.results):
        return False
    users = (user for y in op.results for user in uses(region).get(y, ()))
    return all(user in chain.stores or _is_only_stored(user, region, chain) for user in users)


def _with_nested_regions(region: Region) -> Iterator[Region]:
    """A region, and all regions inside it."""
    yield region
    for op in region.ops:
        for inner in op.regions:
            yield from _with_nested_regions(inner)


def _stays_within_carry(loop: Loop, versions: set[Value], i: int) -> bool:
    """Are versions of the array yielded only as versions of it, and by the loop as carry `i`?"""
    escaping = {y for j, y in enumerate(loop.body.yields) if j != i}
    for op in walk(loop.body):
        for region in op.regions:
            results = zip(region.yields[-len(op.results) :], op.results)
            escaping.update(y for y, result in results if result not in versions)
    return versions.isdisjoint(escaping)
