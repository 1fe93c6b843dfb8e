"""Loop-carried dependence: which loops have iterations that can run as one vector.

    for %k < %n (%a = %a0, %s = %s0) bound 90 {         %a: each iteration has its own element
      %1 = dynamic_slice %b, %k {sizes=(1,)}            %b: is only read
      %2 = dynamic_slice %a, %k {sizes=(1,)}            %s: a reduction
      %3 = mul %1, %2
      %4 = dynamic_update_slice %a, %3, %k
      %5 = add %s, %3
      yield %4, %5
    }

What it computes. For a counted loop whose ops work on single elements (or on rows, if the caller
allows that): the stride of every access, and for every carried value one of

- an array of which no iteration stores an element that another one accesses, unless that one is
  `width` or more iterations away, or has already read it;
- an array reduction: iterations only add to the array, at indices with the same stride, as in the
  adjoint of a stencil (`array_reductions.py`);
- a scalar reduction whose running sum has no other use;
- a first-order recurrence: an element that the previous iteration computed, from no carried value
  other than arrays.

What it guarantees. `width` consecutive iterations can be executed op by op, all of them together,
and give the same results: exactly, apart from the order of sums that may be reassociated.

When it gives up. An index that is not affine in the loop index with factor 0, 1 or -1 (a load of an
array that the loop does not change may be a gather, if the caller allows that); an access that may
be out of range; a store and another access of one array with different strides, unless the loop
only adds cotangents to the array; a carried value of another kind; a `while` condition.
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
    """Facts about a loop with independent iterations.

    The keys of `reductions` and `array_reductions` are the values that the body yields, those of
    `recurrences` are the arguments of the body.
    """

    varying: frozenset[Value]
    strides: Mapping[Op, Stride | None]  # of accesses; None: the same slice in all iterations
    gathers: frozenset[Op]  # loads at an index that each iteration computes
    reductions: Mapping[Value, tuple[ReductionStep, ...]]  # in the order of an iteration
    array_reductions: Mapping[Value, tuple[ArrayReduction, ...]]  # in an order valid for vectors
    recurrences: Mapping[Value, Value]  # what the previous iteration yielded, by the carry
    reduction_ops: frozenset[Op]  # the ops of all these reductions
    partial_sums: frozenset[Value] = frozenset()  # only of nests: see `NestSummary`
    reduced_stores: Mapping[Op, ArrayReduction] = field(default_factory=dict)

    @property
    def direction(self) -> int:
        """1 if most accesses go forwards through memory, else -1."""
        steps = sum(stride.step for stride in self.strides.values() if stride is not None)
        return 1 if steps >= 0 else -1


def summary_if_independent(
    loop: Loop,
    ranges: IndexRanges,
    width: int,
    allows_compute: Callable[[Op], bool] | None = None,
    allows_access: Callable[[Op], bool] | None = None,
    gathers: bool = False,
) -> LoopSummary | None:
    """The summary of a loop if `width` consecutive iterations are independent, else None.

    `allows_access` says which accesses of shared arrays are possible, `allows_compute` which other
    ops; by default those on single elements. With `gathers`, an iteration may compute the index at
    which it loads from an array that the loop does not change.
    """
    body = loop.body
    if loop.count is None or loop.cond is not None:
        return None
    test = _IndependenceTest(body, ranges, width)
    allows_access = allows_access or is_scalar_op
    allows_compute = allows_compute or _computes_elements
    if not all(allows_access(op) if test.is_access(op) else allows_compute(op) for op in body.ops):
        return None
    if not test.find_strides(gathers) or not any(test.strides.values()):
        return None
    if not all(test.classify_carry(arg, y) for arg, y in zip(body.args[1:], body.yields)):
        return None
    return test.summary()


def is_scalar_op(op: Op) -> bool:
    """Does `op` work on single elements: arrays of size 1, or one element of a larger array?"""
    if op.primitive in STORES:
        return op.operands[1].aval.size == 1
    known = isinstance(op.primitive, PointwisePrimitive) or op.primitive in SHAPE_CHANGES
    known = known or op.primitive in (dynamic_slice, constant_p)
    return known and all(y.aval.size == 1 for y in op.results)


def _versions_of(arrays: Iterable[Value], body: Region) -> set[Value]:
    """`arrays` and all versions that stores make of them."""
    found = set(arrays)
    for op in body.ops:
        if op.primitive in STORES and op.operands[0] in found:
            found.update(op.results)
    return found


def _computes_elements(op: Op) -> bool:
    return is_scalar_op(op) and op.primitive not in (dynamic_slice, *STORES)


class _IndependenceTest:
    """The dependence test of one loop; it collects the fields of the summary on the way."""

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

    def summary(self) -> LoopSummary:
        return LoopSummary(
            frozenset(self.varying),
            self.strides,
            frozenset(self.gathers),
            self.reductions,
            self.array_reductions,
            self.recurrences,
            frozenset(self.reduction_ops),
        )

    # ----- Carried values

    def classify_carry(self, arg: Value, y: Value) -> bool:
        """Record how a vector of iterations gets from `arg` to `y`; False if that is unknown."""
        versions = self._versions(arg, y)
        if versions is not None:
            return self._iterations_are_disjoint(versions) or self._add_array_reduction(versions)
        return self._add_reduction(arg, y) or self._add_recurrence(arg, y)

    def _versions(self, version: Value, last: Value) -> list[Value] | None:
        """The versions of an array in an iteration, if only loads and stores use them."""
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
            return None  # a version that is private to the iteration and not carried on
        return found if len(found) > 1 and all(map(self._is_only_accessed, found)) else None

    def _is_only_accessed(self, version: Value) -> bool:
        return self.body.yields.count(version) <= 1 and all(
            op.primitive in (dynamic_slice, dynamic_update_slice)
            and op.operands[0] is version
            and op.operands.count(version) == 1
            for op in self._users(version)
        )

    def _add_reduction(self, arg: Value, y: Value) -> bool:
        """Is `y` a reduction of `arg` whose running sums have no other uses? Record it."""
        steps, shape_changes = [], []
        running_sum = self._through_shape_changes(arg, shape_changes)
        while running_sum is not y:
            op = self._only_user(running_sum)
            if op is None or op.operands.count(running_sum) != 1:
                return False
            steps.append(ReductionStep(op, 1 - op.operands.index(running_sum)))
            if not steps[-1].accumulates:
                return False
            running_sum = self._through_shape_changes(op.results[0], shape_changes)
        if not steps or self._users(y) or self.body.yields.count(y) != 1:
            return False
        self.reductions[y] = tuple(steps)
        self.reduction_ops.update(shape_changes, (step.op for step in steps))
        return True

    def _add_recurrence(self, arg: Value, y: Value) -> bool:
        """Is `arg` an element that the previous iteration computed on its own? Record it.

        `y` may depend on carried arrays. If it depended on another carried element, the iterations
        of a vector would have to be computed one after the other.
        """
        self.recurrences[arg] = y
        computed = y in self.definitions and y in self.varying
        return y.aval.size == 1 and computed and not self._depends_on_carried_element(y)

    def _depends_on_carried_element(self, y: Value) -> bool:
        pending, seen = [y], set()
        while pending:
            op = self.definitions.get(pending.pop())
            if op is None or op in seen:
                continue
            seen.add(op)
            # The array of an access does not count, its start indices and its update do.
            is_access = op.primitive in (dynamic_slice, dynamic_update_slice)
            if any(x in self.body.args[1:] for x in op.operands[is_access:]):
                return True
            pending += op.operands
        return False

    def _through_shape_changes(self, x: Value, shape_changes: list[Op]) -> Value:
        """What `x` becomes by ops that change its shape alone; these are added to the list."""
        op = self._only_user(x)
        while op is not None and op.primitive in SHAPE_CHANGES:
            shape_changes.append(op)
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
        """Is `op` a load or a store of an array that all iterations share?"""
        if op.primitive is dynamic_slice:
            return op.operands[0] in self.arrays or op.operands[0] not in self.varying
        return op.primitive in STORES and op.operands[0] in self.arrays

    def find_strides(self, gathers: bool) -> bool:
        """Find the stride of each access; False if one has no constant stride of 0, 1 or -1.

        With `gathers` such a load is a gather, if no iteration changes the array.
        """
        for op in self.body.ops:
            varies = self.is_access(op) and op.results[0] in self.varying
            if not varies or self._find_stride(op):
                continue
            if not gathers or op.primitive is not dynamic_slice or op.operands[0] in self.varying:
                return False
            # The stride was recorded if only the proof failed that the load is in range.
            self.strides.pop(op, None)
            self.gathers.add(op)
        return True

    def _find_stride(self, op: Op) -> bool:
        starts = self.ranges.linear_forms(start_indices(op))
        if not all(self._is_affine(start) for start in starts):
            return False
        steps = [start[self.body.args[0]] for start in starts]
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
        # A slice that is out of range is moved, and that of a vector by another distance.
        last = constant_form(op.operands[0].shape[axis] - 1)
        return all(map(self.ranges.is_nonnegative, (starts[axis], minus(last, starts[axis]))))

    def _is_affine(self, start: LinearForm) -> bool:
        """Is the loop index the only symbol of this form that varies?"""
        return not (set(start) - {self.body.args[0], ONE}) & self.varying

    # ----- Arrays that are stored into

    def _iterations_are_disjoint(self, versions: list[Value]) -> bool:
        """Is no element that an iteration stores accessed by another one of the same vector?"""
        accesses = [op for x in versions for op in self._users(x)]
        stores = [op for op in accesses if op.primitive is dynamic_update_slice]
        return all(
            self._have_no_dependence(op, other, versions) for op in stores for other in accesses
        )

    def _have_no_dependence(self, store: Op, other: Op, versions: list[Value]) -> bool:
        starts = [self.ranges.linear_forms(start_indices(op)) for op in (store, other)]
        if starts[0] == starts[1]:
            return True  # both are at the element that only this iteration has
        # Only then does a vector of loads precede the vector of stores.
        in_order = versions.index(other.operands[0]) <= versions.index(store.operands[0])
        reads_first = in_order and other.primitive is dynamic_slice
        shape, sizes = store.operands[0].shape, (slice_sizes(store), slice_sizes(other))
        for x, y, *size_and_length in zip(*starts, *sizes, shape):
            if self._are_always_disjoint(x, y, *size_and_length):
                return True
            if self._are_disjoint_within_vector(x, y, reads_first):
                return True
        return False

    def _are_always_disjoint(
        self, x: LinearForm, y: LinearForm, size: int, other_size: int, length: int
    ) -> bool:
        """Are the slices at `x` and at `y` disjoint along this axis, whatever the iterations are?

        That can be compared in one iteration only if at most one of the two moves.
        """
        k = self.body.args[0]
        if x[k] and y[k]:
            return False
        return self.ranges.are_disjoint((x,), (size,), (y,), (other_size,), (length,))

    def _are_disjoint_within_vector(self, x: LinearForm, y: LinearForm, reads_first: bool) -> bool:
        """Along one axis: if an iteration stores at `x`, does no other of the vector access `y`?

        With `reads_first`, an earlier iteration may: it has read the old element by then, which is
        what a vector reads, too.
        """
        k = self.body.args[0]
        between = minus(y, x)
        if not x[k] or x[k] != y[k] or not set(between) <= {ONE}:
            return False
        distance = between[ONE] * x[k]  # the store comes so many iterations after the other access
        return distance == 0 or abs(distance) >= self.width or (reads_first and distance > 0)

    def _add_array_reduction(self, versions: list[Value]) -> bool:
        """Does the loop only add to elements of the array, all with one stride? Record that."""
        found = array_reductions_of(self.body, versions, self.strides, self.ranges)
        if found is None:
            return False
        self.array_reductions[versions[-1]] = found
        self.reduction_ops.update(op for reduction in found for op in reduction.ops)
        return True
