"""What is cleared and added back stays where it is.

    %ct = dynamic_slice %g, %i                      %ct = dynamic_slice %g, %i
    %g.1 = dynamic_update_slice %g, 0.0, %i         ...
    ...                                             %g.2 = ... (adds to windows of %g)
    %g.2 = ... (adds to windows of %g.1)      ->
    %1 = dynamic_slice %g.2, %i
    %2 = add %1, %ct {reassoc=True}
    %g.3 = dynamic_update_slice %g.2, %2, %i

So is the store of `a[i:] -= x` pulled back: the cotangent of what it stores is also one of what it
overwrites. Between the two nobody looks at the array but to add to it, and cotangents are added in
any order.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.analysis.accesses import is_same_slice
from myia.passes.analysis.array_reductions import ArrayReduction, array_reduction_at
from myia.passes.analysis.def_use import definitions, uses
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.walk import look_up, rebuilt, substituted, substituted_region, with_region


def remove_clear_and_restore(function: Function) -> Function:
    """`function` without windows that are cleared to be added to and back."""
    ranges = functools.cache(lambda: IndexRanges(function.region))
    numbers: dict[Value, object] = {}

    def visit(region: Region) -> Region:
        """Constants may stand in the regions around."""
        constants = (op for op in region.ops if op.primitive is constant_p)
        numbers.update((op.results[0], op.params["value"]) for op in constants)
        ops = [substituted(op, {}, visit) for op in region.ops]
        region = rebuilt(region, ops, region.yields)
        env: Env = {}
        for op in region.ops:
            if op.primitive is dynamic_update_slice and numbers.get(op.operands[1]) == 0:
                last = _Cleared(region, op, ranges(), numbers).added_back()
                if last is not None:
                    env[op.results[0]] = op.operands[0]
                    env[last.results[0]] = last.operands[0]
        return _without(region, env)

    return with_region(function, visit(function.region))


def _without(region: Region, env: Env) -> Region:
    """`region` without the stores that make the keys of `env`, which may lead to one another."""
    if not env:
        return region
    for x in env:
        while env[x] in env:
            env[x] = env[env[x]]
    kept = [op for op in region.ops if env.keys().isdisjoint(op.results)]
    ops = [substituted(op, env, lambda inner: substituted_region(inner, env)) for op in kept]
    return rebuilt(region, ops, look_up(region.yields, env))


class _Cleared:
    """A window that is cleared by `clear`."""

    def __init__(
        self, region: Region, clear: Op, ranges: IndexRanges, numbers: Mapping[Value, object]
    ):
        self.region, self.clear, self.ranges, self.numbers = region, clear, ranges, numbers
        self.definitions = definitions(region)

    def added_back(self) -> Op | None:
        """The store that adds to the window what was in it, if between nobody looks at it."""
        versions = [self.clear.results[0]]
        added: set[Op] = set()
        while True:
            store = self._store_into(versions[-1])
            if store is None:
                return None
            found = array_reduction_at(store, self.region, versions, self.ranges)
            if found is None or not all(total.is_reassociable for total in found.steps):
                return None
            added.update(found.ops)
            if self._adds_back(found):
                return store if self._only_added_to(versions, added) else None
            versions += store.results

    def _store_into(self, array: Value) -> Op | None:
        users = uses(self.region).get(array, ())
        stores = [op for op in users if op.primitive is dynamic_update_slice]
        return stores[0] if len(stores) == 1 else None

    def _only_added_to(self, versions: Sequence[Value], added: set[Op]) -> bool:
        users = {op for x in versions for op in uses(self.region)[x]}
        return users <= added and not any(x in self.region.yields for x in versions)

    def _adds_back(self, found: ArrayReduction) -> bool:
        if len(found.steps) != 1 or not is_same_slice(self.clear, found.store, self.ranges):
            return False
        (total,) = found.steps
        return total.op.primitive is add and self._was_there(total.op.operands[total.term_position])

    def _was_there(self, x: Value) -> bool:
        """Is `x` what the window held before it was cleared?"""
        op = self.definitions.get(x)
        if op is None:
            return False
        if op.primitive is reshape:
            return self._was_there(op.operands[0])
        if op.primitive is add:  # to nothing
            zeros = [y for y in op.operands if self.numbers.get(y) == 0]
            others = [y for y in op.operands if self.numbers.get(y) != 0]
            return len(zeros) == 1 and self._was_there(*others)
        array = self.clear.operands[0]
        return (
            op.primitive is dynamic_slice
            and op.operands[0] is array
            and is_same_slice(op, self.clear, self.ranges)
        )
