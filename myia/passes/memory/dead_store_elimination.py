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

from myia.analysis.array_versions import (
    VersionChain,
    other_uses,
    reads_ahead_of_stores,
    reads_initial_value,
    slice_chains,
)
from myia.analysis.linear_indices import IndexRanges
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.def_use import nested_uses, uses
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
        for i, chain in enumerate(slice_chains(loop.body)):
            if chain is not None and self._has_dead_stores(op, loop, i, chain):
                env.update(dict.fromkeys(chain.versions, loop.body.args[1 + i]))
        if not env:
            return op
        body = substituted_region(loop.body, env)
        regions = (body,) if loop.cond is None else (loop.cond, body)
        return Op(op.primitive, op.operands, op.params, regions, op.results, op.span)

    def _has_dead_stores(self, op: Op, loop: Loop, i: int, chain: VersionChain) -> bool:
        """Are there stores into carry `i`, and does no load read them, in the loop or after it?

        All other uses are loads of what was there before the stores, or ops that compute only what
        is stored into the array itself.
        """
        if op.results[i] in self.used or not chain.stores:
            return False
        arg, others = loop.body.args[1 + i], other_uses(loop, i)
        return others is not None and all(
            self._precedes_stores(user, loop, arg) or _is_only_stored(user, loop.body, chain)
            for user in others
        )

    def _precedes_stores(self, op: Op, loop: Loop, arg: Value) -> bool:
        """Is `op` a load of elements into which no store before it writes?"""
        return op.primitive is dynamic_slice and (
            reads_initial_value(loop, arg, op, self.ranges)
            or reads_ahead_of_stores(loop, arg, op, self.ranges)
        )


def _is_only_stored(op: Op, body: Region, chain: VersionChain) -> bool:
    """Is what `op` computes in a loop's body used for nothing but stores into the array?"""
    if op.regions or op.primitive.effect:
        return False
    region = nested_uses(body).region_of[op]
    if any(y in region.yields for y in op.results):
        return False
    users = (user for y in op.results for user in uses(region).get(y, ()))
    return all(user in chain.stores or _is_only_stored(user, body, chain) for user in users)
