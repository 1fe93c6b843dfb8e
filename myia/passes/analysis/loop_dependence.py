"""Which loops make trips that do not wait for one another.

    for %k < %n (%a = %a0, %s = %s0) bound 90 {         each trip has an element of %a to itself;
      %1 = dynamic_slice %b, %k {sizes=(1,)}            it reads what no other trip writes, and
      %2 = dynamic_slice %a, %k {sizes=(1,)}            adds to a sum that it does not look at
      %3 = mul %1, %2
      %4 = dynamic_update_slice %a, %3, %k
      %5 = add %s, %3
      yield %4, %5
    }

All is done on single elements. An access is at a place that is the same in all trips, or moves
along one axis by one from trip to trip and surely stays in the array (`linear_indices.py`). What a
trip carries to the next is

- an array: what a trip stores the other ones do not access, or only `width` trips later, or have
  read before;
- an array that is only added to, in any places that move together: as the reversal of a stencil
  does (`array_reductions.py`);
- a sum at which nobody looks, or what the trip before has computed from no such carry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from myia.ir.core import Op, Region, Value
from myia.passes.analysis.accesses import STORES, slice_sizes, start_indices
from myia.passes.analysis.array_reductions import (
    SHAPE_CHANGES,
    ArrayReduction,
    ReductionStep,
    Stride,
    array_reductions_of,
)
from myia.passes.analysis.def_use import loop_variant_values, uses
from myia.passes.analysis.linear_indices import ONE, IndexRanges, LinearForm, constant_form, minus
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.define import PointwisePrimitive, constant_p
from myia.primitives.core.structured import Loop


@dataclass(frozen=True)
class LoopSummary:
    """What is known of independent trips; of carries, by what the trips yield."""

    varying: frozenset[Value]
    strides: Mapping[Op, Stride | None]  # of accesses; None: always in the same place
    gathers: frozenset[Op]  # reads at places that each trip computes
    reductions: Mapping[Value, tuple[ReductionStep, ...]]  # what a trip adds, in this order
    array_reductions: Mapping[
        Value, tuple[ArrayReduction, ...]
    ]  # in an order that suits all elements
    recurrences: Mapping[Value, Value]  # what the trip before has yielded, by the carry
    reduction_ops: frozenset[Op]  # the ops of totals and accumulations
    partial_sums: frozenset[Value] = frozenset()  # see `Nest`
    reduced_stores: Mapping[Op, ArrayReduction] = field(default_factory=dict)

    @property
    def direction(self) -> int:
        """The step of most accesses."""
        steps = sum(move.step for move in self.strides.values() if move is not None)
        return 1 if steps >= 0 else -1


def summary_if_independent(
    loop: Loop,
    ranges: IndexRanges,
    width: int,
    in_trip: Callable[[Op], bool] | None = None,
    of_arrays: Callable[[Op], bool] | None = None,
    gathers: bool = False,
) -> LoopSummary | None:
    """What `width` trips one after the other have in common, if they do not wait for each other.

    `of_arrays` says which accesses of the arrays that trips share are possible, `in_trip` which
    other ops; by default what is done on single elements. With `gathers` a trip may compute the
    place where it reads an array that no trip changes.
    """
    body = loop.body
    if loop.count is None or loop.cond is not None:
        return None
    found = _Search(body, ranges, width)
    of_arrays, in_trip = of_arrays or is_scalar_op, in_trip or _computes_elements
    if not all(of_arrays(op) if found.is_access(op) else in_trip(op) for op in body.ops):
        return None
    if not found.all_move(gathers) or not any(found.strides.values()):
        return None
    if not all(found.carry(arg, y) for arg, y in zip(body.args[1:], body.yields)):
        return None
    return found.trips()


def is_scalar_op(op: Op) -> bool:
    """Is it done on single elements?"""
    if op.primitive in STORES:
        return op.operands[1].aval.size == 1
    known = isinstance(op.primitive, PointwisePrimitive) or op.primitive in SHAPE_CHANGES
    known = known or op.primitive in (dynamic_slice, constant_p)
    return known and all(y.aval.size == 1 for y in op.results)


def _versions_of(arrays: Iterable[Value], body: Region) -> set[Value]:
    """These arrays, and what they are after each store."""
    found = set(arrays)
    for op in body.ops:
        if op.primitive in STORES and op.operands[0] in found:
            found.update(op.results)
    return found


def _computes_elements(op: Op) -> bool:
    return is_scalar_op(op) and op.primitive not in (dynamic_slice, *STORES)


class _Search:
    """The trips of one loop."""

    def __init__(self, body: Region, ranges: IndexRanges, width: int):
        self.body, self.ranges, self.width = body, ranges, width
        self.varying = loop_variant_values(body)
        self.arrays = _versions_of(body.args[1:], body)
        self.strides: dict[Op, Stride | None] = {}
        self.gathers: set[Op] = set()
        self.definitions = {y: op for op in body.ops for y in op.results}
        self.reductions: dict[Value, tuple[ReductionStep, ...]] = {}
        self.array_reductions: dict[Value, tuple[ArrayReduction, ...]] = {}
        self.recurrences: dict[Value, Value] = {}
        self.reduction_ops: set[Op] = set()

    def trips(self) -> LoopSummary:
        return LoopSummary(
            frozenset(self.varying),
            self.strides,
            frozenset(self.gathers),
            self.reductions,
            self.array_reductions,
            self.recurrences,
            frozenset(self.reduction_ops),
        )

    # ----- Carries

    def carry(self, arg: Value, y: Value) -> bool:
        """Is it known how several trips at once get from `arg` to `y`?"""
        versions = self._versions(arg, y)
        if versions is not None:
            return self._apart(versions) or self._only_added_to(versions)
        return self._is_total(arg, y) or self._is_previous(arg, y)

    def _versions(self, version: Value, last: Value) -> list[Value] | None:
        """The versions of an array of which elements are read and stored."""
        found = [version]
        while version is not last:
            if version in self.body.yields:
                return None
            stores = [op for op in self._users(version) if op.primitive is dynamic_update_slice]
            if len(stores) != 1:
                return None
            (version,) = stores[0].results
            found.append(version)
        if any(op.primitive is dynamic_update_slice for op in self._users(last)):
            return None  # a version of a trip's own, which others do not see
        return found if len(found) > 1 and all(map(self._only_accessed, found)) else None

    def _only_accessed(self, version: Value) -> bool:
        return self.body.yields.count(version) <= 1 and all(
            op.primitive in (dynamic_slice, dynamic_update_slice)
            and op.operands[0] is version
            and op.operands.count(version) == 1
            for op in self._users(version)
        )

    def _is_total(self, arg: Value, y: Value) -> bool:
        """Is it a sum, and nobody else looks at it?"""
        totals, casts = [], []
        end = self._uncast(arg, casts)
        while end is not y:
            op = self._only_user(end)
            if op is None or op.operands.count(end) != 1:
                return False
            totals.append(ReductionStep(op, 1 - op.operands.index(end)))
            if not totals[-1].accumulates:
                return False
            end = self._uncast(op.results[0], casts)
        if not totals or self._users(y) or self.body.yields.count(y) != 1:
            return False
        self.reductions[y] = tuple(totals)
        self.reduction_ops.update(casts, (total.op for total in totals))
        return True

    def _is_previous(self, arg: Value, y: Value) -> bool:
        """Is it the element that the trip before has computed, from nothing that trips hand on but
        arrays?"""
        self.recurrences[arg] = y
        computed = y in self.definitions and y in self.varying
        return y.aval.size == 1 and computed and not self._hands_on(y)

    def _hands_on(self, y: Value) -> bool:
        """Is `y` computed from a carry that is no array?"""
        waiting, seen = [y], set()
        while waiting:
            op = self.definitions.get(waiting.pop())
            if op is None or op in seen:
                continue
            seen.add(op)
            accesses = op.primitive in (dynamic_slice, dynamic_update_slice)
            if any(x in self.body.args[1:] for x in op.operands[accesses:]):
                return True
            waiting += op.operands
        return False

    def _uncast(self, x: Value, casts: list[Op]) -> Value:
        """What becomes of `x` by changes of its shape alone, which are added to `casts`."""
        op = self._only_user(x)
        while op is not None and op.primitive in SHAPE_CHANGES:
            casts.append(op)
            (x,) = op.results
            op = self._only_user(x)
        return x

    def _only_user(self, x: Value) -> Op | None:
        users = self._users(x)
        return users[0] if len(users) == 1 and x not in self.body.yields else None

    def _users(self, x: Value) -> list[Op]:
        return uses(self.body).get(x, [])

    # ----- Accesses

    def is_access(self, op: Op) -> bool:
        """Is it a read or a store of an array that the trips share?"""
        if op.primitive is dynamic_slice:
            return op.operands[0] in self.arrays or op.operands[0] not in self.varying
        return op.primitive in STORES and op.operands[0] in self.arrays

    def all_move(self, gathers: bool) -> bool:
        """Does each access of the trips stay where it is, or move by one, within the array?

        Or is it a read of an array that they leave alone, with `gathers`?
        """
        for op in self.body.ops:
            varies = self.is_access(op) and op.results[0] in self.varying
            if not varies or self._moves(op):
                continue
            if not gathers or op.primitive is not dynamic_slice or op.operands[0] in self.varying:
                return False
            self.strides.pop(op, None)
            self.gathers.add(op)
        return True

    def _moves(self, op: Op) -> bool:
        place = self.ranges.linear_forms(start_indices(op))
        if not all(self._is_known(start) for start in place):
            return False
        steps = self._steps(place)
        moving = [axis for axis, step in enumerate(steps) if step]
        if not moving:
            self.strides[op] = None
            return op.primitive is dynamic_slice
        if len(moving) > 1 or abs(steps[moving[0]]) != 1:
            return False
        (axis,) = moving
        if slice_sizes(op)[axis] != 1:
            return False
        self.strides[op] = Stride(axis, steps[axis])
        last = constant_form(op.operands[0].shape[axis] - 1)
        inside = (place[axis], minus(last, place[axis]))
        return all(map(self.ranges.is_nonnegative, inside))

    def _is_known(self, start: LinearForm) -> bool:
        return not (set(start) - {self.body.args[0], ONE}) & self.varying

    def _steps(self, place: tuple[LinearForm, ...]) -> list[int]:
        return [start[self.body.args[0]] for start in place]

    # ----- Arrays that are written

    def _apart(self, versions: list[Value]) -> bool:
        """Do the stores into an array leave alone what other trips access?"""
        accesses = [op for x in versions for op in self._users(x)]
        stores = [op for op in accesses if op.primitive is dynamic_update_slice]
        return all(self._never_wait(op, other, versions) for op in stores for other in accesses)

    def _never_wait(self, store: Op, other: Op, versions: list[Value]) -> bool:
        places = [self.ranges.linear_forms(start_indices(op)) for op in (store, other)]
        if places[0] == places[1]:
            return True
        before = versions.index(other.operands[0]) <= versions.index(store.operands[0])
        reads_first = before and other.primitive is dynamic_slice
        shape, sizes = store.operands[0].shape, (slice_sizes(store), slice_sizes(other))
        for x, y, *windows in zip(*places, *sizes, shape):
            if self._apart_along(x, y, *windows) or self._never_meet(x, y, reads_first):
                return True
        return False

    def _apart_along(
        self, x: LinearForm, y: LinearForm, size: int, other: int, extent: int
    ) -> bool:
        """Are windows at `x` and at `y` apart along this axis, in whichever trips?"""
        k = self.body.args[0]
        if x[k] and y[k]:
            return False
        return self.ranges.are_disjoint((x,), (size,), (y,), (other,), (extent,))

    def _never_meet(self, x: LinearForm, y: LinearForm, reads_first: bool) -> bool:
        """Along one axis: does no trip store at `x` where another one of `width` accesses `y`? With
        `reads_first` it may be one before it, which has read by then."""
        k = self.body.args[0]
        between = minus(y, x)
        if not x[k] or x[k] != y[k] or not set(between) <= {ONE}:
            return False
        later = between[ONE] * x[k]  # so many trips after it has been read it is stored
        return later == 0 or abs(later) >= self.width or (reads_first and later > 0)

    def _only_added_to(self, versions: list[Value]) -> bool:
        """Are windows of the array, at places that move together, added to and no more?"""
        found = array_reductions_of(self.body, versions, self.strides, self.ranges)
        if found is None:
            return False
        self.array_reductions[versions[-1]] = found
        self.reduction_ops.update(op for accumulation in found for op in accumulation.ops)
        return True
