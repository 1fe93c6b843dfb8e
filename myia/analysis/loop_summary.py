"""Summary of a loop: its accesses with strides, its arrays, reductions, carried dependences.

    for %k < %n (%a = %a0, %s = %s0) bound 90 {         %a: each iteration has its own element
      %1 = dynamic_slice %b, %k {sizes=(1,)}            %b: is only read
      %2 = dynamic_slice %a, %k {sizes=(1,)}            %s: a reduction
      %3 = mul %1, %2
      %4 = dynamic_update_slice %a, %3, %k
      %5 = add %s, %3
      yield %4, %5
    }

    for %j < 98 (%v = %v0, %s = %s0) {              each iteration of the outer loop has its own
      %v, %s = for %i < 97 (%v = %v, %s = %s) {     column of %v, whatever the inner loops do
        %1 = dynamic_slice %v, %i, %j               there, and adds to a sum that has no order
        ...
        %v' = dynamic_update_slice %v, %2, %i', %j
        %s' = add %s, %3 {reassoc=True}
        yield %v', %s'
      }
      yield %v, %s
    }

What it computes. For a counted loop, innermost or around other counted loops: the values that vary
from iteration to iteration; the stride of every access of an array that all iterations share, which
is 1 or -1 along one axis, or none for a load; and for every carried value one of

- an array of which no iteration stores an element that another one accesses, at any point of its
  inner loops, unless that one is `width` or more iterations away, or has already read it;
- an array reduction: iterations only add to the array, at indices with the same stride, as in the
  adjoint of a stencil, or in any order (`reductions.py`);
- a scalar reduction whose running sum has no other use; in a nest, one without an order;
- a first-order recurrence: an element that the previous iteration computed, from no carried value
  other than arrays. Not in a nest.

What it guarantees. `width` consecutive iterations (in a nest: all of them) can be executed op by
op, all of them together, and give the same results: exactly, apart from the order of sums that may
be reassociated.

When it gives up. A condition; inner loops whose trip counts vary and branches, unless the caller
takes them (`masks`) and they access nothing but what they have made themselves or what no iteration
changes (a short branch in a nest is always taken); other ops with regions, or with an effect; an
index that is not affine in the loop index with factor 0, 1 or -1 (a load of an array that the loop
does not change may be a gather, if the caller allows that); an access that may be out of range; a
store and another access of one array with different strides, unless the loop only adds cotangents
to the array; a carried value of another kind; an op that the caller cannot widen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise, product

from myia.analysis.linear_indices import ONE, IndexRanges, LinearForm, constant_form, minus
from myia.analysis.reductions import (
    array_reduction_at,
    array_reductions_of,
    is_reassociable_sum,
    scalar_reduction,
)
from myia.ir.core import Op, Region, Value, reads, walk
from myia.ir.dependence import needed
from myia.primitives.arrays.dynamic_slices import (
    ACCESSES,
    STORES,
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.core.define import PointwisePrimitive, constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.rewriting.def_use import definitions, uses
from myia.widening.summary import (
    SHAPE_CHANGES,
    ArrayReduction,
    LoopSummary,
    ReductionStep,
    Stride,
    varying_values,
)

MAX_BRANCH_OPS = 32  # of both arms: what an iteration may compute in vain

# May an op be widened, given the values that vary, and whether it accesses a shared array?
CanWiden = Callable[[Op, Set[Value], bool], bool]


def is_scalar_op(op: Op) -> bool:
    """Does `op` work on single elements: arrays of size 1, or one element of a larger array?"""
    if op.primitive in STORES:
        return op.operands[1].aval.size == 1
    known = isinstance(op.primitive, PointwisePrimitive) or op.primitive in SHAPE_CHANGES
    known = known or op.primitive in (dynamic_slice, constant_p)
    return known and all(y.aval.size == 1 for y in op.results)


def summary_if_independent(
    loop: Loop,
    ranges: IndexRanges,
    width: int | None = None,
    can_widen: CanWiden | None = None,
    gathers: bool = False,
    masks: bool = False,
) -> LoopSummary | None:
    """The summary of a loop if `width` consecutive iterations are independent, else None.

    All iterations if `width` is None, as it must be for a nest. `can_widen`: by default ops on
    single elements. `gathers`: an iteration may compute the index at which it loads from an array
    that the loop does not change. `masks`: branches, and inner loops that end at different times.
    """
    if loop.count is None or loop.cond is not None:
        return None
    if can_widen is None and not all(map(is_scalar_op, loop.body.ops)):
        return None
    test = _IndependenceTest(loop.body, ranges, width, masks)
    return test.summary() if test.succeeds(can_widen or _is_no_private_access, gathers) else None


def _is_no_private_access(op: Op, varying: Set[Value], is_access: bool) -> bool:
    return is_access or op.primitive not in ACCESSES


class _IndependenceTest:
    """The dependence test of one loop; it collects the fields of the summary on the way."""

    def __init__(self, body: Region, ranges: IndexRanges, width: int | None, masks: bool):
        self.body, self.k, self.ranges, self.width = body, body.args[0], ranges, width
        self.bodies = list(_bodies(body))
        self.inner = set(_defined(self.bodies[1:]))
        self.arrays = _shared_arrays(self.bodies)
        self.varying = varying_values(body, body.args, self.arrays if self.inner else {})
        self.masks, self.masked = masks, set(_masked(body, self.varying))
        self.strides: dict[Op, Stride | None] = {}
        self.gathers: set[Op] = set()
        self.reductions: dict[Value, tuple[ReductionStep, ...]] = {}
        self.array_reductions: dict[Value, tuple[ArrayReduction, ...]] = {}
        self.recurrences: dict[Value, Value] = {}
        self.partial_sums: set[Value] = set()
        self.reduced_stores: dict[Op, ArrayReduction] = {}
        self.reduction_ops: set[Op] = set()

    def summary(self) -> LoopSummary:
        return LoopSummary(
            self.varying,
            self.arrays,
            self.strides,
            self.gathers,
            self.reductions,
            self.array_reductions,
            self.recurrences,
            self.partial_sums,
            self.reduced_stores,
            self.reduction_ops - set(self.reduced_stores),
        )

    def succeeds(self, can_widen: CanWiden, gathers: bool) -> bool:
        ops = [op for region in self.bodies for op in region.ops]
        return (
            all(self._can_widen(op, can_widen) for op in ops)
            and all(self._find_stride(op, gathers) for op in ops if self._is_access(op))
            and (self.inner or any(self.strides.values()))
            and all(map(self._classify_carry, self.body.args[1:], self.body.yields))
        )

    def _can_widen(self, op: Op, can_widen: CanWiden) -> bool:
        if op.primitive is loop_p:
            loop = Loop.of(op)
            has_own = self.arrays.keys().isdisjoint(loop.body.args)
            return (self.masks and has_own) or (loop.cond is None and not _varies(op, self.varying))
        if op.primitive is if_p:
            return self.masks or (bool(self.inner) and self._is_private_branch(op, can_widen))
        no_effect = not op.regions and not op.primitive.effect
        return no_effect and can_widen(op, self.varying, self._is_access(op))

    def _is_private_branch(self, op: Op, can_widen: CanWiden) -> bool:
        """Is it worth computing both arms? They access no array that iterations share."""
        ops = [inner for region in op.regions for inner in walk(region)]
        return len(ops) <= MAX_BRANCH_OPS and not any(
            inner.primitive is loop_p
            or self._is_access(inner)
            or not self._can_widen(inner, can_widen)
            for inner in ops
        )

    # ----- Accesses

    def _is_access(self, op: Op) -> bool:
        """Is `op` a load or a store of an array that all iterations share?"""
        if op.primitive is dynamic_slice:
            return op.operands[0] in self.arrays or op.operands[0] not in self.varying
        return op.primitive in STORES and op.operands[0] in self.arrays

    def _find_stride(self, op: Op, gathers: bool) -> bool:
        """Record the stride of an access, or that it is a gather; False if it is neither."""
        starts = self.ranges.linear_forms(start_indices(op))
        moving = [axis for axis, start in enumerate(starts) if start[self.k]]
        is_affine = all(set(start) & self.varying <= {self.k} for start in starts)
        one_by_one = op in self.masked and moving
        if is_affine and not one_by_one and all(map(self._is_of_elements, starts, slice_sizes(op))):
            # A store that does not move is a sum over the iterations, or the loop is none of ours.
            if not moving and (op.primitive is dynamic_slice or self.inner):
                self.strides[op] = None
                return True
            if len(moving) == 1 and self._moves_in_range(op, moving[0], starts[moving[0]]):
                self.strides[op] = Stride(moving[0], starts[moving[0]][self.k])
                return True
        self.gathers.add(op)
        return gathers and op.primitive is dynamic_slice and op.operands[0] not in self.arrays

    def _is_of_elements(self, start: LinearForm, size: int) -> bool:
        """Of slices at greater steps, the inner loop has been vectorized already."""
        return size == 1 or all(abs(start[x]) <= 1 for x in self.inner.intersection(start))

    def _moves_in_range(self, op: Op, axis: int, start: LinearForm) -> bool:
        """Does `op` move by one slice along `axis`, with the outer loop alone, and in range?"""
        if abs(start[self.k]) != 1 or slice_sizes(op)[axis] != 1:
            return False
        # A slice that is out of range is moved, and that of a vector by another distance.
        margins = (start, minus(constant_form(op.operands[0].shape[axis] - 1), start))
        return self.inner.isdisjoint(start) and all(map(self.ranges.is_nonnegative, margins))

    # ----- Arrays that are stored into

    def _classify_carry(self, arg: Value, y: Value) -> bool:
        """Record how a vector of iterations gets from `arg` to `y`; False if that is unknown."""
        if arg in self.arrays:
            versions = [x for x, array in self.arrays.items() if array is arg]
            if not self.inner and not self._is_chain(versions, y):
                return False
            return self._iterations_are_disjoint(versions) or self._add_array_reductions(versions)
        if self.inner:
            self.partial_sums.add(arg)
            return is_reassociable_sum(arg, y, self.body)
        return self._add_reduction(arg, y) or self._add_recurrence(arg, y)

    def _is_chain(self, versions: Sequence[Value], y: Value) -> bool:
        """Does the iteration store into each version once, and is the last one `y`?"""
        made_by = definitions(self.body)
        in_order = all(made_by[after].operands[0] is x for x, after in pairwise(versions))
        return len(versions) > 1 and in_order and versions[-1] is y

    def _accesses(self, versions: Sequence[Value]) -> list[Op]:
        users = (op for body in self.bodies for x in versions for op in uses(body).get(x, ()))
        return [op for op in users if op.primitive in ACCESSES]

    def _iterations_are_disjoint(self, versions: Sequence[Value]) -> bool:
        """Is no element that an iteration stores accessed by another one of the same vector?"""
        accesses = self._accesses(versions)
        stores = [op for op in accesses if op.primitive in STORES]
        return all(self._have_no_dependence(*pair, versions) for pair in product(stores, accesses))

    def _have_no_dependence(self, store: Op, other: Op, versions: Sequence[Value]) -> bool:
        """Is there an axis along which the two are disjoint in different iterations?"""
        # Only then does a vector of loads precede the vector of stores.
        in_order = versions.index(other.operands[0]) <= versions.index(store.operands[0])
        reads_first = in_order and other.primitive is dynamic_slice and not self.inner
        starts = map(self.ranges.linear_forms, (start_indices(store), start_indices(other)))
        sizes, shape = (slice_sizes(store), slice_sizes(other)), store.operands[0].shape
        return any(
            self._are_disjoint_along(x, y, size, other_size, length, reads_first)
            for x, y, size, other_size, length in zip(*starts, *sizes, shape)
        )

    def _are_disjoint_along(
        self,
        x: LinearForm,
        y: LinearForm,
        size: int,
        other_size: int,
        length: int,
        reads_first: bool,
    ) -> bool:
        """Along one axis: if an iteration stores at `x`, does no other of the vector access `y`?

        With `reads_first`, an earlier iteration may: it has read the old element by then, which is
        what a vector reads, too.
        """
        between = minus(y, x)
        if x[self.k] and x[self.k] == y[self.k] and set(between) <= {ONE}:
            # No inner index is in x, so x differs between any two iterations.
            distance = between[ONE] * x[self.k]  # the store comes so many iterations later
            is_far = self.width is not None and abs(distance) >= self.width
            return distance == 0 or is_far or (reads_first and distance > 0)
        common = self.ranges.transitive_symbols(x) & self.ranges.transitive_symbols(y)
        if self.k in common or not self.inner.isdisjoint(common):
            return False  # in the other iteration this symbol may be another number
        return self.ranges.are_disjoint((x,), (size,), (y,), (other_size,), (length,))

    def _add_array_reductions(self, versions: Sequence[Value]) -> bool:
        """Does the loop only add to the elements of the array? Record the reductions.

        In a nest the additions must be reassociable; else their indices have one stride.
        """
        if not self.inner:
            found = array_reductions_of(self.body, versions, self.strides, self.ranges)
            self.array_reductions[versions[-1]] = found or ()
            self.reduction_ops.update(op for reduction in found or () for op in reduction.ops)
            return found is not None
        adding: set[Op] = set()
        for region in self.bodies:
            for op in region.ops:
                if op.primitive in STORES and op.operands[0] in versions:
                    reduction = array_reduction_at(op, region, versions, self.ranges)
                    if reduction is None or not reduction.is_reassociable:
                        return False
                    self.reduced_stores[op] = reduction
                    adding.update(reduction.ops)
        self.reduction_ops |= adding
        return adding.issuperset(self._accesses(versions))

    # ----- Other carried values

    def _add_reduction(self, arg: Value, y: Value) -> bool:
        """Is `y` a reduction of `arg` whose running sums have no other uses? Record it."""
        found = scalar_reduction(self.body, arg, y)
        if found is not None:
            self.reductions[y], ops = found
            self.reduction_ops.update(ops)
        return found is not None

    def _add_recurrence(self, arg: Value, y: Value) -> bool:
        """Is `arg` an element that the previous iteration computed on its own? Record it.

        `y` may depend on carried arrays. If it depended on another carried element, the iterations
        of a vector would have to be computed one after the other.
        """
        self.recurrences[arg] = y
        computed = y in definitions(self.body) and y in self.varying
        return y.aval.size == 1 and computed and not self._depends_on_carried_element(y)

    def _depends_on_carried_element(self, y: Value) -> bool:
        # The array of an access does not count, its start indices and its update do.
        read = (
            x
            for op in needed(self.body.ops, [y])
            for x in op.operands[1 if op.primitive in ACCESSES else 0 :]
        )
        return not set(self.body.args[1:]).isdisjoint(read)


# ----- Values


def _bodies(body: Region) -> Iterator[Region]:
    """The body of a loop, and the regions of all loops and branches inside it."""
    yield body
    yield from (region for op in walk(body) for region in op.regions)


def _varies(op: Op, varying: Set[Value]) -> bool:
    """Does it vary how often an inner loop runs, or which branch?"""
    if op.primitive is if_p:
        return op.operands[0] in varying
    loop = Loop.of(op)
    exits = [
        *(loop.cond.yields if loop.cond else ()),
        *(() if loop.count is None else [loop.count]),
    ]
    return not varying.isdisjoint(exits)


def _masked(body: Region, varying: Set[Value]) -> Iterator[Op]:
    """The ops that only some iterations run at a time."""
    for op in walk(body):
        if op.primitive in (if_p, loop_p) and _varies(op, varying):
            yield from (x for region in op.regions for x in walk(region))


def _defined(bodies: Sequence[Region]) -> Iterator[Value]:
    for body in bodies:
        yield from body.args
        yield from (y for op in body.ops for y in op.results)


def _shared_arrays(bodies: Sequence[Region]) -> dict[Value, Value]:
    """The versions of carries that are only loaded, stored into, and carried on; in order."""
    arrays = {arg: arg for arg in bodies[0].args[1:]}
    others: set[Value] = set()
    for body in bodies:
        for op in body.ops:
            if op.primitive is loop_p:
                carries, args = Loop.of(op).carries, Loop.of(op).body.args[1:]
                for x, *versions in zip(carries, args, op.results):
                    if x in arrays:
                        arrays.update(dict.fromkeys(versions, arrays[x]))
                # In two carries there would be two versions of the array at once.
                found = [arrays[x] for x in carries if x in arrays]
                twice = [array for array in found if found.count(array) > 1]
                others.update(twice if Loop.of(op).cond is None else found)
                continue
            if op.primitive is dynamic_update_slice and op.operands[0] in arrays:
                arrays[op.results[0]] = arrays[op.operands[0]]
            accesses = op.primitive in (dynamic_slice, dynamic_update_slice)
            others.update(arrays[x] for x in reads(op)[accesses:] if x in arrays)
        if not body.args:  # a branch
            others.update(arrays[y] for y in body.yields if y in arrays)
        for x, y in zip(body.args[1:], body.yields):
            if arrays.get(x) is not arrays.get(y):
                others.update(arrays[version] for version in (x, y) if version in arrays)
    return {x: array for x, array in arrays.items() if array not in others}
