"""Stores into run-time slices: a loop that stores the elements that are there.

    %1 = select %mask, %new, %x                       %x' = for %k < %n (%a = %x) bound 900 {
    %x' = dynamic_update_slice %x, %1, 0                %j = add %i, %k
                                               ->       %1 = ...  (element %j of %new)
                                                        %a' = dynamic_update_slice %a, %1, %j
                                                        yield %a'
                                                      }

Where the mask is false, the store leaves the array as it is. So does the loop, which costs what the
mask keeps. Elements of the array itself are read from the array that the loop carries: the one that
is overwritten, or one that the loop does not write.

Not where the loop would read an element that it has overwritten (`x[:i] = x[1 : i + 1]`); not where
the length is a linear form of loop indices: over all iterations such slices are a fixed part of the
array, and masked operations on arrays are what outer loops are vectorized into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.analysis.linear_indices import (
    IndexRanges,
    LinearForm,
    constant_form,
    minus,
    plus,
)
from myia.ir.builder import Builder
from myia.ir.core import Op, Region, Value
from myia.passes.run_time_sizes.elements import Elements
from myia.passes.run_time_sizes.valid_ranges import (
    MIN_BOUND,
    NONE,
    Bounds,
    Definitions,
    along,
    bounds_unless,
    index_constant,
    is_index,
    moved,
    new_index,
    valid_range,
)
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import (
    STORES,
    dynamic_slice,
    dynamic_update_slice,
    start_indices,
)
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise import logic
from myia.rewriting.axes import moved_axes


class _ReadsWhatItOverwrites(Exception):
    pass


def loop_of_store(
    op: Op, definitions: Definitions, ranges: IndexRanges, is_local: Callable[[Value], bool]
) -> Op | None:
    """The loop in the place of a masked store; emits what its length is computed from."""
    array, update, *_ = op.operands
    for axis, bounds in _masked_axes(op, definitions, ranges):
        first, count = valid_range(bounds, update.shape[axis], ranges)
        if is_index(count, ranges):
            continue
        k = new_index(count, update.shape[axis], ranges)
        elements = _ElementsOfStore(definitions, ranges, is_local, op, axis, first)
        carry = Value(array.aval)
        with Builder() as b:
            try:
                stored = elements.store(carry, k)
            except _ReadsWhatItOverwrites:
                continue
        body = Region((k, carry), tuple(b.ops), (stored,))
        params = {"counted": True, "conditional": False, "bound": update.shape[axis]}
        return Op(loop_p, (count, array), params, (body,), op.results, op.span)
    return None


def is_masked(op: Op, definitions: Definitions) -> bool:
    """Does `op` perhaps store into a slice of run-time size?"""
    if op.primitive is not dynamic_update_slice or max(op.operands[1].shape, default=0) < MIN_BOUND:
        return False
    source = definitions.get(op.operands[1])
    if source is not None and source.primitive is shaping.reshape:
        source = definitions.get(source.operands[0])
    if source is None or source.primitive is not logic.select:
        return False
    return bool(bounds_unless(source.operands[0], False, definitions))


def _masked_axes(op: Op, definitions: Definitions, ranges: IndexRanges) -> list[tuple[int, Bounds]]:
    """The long axes of the slice along which the store changes a range only."""
    update = op.operands[1]
    bounds = _bounds_unless_old(update, op, definitions, ranges)
    long = (axis for axis, n in enumerate(update.shape) if n >= MIN_BOUND)
    found = [(axis, along(bounds, axis)) for axis in long]
    return [(axis, b) for axis, b in found if b]


def _bounds_unless_old(
    x: Value, store: Op, definitions: Definitions, ranges: IndexRanges
) -> Bounds:
    """Comparisons of indices: where one is false, an element of `x` is what `store` overwrites."""
    op = definitions.get(x)
    if op is None:
        return NONE
    if op.primitive is logic.select:
        mask, _, old = op.operands
        if _is_old(old, store, definitions, ranges):
            return bounds_unless(mask, False, definitions)
        return NONE
    axes = moved_axes(op)
    if op.primitive is not shaping.reshape or axes is None:
        return NONE
    return moved(_bounds_unless_old(op.operands[0], store, definitions, ranges), axes)


def _is_old(x: Value, store: Op, definitions: Definitions, ranges: IndexRanges) -> bool:
    """Is `x`, but for axes of one element, the slice that `store` overwrites?"""
    op = definitions.get(x)
    array, update, *_ = store.operands
    if x is not array and op is not None and op.primitive is shaping.reshape and moved_axes(op):
        return _is_old(op.operands[0], store, definitions, ranges)
    starts: list[LinearForm]
    if x is array:
        starts = [constant_form(0)] * len(x.shape)
    elif op is None:
        return False
    elif op.primitive is dynamic_slice and op.operands[0] is array:
        starts = list(ranges.linear_forms(start_indices(op)))
    elif (
        op.primitive is shaping.slice
        and op.operands[0] is array
        and set(op.params["stride"]) == {1}
    ):
        starts = [constant_form(n) for n in op.params["start"]]
    else:
        return False
    return x.shape == update.shape and starts == list(ranges.linear_forms(start_indices(store)))


class _ElementsOfStore(Elements):
    """Elements of what is stored; those of the array itself come from the array that is carried."""

    def __init__(
        self,
        definitions: Definitions,
        ranges: IndexRanges,
        is_local: Callable[[Value], bool],
        op: Op,
        axis: int,
        first: Value,
    ):
        super().__init__(definitions, ranges, is_local)
        self.op, self.axis, self.first = op, axis, first
        self.array, self.update, *_ = op.operands
        self.versions = _versions(self.array, definitions)
        self.carry = self.k = self.array
        self.starts: list[Value] = []
        self.sizes: tuple[int, ...] = ()

    def store(self, carry: Value, k: Value) -> Value:
        """The array that is carried, with element `first + k` along the axis stored."""
        shape, self.carry, self.k = self.update.shape, carry, k
        index = self.add(self.first, k)
        given = [
            index if i == self.axis else index_constant(0, self.ranges) if n == 1 else None
            for i, n in enumerate(shape)
        ]
        self.sizes = tuple(n if at is None else 1 for n, at in zip(shape, given))
        self.starts = [
            self.add(self.fitting(start, n - size), index) if i == self.axis else start
            for i, (start, n, size) in enumerate(
                zip(start_indices(self.op), self.array.shape, shape)
            )
        ]
        element = self.at(self.update, tuple(given))
        return dynamic_update_slice(
            self.carry, shaping.reshape(element, shape=self.sizes), *self.starts
        )

    def whole(self, x: Value) -> Value:
        if x in self.versions:
            raise _ReadsWhatItOverwrites
        return x

    def read(self, x: Value, starts: Sequence[Value], sizes: tuple[int, ...]) -> Value:
        if x in self.versions:
            if x is not self.array or not self._is_unchanged(starts, sizes):
                raise _ReadsWhatItOverwrites
            x = self.carry
        return super().read(x, starts, sizes)

    def _is_unchanged(self, starts: Sequence[Value], sizes: tuple[int, ...]) -> bool:
        """Has no earlier iteration stored into this slice of the array?"""
        forms = list(self.ranges.linear_forms(starts))
        targets = list(self.ranges.linear_forms(self.starts))
        if forms == targets and sizes == self.sizes:
            return True
        d, ranges = self.axis, self.ranges
        begin = minus(targets[d], ranges.linear_form(self.k))
        ahead = minus(forms[d], plus(targets[d], constant_form(1)))
        before = minus(begin, plus(forms[d], constant_form(sizes[d])))
        if ranges.is_nonnegative(ahead):
            return True
        if ranges.is_nonnegative(before) and ranges.is_nonnegative(forms[d]):
            return True
        columns = (forms, sizes, targets, self.sizes, self.array.shape)
        return ranges.are_disjoint(*([*xs[:d], *xs[d + 1 :]] for xs in columns))


def _versions(x: Value, definitions: Definitions) -> set[Value]:
    """The versions of an array, before the stores that made it."""
    found = {x}
    while (op := definitions.get(x)) is not None:
        if op.primitive in STORES:
            x = op.operands[0]
        elif op.primitive is loop_p:
            x = Loop.of(op).carries[op.results.index(x)]
        else:
            break
        found.add(x)
    return found
