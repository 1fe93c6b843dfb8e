"""Elements that a mask leaves out need no other mask before it.

    %1 = select %m, %x, %pad
    %2 = mul %1, %y                ->      %2 = mul %x, %y
    %3 = select %m, %2, %z                 %3 = select %m, %2, %z

Of `%2`, and so of `%1`, only the elements are read where `%m` holds; there `%1` is `%x`. Arrays of
a run-time size are padded before each operation, so that no derivative meets what is not there.
When all derivatives have been taken, it does not matter what becomes of padding that is left out.

Masks are followed back through pointwise operations and broadcasts, as sets of what is known of
every element that is read: that a mask holds there, or that it does not. What is read by anything
else, or is yielded, is read everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.passes.analysis.def_use import reads
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import PointwisePrimitive
from myia.primitives.pointwise.logic import and_, select
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region

Masks = frozenset[tuple[Value, bool]]  # whether they hold, of each element that is read

EVERYWHERE: Masks = frozenset()


def simplify_masks(function: Function) -> Function:
    """`function` without selections all of whose other elements are left out later."""
    definitions = {y: op for op in walk(function.region) for y in op.results}
    return with_region(function, _region(function.region, definitions))


def _region(region: Region, definitions: Mapping[Value, Op]) -> Region:
    read, env = _Read(region, definitions).masks, {}
    ops = []
    for op in region.ops:
        op = substituted(op, env, lambda inner: _inner(inner, env, definitions))
        if op.primitive is select:
            known = _known(op, read.get(op.results[0], EVERYWHERE), definitions)
            if known is not None:
                env[op.results[0]] = known
                continue
        ops.append(op)
    return rebuilt(region, ops, tuple(env.get(y, y) for y in region.yields))


def _inner(region: Region, env: Env, definitions: Mapping[Value, Op]) -> Region:
    return _region(substituted_region(region, env), definitions)


def _known(op: Op, masks: Masks, definitions: Mapping[Value, Op]) -> Value | None:
    """What the selection `op` selects wherever `masks` are as they say, if always the same."""
    mask, chosen, other = op.operands
    if _implied(mask, masks, definitions):
        return chosen
    return other if (mask, False) in masks else None


def _implied(mask: Value, masks: Masks, definitions: Mapping[Value, Op]) -> bool:
    """Does `mask` hold wherever `masks` are as they say?"""
    if (mask, True) in masks:
        return True
    op = definitions.get(mask)
    return (
        op is not None
        and op.primitive is and_
        and all(_implied(x, masks, definitions) for x in op.operands)
    )


class _Read:
    """Under which masks each value of a region is read, by all who read it."""

    def __init__(self, region: Region, definitions: Mapping[Value, Op]):
        self.definitions = definitions
        self.masks: dict[Value, Masks] = dict.fromkeys(region.yields, EVERYWHERE)
        for op in reversed(region.ops):
            self.visit(op)

    def visit(self, op: Op) -> None:
        if not op.regions and isinstance(op.primitive, PointwisePrimitive):
            masks = self.masks.get(op.results[0], EVERYWHERE)
            for i, x in enumerate(op.operands):
                sides = op.primitive is select and i > 0
                self.use(x, masks | self.truths(op.operands[0], i == 1) if sides else masks)
        elif op.primitive is broadcast:
            self.use(op.operands[0], self.before(op))
        else:
            for x in reads(op):
                self.use(x, EVERYWHERE)

    def use(self, x: Value, masks: Masks) -> None:
        self.masks[x] = self.masks[x] & masks if x in self.masks else masks

    def truths(self, mask: Value, holds: bool) -> Masks:
        """What is known where `mask` holds, or where it does not."""
        op = self.definitions.get(mask)
        if op is None or op.primitive is not and_ or not holds:
            return frozenset({(mask, holds)})
        return frozenset({(mask, True)}).union(*(self.truths(x, True) for x in op.operands))

    def before(self, op: Op) -> Masks:
        """Masks of the operand of a broadcast: those that were made larger as it was."""
        masks = self.masks.get(op.results[0], EVERYWHERE)
        made = [(self.definitions[m], holds) for m, holds in masks if m in self.definitions]
        same = [(other.operands[0], holds) for other, holds in made if _alike(op, other)]
        return EVERYWHERE.union(*(self.truths(m, holds) for m, holds in same))


def _alike(one: Op, other: Op) -> bool:
    """Do two broadcasts do the same to what they are given?"""
    return (
        other.primitive is broadcast
        and other.params == one.params
        and other.operands[0].shape == one.operands[0].shape
    )
