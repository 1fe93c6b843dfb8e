"""Arrays that the trips of a loop only add to: `g[i - 1] += a; g[i] += b; g[i + 1] += c`.

    %1 = dynamic_slice %g, %i                       an element gets c, of the trip that comes to it
    %2 = add %1, %a                                 first; then b; then a
    %g.1 = dynamic_update_slice %g, %2, %i

As the reversal of a stencil does. The places move together from trip to trip, so the order in which
an element is added to is that of their distances, the same for all elements; and so are many trips
made at once: all that they add in the place that is ahead, then what they add behind it. Cotangents
are summed in any order, and so may be added in places that move against each other.

Elements may also be read for something else, before any trip adds to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value
from myia.passes.analysis.accesses import is_disjoint_slice, is_same_slice, start_indices
from myia.passes.analysis.def_use import definitions, uses
from myia.passes.analysis.linear_indices import ONE, IndexRanges, minus
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.pointwise import arithmetic, logic

SUMS = {arithmetic.add, arithmetic.mul, arithmetic.max, arithmetic.min, logic.and_, logic.or_}
SHAPE_CHANGES = {reshape, broadcast}


@dataclass(frozen=True)
class Stride:
    """How an access moves from trip to trip: by `step`, which is 1 or -1, along `axis`."""

    axis: int
    step: int


@dataclass(frozen=True)
class ReductionStep:
    """The op that adds to a sum what a trip has found, which is the operand `term_position`."""

    op: Op
    term_position: int

    @property
    def accumulates(self) -> bool:
        """Is what a trip has found added, and not the sum to it?"""
        return self.op.primitive in SUMS or (
            self.op.primitive is arithmetic.sub and self.term_position == 1
        )

    @property
    def is_reassociable(self) -> bool:
        """May the numbers be added in any order?"""
        return self.op.params.get("reassoc", False)


@dataclass(frozen=True)
class ArrayReduction:
    """An element that is read, added to and stored where it was; `ops` are all of these, but a read
    of which more is made."""

    store: Op
    steps: tuple[ReductionStep, ...]
    ops: tuple[Op, ...]


def array_reductions_of(
    body: Region, versions: Sequence[Value], moves: Mapping[Op, Stride], ranges: IndexRanges
) -> tuple[ArrayReduction, ...] | None:
    """What is done to an array, in an order that suits all elements; None if more is done."""
    accesses = [op for x in versions for op in uses(body).get(x, ())]
    stores = [op for op in accesses if op.primitive is dynamic_update_slice]
    search = _Search(body, versions, ranges)
    found = [search.accumulation(store) for store in stores]
    if None in found:
        return None
    others = set(accesses) - {op for accumulation in found for op in accumulation.ops}

    def untouched(read: Op, store: Op) -> bool:
        ahead = _ahead(read, store, moves, ranges)
        first = versions.index(read.operands[0]) <= versions.index(store.operands[0])
        return ahead is not None and (ahead < 0 or (ahead == 0 and first))

    if not all(untouched(read, store) for read in others for store in stores):
        return None
    ahead = [_ahead(stores[0], store, moves, ranges) for store in stores]
    if None not in ahead:
        order = sorted(range(len(stores)), key=lambda i: -ahead[i])
        return tuple(found[i] for i in order)
    free = all(total.is_reassociable for accumulation in found for total in accumulation.steps)
    return tuple(found) if free else None


def array_reduction_at(
    store: Op, body: Region, versions: Sequence[Value], ranges: IndexRanges
) -> ArrayReduction | None:
    """What is done where `store` stores, if an element of these versions is added to."""
    return _Search(body, versions, ranges).accumulation(store)


def _ahead(op: Op, other: Op, moves: Mapping[Op, Stride], ranges: IndexRanges) -> int | None:
    """By how many trips `other` comes to an element before `op` does."""
    if moves[op] != moves[other]:
        return None
    axis, step = moves[op].axis, moves[op].step
    distance = minus(
        ranges.linear_form(start_indices(other)[axis]),
        ranges.linear_form(start_indices(op)[axis]),
    )
    return distance[ONE] * step if set(distance) <= {ONE} else None


class _Search:
    def __init__(self, body: Region, versions: Sequence[Value], ranges: IndexRanges):
        self.body, self.versions, self.ranges = body, versions, ranges
        self.definitions = definitions(body)

    def accumulation(self, store: Op) -> ArrayReduction | None:
        found = self._sums(store.operands[1], store)
        if found is None:
            return None
        totals = tuple(x for x in found if isinstance(x, ReductionStep))
        ops = (x.op if isinstance(x, ReductionStep) else x for x in found)
        return ArrayReduction(store, totals, (*ops, store)) if totals else None

    def _sums(self, x: Value, store: Op) -> list[Op | ReductionStep] | None:
        """What makes `x` of the element that `store` overwrites, if it is seen by nobody else."""
        op = self.definitions.get(x)
        if op is None:
            return None
        readers = [y for user in uses(self.body)[x] for y in user.operands]
        seen = readers.count(x) != 1 or x in self.body.yields
        if op.primitive is dynamic_slice:
            known = op.operands[0] in self.versions and self._is_overwritten(op, store)
            return ([] if seen else [op]) if known else None
        if seen:
            return None
        if op.primitive in SHAPE_CHANGES:
            before = self._sums(op.operands[0], store)
            return None if before is None else [*before, op]
        if op.primitive not in (arithmetic.add, arithmetic.sub):
            return None
        for total in (ReductionStep(op, 1), ReductionStep(op, 0)):
            before = (
                self._sums(op.operands[1 - total.term_position], store)
                if total.accumulates
                else None
            )
            if before is not None:
                return [*before, total]
        return None

    def _is_overwritten(self, read: Op, store: Op) -> bool:
        """Does `store` overwrite what `read` finds? A store between them may have changed that."""
        array = store.operands[0]
        while array is not read.operands[0]:
            between = self.definitions.get(array)
            if between is None or between.primitive is not dynamic_update_slice:
                return False
            if not is_disjoint_slice(between, store, self.ranges):
                return False
            array = between.operands[0]
        return is_same_slice(read, store, self.ranges)
