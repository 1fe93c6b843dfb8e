"""Predicate implication: a mask is dropped where a later mask selects the same elements anyway.

    %1 = select %m, %x, %pad
    %2 = mul %1, %y                ->      %2 = mul %x, %y
    %3 = select %m, %2, %z                 %3 = select %m, %2, %z

Only the elements of `%2` where `%m` holds are read, and so only those of `%1`; there `%1` is `%x`.
Such masks come from arrays with a dynamic axis: they are padded before each operation, so that no
derivative is taken at masked elements. After the last derivative the values of masked elements that
are not read do not matter.

The analysis goes backwards, through pointwise operations and broadcasts. For each value it computes
a set of predicates that hold for every element that is read: this mask is true there, or false. A
value that anything else reads, or that is yielded, is read everywhere (no predicate).
"""

from __future__ import annotations

from collections.abc import Mapping

from myia.ir.core import Function, Op, Region, Value, reads, walk
from myia.ir.rewrite import Env
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import PointwisePrimitive
from myia.primitives.pointwise.logic import and_, select
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region

# Masks, with the truth value that each of them has at every element that is read.
Predicates = frozenset[tuple[Value, bool]]

READ_EVERYWHERE: Predicates = frozenset()


def mask_simplification(function: Function) -> Function:
    """`function` without selections that a later mask makes redundant."""
    definitions = {y: op for op in walk(function.region) for y in op.results}
    return with_region(function, _region(function.region, definitions))


def _region(region: Region, definitions: Mapping[Value, Op]) -> Region:
    at_reads = _Predicates(region, definitions).of_value
    env: Env = {}
    ops = []
    for op in region.ops:
        op = substituted(op, env, lambda inner: _inner(inner, env, definitions))
        if op.primitive is select:
            always = _always_selected(op, at_reads.get(op.results[0], READ_EVERYWHERE), definitions)
            if always is not None:
                env[op.results[0]] = always
                continue
        ops.append(op)
    return rebuilt(region, ops, tuple(env.get(y, y) for y in region.yields))


def _inner(region: Region, env: Env, definitions: Mapping[Value, Op]) -> Region:
    return _region(substituted_region(region, env), definitions)


def _always_selected(
    op: Op, predicates: Predicates, definitions: Mapping[Value, Op]
) -> Value | None:
    """The operand that the `select` gives wherever the `predicates` hold; None: both."""
    mask, chosen, other = op.operands
    if _is_implied(mask, predicates, definitions):
        return chosen
    return other if (mask, False) in predicates else None


def _is_implied(mask: Value, predicates: Predicates, definitions: Mapping[Value, Op]) -> bool:
    """Whether `mask` is true wherever the `predicates` hold."""
    if (mask, True) in predicates:
        return True
    op = definitions.get(mask)
    return (
        op is not None
        and op.primitive is and_
        and all(_is_implied(x, predicates, definitions) for x in op.operands)
    )


class _Predicates:
    """For each value of a region the predicates that hold wherever one of its users reads it."""

    def __init__(self, region: Region, definitions: Mapping[Value, Op]):
        self.definitions = definitions
        self.of_value: dict[Value, Predicates] = dict.fromkeys(region.yields, READ_EVERYWHERE)
        for op in reversed(region.ops):
            self.visit(op)

    def visit(self, op: Op) -> None:
        if not op.regions and isinstance(op.primitive, PointwisePrimitive):
            predicates = self.of_value.get(op.results[0], READ_EVERYWHERE)
            for i, x in enumerate(op.operands):
                # Each choice of a selection is read only where the mask selects it.
                chosen = op.primitive is select and i > 0
                more = self.truths(op.operands[0], i == 1) if chosen else READ_EVERYWHERE
                self.use(x, predicates | more)
        elif op.primitive is broadcast:
            self.use(op.operands[0], self.before_broadcast(op))
        else:
            for x in reads(op):
                self.use(x, READ_EVERYWHERE)

    def use(self, x: Value, predicates: Predicates) -> None:
        """One more user reads `x` under these predicates: those that all users share remain."""
        self.of_value[x] = self.of_value[x] & predicates if x in self.of_value else predicates

    def truths(self, mask: Value, holds: bool) -> Predicates:
        """The predicates that follow from `mask` being true (`holds`), or false."""
        op = self.definitions.get(mask)
        if op is None or op.primitive is not and_ or not holds:
            return frozenset({(mask, holds)})
        return frozenset({(mask, True)}).union(*(self.truths(x, True) for x in op.operands))

    def before_broadcast(self, op: Op) -> Predicates:
        """Predicates on the operand of a broadcast: masks that are broadcast in the same way."""
        predicates = self.of_value.get(op.results[0], READ_EVERYWHERE)
        made = [(self.definitions[m], holds) for m, holds in predicates if m in self.definitions]
        same = [(other.operands[0], holds) for other, holds in made if _same_broadcast(op, other)]
        return READ_EVERYWHERE.union(*(self.truths(m, holds) for m, holds in same))


def _same_broadcast(one: Op, other: Op) -> bool:
    """Whether both ops broadcast operands of the same shape in the same way."""
    return (
        other.primitive is broadcast
        and other.params == one.params
        and other.operands[0].shape == one.operands[0].shape
    )
