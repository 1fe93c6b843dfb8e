"""Clear and restore: a slice that is set to zero, added to, and then gets its old value added back.

    %ct = dynamic_slice %g, %i                      %ct = dynamic_slice %g, %i
    %g.1 = dynamic_update_slice %g, 0.0, %i         ...
    ...                                             %g.2 = ... (adds to slices of %g)
    %g.2 = ... (adds to slices of %g.1)       ->
    %1 = dynamic_slice %g.2, %i
    %2 = add %1, %ct {reassoc=True}
    %g.3 = dynamic_update_slice %g.2, %2, %i

Both stores are removed. The pullback of the store of `a[i:] -= x` has this form: the cotangent of
the stored value is also a cotangent of the overwritten value.

Between the two stores the array may only be added to, and the additions must be reassociable, as
those of cotangents are: the old value is now the first term of the sum and not the last.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from myia.analysis.array_versions import store_into
from myia.analysis.linear_indices import IndexRanges, is_same_slice
from myia.analysis.reductions import array_reduction_at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region
from myia.widening.summary import ArrayReduction


def clear_and_restore(function: Function) -> Function:
    """`function` with slices left unchanged that are cleared and restored."""
    ranges = functools.cache(lambda: IndexRanges(function.region))
    constants: dict[Value, object] = {}  # of the region and of those around it

    def visit(region: Region) -> Region:
        found = (op for op in region.ops if op.primitive is constant_p)
        constants.update((op.results[0], op.params["value"]) for op in found)
        ops = [substituted(op, {}, visit) for op in region.ops]
        region = rebuilt(region, ops, region.yields)
        env: Env = {}
        for op in region.ops:
            if op.primitive is dynamic_update_slice and constants.get(op.operands[1]) == 0:
                restore = _ClearedSlice(region, op, ranges(), constants).restoring_store()
                if restore is not None:
                    env[op.results[0]] = op.operands[0]
                    env[restore.results[0]] = restore.operands[0]
        return _without_stores(region, env)

    return with_region(function, visit(function.region))


def _without_stores(region: Region, env: Env) -> Region:
    """`region` without the stores whose results are keys of `env`, the array before each store
    being its value.
    """
    if not env:
        return region
    # A removed store may follow another one: its array is then the one before both.
    for x in env:
        while env[x] in env:
            env[x] = env[env[x]]
    kept = [op for op in region.ops if env.keys().isdisjoint(op.results)]
    return rebuilt(region, [substituted(op, env) for op in kept], look_up(region.yields, env))


class _ClearedSlice:
    """A slice that the store `clear` sets to zero."""

    def __init__(
        self, region: Region, clear: Op, ranges: IndexRanges, constants: Mapping[Value, object]
    ):
        self.region, self.clear, self.ranges, self.constants = region, clear, ranges, constants
        self.definitions = definitions(region)

    def restoring_store(self) -> Op | None:
        """The store that adds the old value to the slice, if the array is only added to before."""
        versions = [self.clear.results[0]]
        reduction_ops: set[Op] = set()
        while True:
            store = store_into(versions[-1], self.region)
            if store is None:
                return None
            found = array_reduction_at(store, self.region, versions, self.ranges)
            if found is None or not all(step.is_reassociable for step in found.steps):
                return None
            reduction_ops.update(found.ops)
            if self._restores(found):
                return store if self._have_no_other_uses(versions, reduction_ops) else None
            versions += store.results

    def _have_no_other_uses(self, versions: Sequence[Value], reduction_ops: set[Op]) -> bool:
        users = {op for x in versions for op in uses(self.region)[x]}
        return users <= reduction_ops and not any(x in self.region.yields for x in versions)

    def _restores(self, reduction: ArrayReduction) -> bool:
        """Does this add the old value, and nothing else, to the cleared slice?"""
        steps, store = reduction.steps, reduction.store
        if len(steps) != 1 or not is_same_slice(self.clear, store, self.ranges):
            return False
        (step,) = steps
        return step.op.primitive is add and self._is_old_value(step.op.operands[step.term_position])

    def _is_old_value(self, x: Value) -> bool:
        """Is `x` the value of the slice before it was cleared?"""
        op = self.definitions.get(x)
        if op is None:
            return False
        if op.primitive is reshape:
            return self._is_old_value(op.operands[0])
        if op.primitive is add:  # to zero
            zeros = [y for y in op.operands if self.constants.get(y) == 0]
            others = [y for y in op.operands if self.constants.get(y) != 0]
            return len(zeros) == 1 and self._is_old_value(*others)
        array = self.clear.operands[0]
        return (
            op.primitive is dynamic_slice
            and op.operands[0] is array
            and is_same_slice(op, self.clear, self.ranges)
        )
