"""Which loops around recurrences make trips that do not wait for each other.

    for %j < 98 (%v = %v0, %s = %s0) {              each trip of the outer loop has a column of
      %v, %s = for %i < 97 (%v = %v, %s = %s) {     %v to itself, whatever the inner loops do
        %1 = dynamic_slice %v, %i, %j               there, and adds to a sum that has no order
        ...
        %v' = dynamic_update_slice %v, %2, %i', %j
        %s' = add %s, %3 {reassoc=True}
        yield %v', %s'
      }
      yield %v, %s
    }

An access is at a place that moves by one along one axis from trip to trip of the outer loop, and
that is the same for all trips along the others, or depends on the inner loops. What a trip carries
to the next is

- an array: what a trip stores no other one accesses, at whatever point of its inner loops it is;
- an array to which is only added, cotangents, in any places;
- a sum of cotangents at which nobody looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from myia.ir.core import Op, Region, Value, reads, walk
from myia.passes.analysis.accesses import STORES, slice_sizes, start_indices
from myia.passes.analysis.array_reductions import ArrayReduction, Stride, array_reduction_at
from myia.passes.analysis.linear_indices import IndexRanges, LinearForm, constant_form, minus
from myia.passes.vectorize.batching_rules import can_batch
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import select


@dataclass(frozen=True)
class NestSummary:
    """What is known of the trips of the outer loop."""

    varying: set[Value]  # from trip to trip; of the arrays that they share only what is read
    strides: Mapping[Op, Stride]  # of accesses of these
    partial_sums: frozenset[Value]  # carries to which trips add
    reduced_stores: Mapping[Op, ArrayReduction]  # what they add to elements of arrays, by the store
    reduction_ops: frozenset[Op]  # the other ops of that
    arrays: Mapping[Value, Value]  # the carry of which each is a version
    reductions: Mapping = field(
        default_factory=dict
    )  # these two are of loops without loops in them
    array_reductions: Mapping = field(default_factory=dict)

    @property
    def direction(self) -> int:
        """The step of most accesses."""
        return 1 if sum(move.step for move in self.strides.values()) >= 0 else -1


def nest_summary_if_independent(loop: Loop, ranges: IndexRanges) -> NestSummary | None:
    """What the trips of an outer loop have in common, if they do not wait for each other."""
    if loop.count is None or loop.cond is not None:
        return None
    search = _Search(loop.body, ranges)
    return search.nest() if search.all_known() else None


class _Search:
    def __init__(self, body: Region, ranges: IndexRanges):
        self.body, self.k, self.ranges = body, body.args[0], ranges
        self.bodies = list(_bodies(body))
        self.inner = set(_defined(self.bodies[1:]))
        self.arrays = self._arrays()
        self.varying = self._varying()
        self.strides: dict[Op, Stride] = {}
        self.reduced_stores: dict[Op, ArrayReduction] = {}

    def nest(self) -> NestSummary:
        summing = {op for found in self.reduced_stores.values() for op in found.ops} - set(
            self.reduced_stores
        )
        sums = {x for x in self.body.args[1:] if x not in self.arrays}
        return NestSummary(
            self.varying,
            self.strides,
            frozenset(sums),
            self.reduced_stores,
            frozenset(summing),
            self.arrays,
        )

    def all_known(self) -> bool:
        return (
            all(self._is_known(op) for region in self.bodies for op in region.ops)
            and any(self.strides)
            and all(map(self._carry, self.body.args[1:], self.body.yields))
        )

    # ----- Arrays that the trips share

    def _arrays(self) -> dict[Value, Value]:
        """The versions of carries of which windows are read and stored and nothing else."""
        roots = set(self.body.args[1:])
        while True:
            found = {root: root for root in roots}
            others = set(_other_uses(self.body, found))
            if not others:
                return found
            roots -= others

    # ----- What varies from trip to trip

    def _varying(self) -> set[Value]:
        found = {x for x in self.body.args if x not in self.arrays}
        while True:
            before = len(found)
            for region in self.bodies:
                for op in region.ops:
                    found.update(self._vary(op, found))
            if len(found) == before:
                return found

    def _vary(self, op: Op, varying: set[Value]) -> Iterator[Value]:
        if op.primitive is loop_p:
            loop = Loop.of(op)
            for carry in zip(loop.carries, loop.body.args[1:], loop.body.yields, op.results):
                if not varying.isdisjoint(carry):
                    yield from (x for x in carry[1:] if x not in self.arrays)
        elif not varying.isdisjoint(op.operands):
            yield from (y for y in op.results if y not in self.arrays)

    # ----- Ops

    def _is_known(self, op: Op) -> bool:
        """Is it known how to do `op` for many trips?"""
        if op.primitive is loop_p:
            loop = Loop.of(op)
            return loop.cond is None and loop.count is not None and loop.count not in self.varying
        if op.regions or op.primitive.effect:
            return False
        if self._is_access(op):
            return self._moves(op)
        return self.varying.isdisjoint(op.operands) or can_batch(op, self.varying)

    def _is_access(self, op: Op) -> bool:
        """Is it an access of an array that the trips share?"""
        if op.primitive is dynamic_slice:
            return op.operands[0] not in self.varying
        return op.primitive in STORES and op.operands[0] in self.arrays

    def _moves(self, op: Op) -> bool:
        """Does the access stay where it is, or move by one, within the array?"""
        place = self.ranges.linear_forms(start_indices(op))
        if not all(set(start) & self.varying <= {self.k} for start in place):
            return False
        if any(abs(start[atom]) > 1 for start in place for atom in self.inner.intersection(start)):
            return False  # many elements of an inner loop are made at once already
        moving = [axis for axis, start in enumerate(place) if start[self.k]]
        if not moving:
            return op.primitive is dynamic_slice
        axis, start = moving[0], place[moving[0]]
        alone = len(moving) == 1 and abs(start[self.k]) == 1 and self.inner.isdisjoint(start)
        if not alone or slice_sizes(op)[axis] != 1 or op.primitive not in _WINDOWS:
            return False
        self.strides[op] = Stride(axis, start[self.k])
        last = constant_form(op.operands[0].shape[axis] - 1)
        return all(map(self.ranges.is_nonnegative, (start, minus(last, start))))

    # ----- Carries of the outer loop

    def _carry(self, arg: Value, y: Value) -> bool:
        if arg not in self.arrays:
            return _is_free_sum(arg, y, self.body)
        return self._apart(arg) or self._only_added_to(arg)

    def _accesses(self, array: Value) -> list[Op]:
        ops = (op for region in self.bodies for op in region.ops if op.primitive in _WINDOWS)
        return [op for op in ops if self.arrays.get(op.operands[0]) is array]

    def _apart(self, array: Value) -> bool:
        """Do the stores of a trip leave alone what others access?"""
        accesses = self._accesses(array)
        stores = [op for op in accesses if op.primitive is dynamic_update_slice]
        return all(self._never_meet(*pair) for pair in product(stores, accesses))

    def _never_meet(self, store: Op, other: Op) -> bool:
        """Is there an axis along which they are apart in all trips but their own?"""
        places = map(self.ranges.linear_forms, (start_indices(store), start_indices(other)))
        sizes, shape = (slice_sizes(store), slice_sizes(other)), store.operands[0].shape
        return any(self._are_apart(*axis) for axis in zip(*places, *sizes, shape))

    def _are_apart(self, x: LinearForm, y: LinearForm, size: int, other: int, extent: int) -> bool:
        if x[self.k] and x == y:
            return True
        both = self.ranges.transitive_symbols(x) & self.ranges.transitive_symbols(y)
        if self.k in both or not self.inner.isdisjoint(both):
            return False  # it, or how large others are, may be another number in the other trip
        return self.ranges.are_disjoint((x,), (size,), (y,), (other,), (extent,))

    def _only_added_to(self, array: Value) -> bool:
        versions = [x for x, root in self.arrays.items() if root is array]
        for region in self.bodies:
            for op in region.ops:
                if op.primitive is dynamic_update_slice and op.operands[0] in versions:
                    found = array_reduction_at(op, region, versions, self.ranges)
                    if found is None or not all(total.is_reassociable for total in found.steps):
                        return False
                    self.reduced_stores[op] = found
        adding = {op for found in self.reduced_stores.values() for op in found.ops}
        return adding.issuperset(self._accesses(array))


_WINDOWS = (dynamic_slice, dynamic_update_slice)


def _bodies(body: Region) -> Iterator[Region]:
    yield body
    for op in walk(body):
        if op.primitive is loop_p:
            yield Loop.of(op).body


def _defined(bodies: Sequence[Region]) -> Iterator[Value]:
    for body in bodies:
        yield from body.args
        yield from (y for op in body.ops for y in op.results)


def _other_uses(body: Region, arrays: dict[Value, Value]) -> Iterator[Value]:
    """Add the versions of `arrays` to them; those of which something else is done."""
    for op in body.ops:
        carries = Loop.of(op).carries if op.primitive is loop_p else ()
        if op.primitive is loop_p:
            inner = Loop.of(op).body
            for x, arg, y in zip(carries, inner.args[1:], op.results):
                if x in arrays:
                    arrays[arg] = arrays[y] = arrays[x]
            yield from _other_uses(inner, arrays)
        elif op.primitive is dynamic_update_slice and op.operands[0] in arrays:
            arrays[op.results[0]] = arrays[op.operands[0]]
        known = 1 if op.primitive in _WINDOWS else 0
        others = op.operands[known:] if op.primitive is not loop_p else ()
        yield from (arrays[x] for x in others if x in arrays)
        if carries:
            roots = [arrays[x] for x in carries if x in arrays]
            yield from (root for root in roots if roots.count(root) > 1)
    for arg, y in zip(body.args[1:], body.yields):
        if arrays.get(arg) is not arrays.get(y):
            yield from (arrays[x] for x in (arg, y) if x in arrays)


def _is_free_sum(x: Value, last: Value, body: Region) -> bool:
    """Is `last` the sum of `x` and of what does not depend on it, made in any order? Nobody else
    sees anything of it."""
    sums = {x}
    for op in body.ops:
        if not sums.isdisjoint(reads(op)):
            found = _with_sums(op, sums)
            if not found:
                return False
            sums.update(found)
    return last in sums and sum(y in sums for y in body.yields) == 1


def _with_sums(op: Op, sums: set[Value]) -> list[Value]:
    """The results of `op` that are such sums, if nothing else is made of them."""
    of_sums = [i for i, x in enumerate(op.operands) if x in sums]
    if op.primitive is loop_p:
        body = Loop.of(op).body
        carries = [i - (len(op.operands) - len(op.results)) for i in of_sums]
        kept = len(carries) == 1 and sums.isdisjoint(body.captured) and carries[0] >= 0
        (i,) = carries if kept else (0,)
        added_to = kept and _is_free_sum(body.args[1 + i], body.yields[i], body)
        return [op.results[i]] if added_to else []
    free = op.primitive is add and op.params.get("reassoc") and len(of_sums) == 1
    chosen = op.primitive is select and of_sums == [1, 2]
    return list(op.results) if free or chosen or op.primitive is reshape else []
