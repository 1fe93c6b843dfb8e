"""Reductions into array elements whose indices differ by constants, as in adjoints of stencils.

    g[i - 1] += a; g[i] += b; g[i + 1] += c

    %h = sub %i, 1
    %1 = dynamic_slice %g, %h                  an element gets c first, in the iteration in which
    %2 = add %1, %a                            its index is i + 1; b one iteration later, where
    %g.1 = dynamic_update_slice %g, %2, %h     it is i; and a after two, where it is i - 1
    ...                                        the same with i and b, with i + 1 and c

What it computes: the reductions into an array that a loop carries, in an order in which a whole
vector of iterations can apply them: first all contributions of these iterations to the leading
index, then all contributions to the one behind it, and so on.

What it guarantees: each element receives its contributions in the order of the loop. All indices
have the same stride, so this order is that of the distances between the indices, the same for all
elements. Only cotangents (`reassoc`) may be added in another order, and so at indices with
different strides. Every other load from the array finds an element to which the loop has not yet
added.

When it gives up: a store of something else than the element plus contributions, a partial sum that
is used elsewhere, an element that is read after the first contribution to it.
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

# Commutative and associative, but for rounding.
REDUCTIONS = {arithmetic.add, arithmetic.mul, arithmetic.max, arithmetic.min, logic.and_, logic.or_}
SHAPE_CHANGES = {reshape, broadcast}  # of a single element: they do not change it


@dataclass(frozen=True)
class Stride:
    """An access moves by `step`, which is 1 or -1, along `axis` from iteration to iteration."""

    axis: int
    step: int


@dataclass(frozen=True)
class ReductionStep:
    """`op` combines a running sum with what an iteration contributes to it.

    The contribution is the operand at `term_position`, the running sum is the other operand.
    """

    op: Op
    term_position: int

    @property
    def accumulates(self) -> bool:
        """Is the contribution added to the running sum, and not the sum subtracted from it?"""
        subtracts = self.op.primitive is arithmetic.sub and self.term_position == 1
        return self.op.primitive in REDUCTIONS or subtracts

    @property
    def is_reassociable(self) -> bool:
        """May the contributions be added in any order?"""
        return self.op.params.get("reassoc", False)


@dataclass(frozen=True)
class ArrayReduction:
    """An element is loaded, contributions are added to it, and it is stored where it was.

    `ops` are all the ops that do this. The load is not among them if it has other uses.
    """

    store: Op
    steps: tuple[ReductionStep, ...]
    ops: tuple[Op, ...]


def array_reductions_of(
    body: Region, versions: Sequence[Value], strides: Mapping[Op, Stride], ranges: IndexRanges
) -> tuple[ArrayReduction, ...] | None:
    """The reductions into an array, given its versions, in an order that is right for each element.

    None if the array is used in another way.
    """
    accesses = [op for x in versions for op in uses(body).get(x, ())]
    stores = [op for op in accesses if op.primitive is dynamic_update_slice]
    matcher = _ReductionMatcher(body, versions, ranges)
    reductions = [matcher.reduction_at(store) for store in stores]
    if None in reductions:
        return None
    other_reads = set(accesses) - {op for reduction in reductions for op in reduction.ops}

    def reads_before(read: Op, store: Op) -> bool:
        lead = _iterations_between(read, store, strides, ranges)
        in_order = versions.index(read.operands[0]) <= versions.index(store.operands[0])
        return lead is not None and (lead < 0 or (lead == 0 and in_order))

    if not all(reads_before(read, store) for read in other_reads for store in stores):
        return None
    leads = [_iterations_between(stores[0], store, strides, ranges) for store in stores]
    if None not in leads:
        leading_first = sorted(range(len(stores)), key=lambda i: -leads[i])
        return tuple(reductions[i] for i in leading_first)
    any_order = all(step.is_reassociable for reduction in reductions for step in reduction.steps)
    return tuple(reductions) if any_order else None


def array_reduction_at(
    store: Op, body: Region, versions: Sequence[Value], ranges: IndexRanges
) -> ArrayReduction | None:
    """The reduction that ends with `store`, if it adds to the element that it overwrites."""
    return _ReductionMatcher(body, versions, ranges).reduction_at(store)


def _iterations_between(
    op: Op, other: Op, strides: Mapping[Op, Stride], ranges: IndexRanges
) -> int | None:
    """How many iterations earlier than `op` does `other` access an element? None if not constant.

    Negative if it accesses the element later.
    """
    if strides[op] != strides[other]:
        return None
    axis, step = strides[op].axis, strides[op].step
    start, other_start = (ranges.linear_form(start_indices(x)[axis]) for x in (op, other))
    distance = minus(other_start, start)
    return distance[ONE] * step if set(distance) <= {ONE} else None


class _ReductionMatcher:
    """Matches load, additions, store, in one region and for the versions of one array."""

    def __init__(self, body: Region, versions: Sequence[Value], ranges: IndexRanges):
        self.body, self.versions, self.ranges = body, versions, ranges
        self.definitions = definitions(body)

    def reduction_at(self, store: Op) -> ArrayReduction | None:
        matched = self._match(store.operands[1], store)
        if matched is None:
            return None
        steps = tuple(x for x in matched if isinstance(x, ReductionStep))
        ops = (x.op if isinstance(x, ReductionStep) else x for x in matched)
        return ArrayReduction(store, steps, (*ops, store)) if steps else None

    def _match(self, x: Value, store: Op) -> list[Op | ReductionStep] | None:
        """The ops that compute `x` from the element that `store` overwrites, the load first.

        None if `x` is computed in another way, or if a partial sum has another use.
        """
        op = self.definitions.get(x)
        if op is None:
            return None
        read_operands = [y for user in uses(self.body)[x] for y in user.operands]
        has_other_uses = read_operands.count(x) != 1 or x in self.body.yields
        if op.primitive is dynamic_slice:
            if op.operands[0] not in self.versions or not self._is_overwritten(op, store):
                return None
            return [] if has_other_uses else [op]
        if has_other_uses:
            return None
        if op.primitive in SHAPE_CHANGES:
            before = self._match(op.operands[0], store)
            return None if before is None else [*before, op]
        if op.primitive not in (arithmetic.add, arithmetic.sub):
            return None
        for step in (ReductionStep(op, 1), ReductionStep(op, 0)):
            running_sum = op.operands[1 - step.term_position]
            before = self._match(running_sum, store) if step.accumulates else None
            if before is not None:
                return [*before, step]
        return None

    def _is_overwritten(self, read: Op, store: Op) -> bool:
        """Does `store` overwrite what `read` finds, with no store to these elements in between?"""
        array = store.operands[0]
        while array is not read.operands[0]:
            between = self.definitions.get(array)
            if between is None or between.primitive is not dynamic_update_slice:
                return False
            if not is_disjoint_slice(between, store, self.ranges):
                return False
            array = between.operands[0]
        return is_same_slice(read, store, self.ranges)
