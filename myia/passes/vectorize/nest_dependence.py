"""Dependence of outer loops around recurrences: which have independent iterations.

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

What it computes. The stride of every access in the outer loop, which is 1 or -1 along one axis;
start indices along the other axes do not depend on the outer iteration, but may depend on inner
loops. And for every carried value of the outer loop one of

- an array of which no outer iteration accesses an element that another one stores, at any point of
  its inner loops;
- an array of cotangents to which the loop only adds, at any indices;
- a scalar sum of cotangents whose running sum has no other use.

What it guarantees: all outer iterations can run together, inner iteration by inner iteration.

When it gives up: trip counts of inner loops that differ between outer iterations, conditions,
branches, ops without a batching rule, sums in a user's order, accesses that may be out of range.
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
    """Facts about an outer loop with independent iterations; the fields are as in `LoopSummary`."""

    varying: set[Value]  # from outer iteration to outer iteration; no version of a shared array
    strides: Mapping[Op, Stride]
    partial_sums: frozenset[Value]  # carries to which iterations add: each gets a private sum
    reduced_stores: Mapping[Op, ArrayReduction]  # additions to elements, by the store
    reduction_ops: frozenset[Op]  # the ops of these additions, except the stores
    arrays: Mapping[Value, Value]  # version of a shared array -> the outer carry that it belongs to
    reductions: Mapping = field(default_factory=dict)  # the next ones: only of innermost loops
    array_reductions: Mapping = field(default_factory=dict)
    recurrences: Mapping = field(default_factory=dict)
    gathers: frozenset[Op] = frozenset()

    @property
    def direction(self) -> int:
        """1 if most accesses go forwards through memory, else -1."""
        return 1 if sum(stride.step for stride in self.strides.values()) >= 0 else -1


def nest_summary_if_independent(loop: Loop, ranges: IndexRanges) -> NestSummary | None:
    """The summary of an outer loop if its iterations are independent, else None."""
    if loop.count is None or loop.cond is not None:
        return None
    test = _NestIndependenceTest(loop.body, ranges)
    return test.summary() if test.is_independent() else None


class _NestIndependenceTest:
    """The dependence test of one outer loop; it collects the fields of the summary on the way."""

    def __init__(self, body: Region, ranges: IndexRanges):
        self.body, self.k, self.ranges = body, body.args[0], ranges
        self.bodies = list(_bodies(body))
        self.inner = set(_defined(self.bodies[1:]))
        self.arrays = self._shared_arrays()
        self.varying = self._varying()
        self.strides: dict[Op, Stride] = {}
        self.reduced_stores: dict[Op, ArrayReduction] = {}

    def summary(self) -> NestSummary:
        reduction_ops = {op for reduction in self.reduced_stores.values() for op in reduction.ops}
        sums = {x for x in self.body.args[1:] if x not in self.arrays}
        return NestSummary(
            self.varying,
            self.strides,
            frozenset(sums),
            self.reduced_stores,
            frozenset(reduction_ops - set(self.reduced_stores)),
            self.arrays,
        )

    def is_independent(self) -> bool:
        return (
            all(self._check_op(op) for region in self.bodies for op in region.ops)
            and any(self.strides)
            and all(map(self._check_carry, self.body.args[1:], self.body.yields))
        )

    # ----- Arrays that all outer iterations share

    def _shared_arrays(self) -> dict[Value, Value]:
        """The versions of carries that are only loaded, stored into, and carried on."""
        roots = set(self.body.args[1:])
        while True:
            versions = {root: root for root in roots}
            others = set(_other_uses(self.body, versions))
            if not others:
                return versions
            roots -= others

    # ----- Values that vary from outer iteration to outer iteration

    def _varying(self) -> set[Value]:
        varying = {x for x in self.body.args if x not in self.arrays}
        while True:
            # To a fixed point, since inner loops carry what they yield.
            before = len(varying)
            for region in self.bodies:
                for op in region.ops:
                    varying.update(self._varying_results(op, varying))
            if len(varying) == before:
                return varying

    def _varying_results(self, op: Op, varying: set[Value]) -> Iterator[Value]:
        if op.primitive is loop_p:
            loop = Loop.of(op)
            for carry in zip(loop.carries, loop.body.args[1:], loop.body.yields, op.results):
                if not varying.isdisjoint(carry):
                    yield from (x for x in carry[1:] if x not in self.arrays)
        elif not varying.isdisjoint(op.operands):
            yield from (y for y in op.results if y not in self.arrays)

    # ----- Ops

    def _check_op(self, op: Op) -> bool:
        """Can `op` be widened? If it is an access, record its stride."""
        if op.primitive is loop_p:
            loop = Loop.of(op)
            return loop.cond is None and loop.count is not None and loop.count not in self.varying
        if op.regions or op.primitive.effect:
            return False
        if self._is_access(op):
            return self._find_stride(op)
        return self.varying.isdisjoint(op.operands) or can_batch(op, self.varying)

    def _is_access(self, op: Op) -> bool:
        """Is `op` a load or a store of an array that all outer iterations share?"""
        if op.primitive is dynamic_slice:
            return op.operands[0] not in self.varying
        return op.primitive in STORES and op.operands[0] in self.arrays

    def _find_stride(self, op: Op) -> bool:
        """Is the access surely in range, with a stride of 1 or -1, or a load without stride?"""
        starts = self.ranges.linear_forms(start_indices(op))
        if not all(set(start) & self.varying <= {self.k} for start in starts):
            return False
        inner_steps = (start[x] for start in starts for x in self.inner.intersection(start))
        if any(abs(step) > 1 for step in inner_steps):
            return False  # the inner loop has been vectorized already
        moving = [axis for axis, start in enumerate(starts) if start[self.k]]
        if not moving:
            return op.primitive is dynamic_slice
        axis, start = moving[0], starts[moving[0]]
        is_stride = len(moving) == 1 and abs(start[self.k]) == 1 and self.inner.isdisjoint(start)
        if not is_stride or slice_sizes(op)[axis] != 1 or op.primitive not in _LOAD_AND_STORE:
            return False
        self.strides[op] = Stride(axis, start[self.k])
        # A slice that is out of range is moved, and the widened one by another distance.
        last = constant_form(op.operands[0].shape[axis] - 1)
        return all(map(self.ranges.is_nonnegative, (start, minus(last, start))))

    # ----- Carried values of the outer loop

    def _check_carry(self, arg: Value, y: Value) -> bool:
        if arg not in self.arrays:
            return _is_reassociable_sum(arg, y, self.body)
        return self._iterations_are_disjoint(arg) or self._add_array_reductions(arg)

    def _accesses(self, array: Value) -> list[Op]:
        ops = (op for region in self.bodies for op in region.ops)
        return [
            op
            for op in ops
            if op.primitive in _LOAD_AND_STORE and self.arrays.get(op.operands[0]) is array
        ]

    def _iterations_are_disjoint(self, array: Value) -> bool:
        """Is no element that an outer iteration stores accessed by another one?"""
        accesses = self._accesses(array)
        stores = [op for op in accesses if op.primitive is dynamic_update_slice]
        return all(self._have_no_dependence(*pair) for pair in product(stores, accesses))

    def _have_no_dependence(self, store: Op, other: Op) -> bool:
        """Is there an axis along which the two are disjoint in different outer iterations?"""
        starts = map(self.ranges.linear_forms, (start_indices(store), start_indices(other)))
        sizes, shape = (slice_sizes(store), slice_sizes(other)), store.operands[0].shape
        return any(self._are_disjoint_along(*axis) for axis in zip(*starts, *sizes, shape))

    def _are_disjoint_along(
        self, x: LinearForm, y: LinearForm, size: int, other_size: int, length: int
    ) -> bool:
        # No inner index is in x (`_find_stride`), so x differs between any two outer iterations.
        if x[self.k] and x == y:
            return True
        common = self.ranges.transitive_symbols(x) & self.ranges.transitive_symbols(y)
        if self.k in common or not self.inner.isdisjoint(common):
            return False  # in the other iteration this symbol may be another number
        return self.ranges.are_disjoint((x,), (size,), (y,), (other_size,), (length,))

    def _add_array_reductions(self, array: Value) -> bool:
        """Does the loop only add to the array, in any order? Record the reductions."""
        versions = [x for x, root in self.arrays.items() if root is array]
        for region in self.bodies:
            for op in region.ops:
                if op.primitive is dynamic_update_slice and op.operands[0] in versions:
                    reduction = array_reduction_at(op, region, versions, self.ranges)
                    if reduction is None:
                        return False
                    if not all(step.is_reassociable for step in reduction.steps):
                        return False
                    self.reduced_stores[op] = reduction
        adding = {op for reduction in self.reduced_stores.values() for op in reduction.ops}
        return adding.issuperset(self._accesses(array))


_LOAD_AND_STORE = (dynamic_slice, dynamic_update_slice)


def _bodies(body: Region) -> Iterator[Region]:
    """The bodies of a loop and of all loops inside it."""
    yield body
    for op in walk(body):
        if op.primitive is loop_p:
            yield Loop.of(op).body


def _defined(bodies: Sequence[Region]) -> Iterator[Value]:
    for body in bodies:
        yield from body.args
        yield from (y for op in body.ops for y in op.results)


def _other_uses(body: Region, versions: dict[Value, Value]) -> Iterator[Value]:
    """Yield the roots in `versions` that have other uses than loads, stores and being carried.

    `versions` maps versions to their root, and is extended by the versions that are found.
    """
    for op in body.ops:
        carries = Loop.of(op).carries if op.primitive is loop_p else ()
        if op.primitive is loop_p:
            inner = Loop.of(op).body
            for x, arg, y in zip(carries, inner.args[1:], op.results):
                if x in versions:
                    versions[arg] = versions[y] = versions[x]
            yield from _other_uses(inner, versions)
        elif op.primitive is dynamic_update_slice and op.operands[0] in versions:
            versions[op.results[0]] = versions[op.operands[0]]
        accessed = 1 if op.primitive in _LOAD_AND_STORE else 0
        others = op.operands[accessed:] if op.primitive is not loop_p else ()
        yield from (versions[x] for x in others if x in versions)
        if carries:
            roots = [versions[x] for x in carries if x in versions]
            # In two carries there would be two versions of the array at once.
            yield from (root for root in roots if roots.count(root) > 1)
    for arg, y in zip(body.args[1:], body.yields):
        if versions.get(arg) is not versions.get(y):
            yield from (versions[x] for x in (arg, y) if x in versions)


def _is_reassociable_sum(x: Value, last: Value, body: Region) -> bool:
    """Is `last` a sum of `x` and of terms independent of it, in any order, with no other uses?"""
    sums = {x}
    for op in body.ops:
        if not sums.isdisjoint(reads(op)):
            results = _results_that_are_sums(op, sums)
            if not results:
                return False
            sums.update(results)
    return last in sums and sum(y in sums for y in body.yields) == 1


def _results_that_are_sums(op: Op, sums: set[Value]) -> list[Value]:
    """The results of `op`, which reads `sums`, that are such sums again; none if it does more."""
    positions = [i for i, x in enumerate(op.operands) if x in sums]
    if op.primitive is loop_p:
        body = Loop.of(op).body
        carries = [i - (len(op.operands) - len(op.results)) for i in positions]
        is_carried = len(carries) == 1 and sums.isdisjoint(body.captured) and carries[0] >= 0
        (i,) = carries if is_carried else (0,)
        adds = is_carried and _is_reassociable_sum(body.args[1 + i], body.yields[i], body)
        return [op.results[i]] if adds else []
    adds = op.primitive is add and op.params.get("reassoc") and len(positions) == 1
    # A term under a condition: select(c, s + x, s).
    selects = op.primitive is select and positions == [1, 2]
    return list(op.results) if adds or selects or op.primitive is reshape else []
