"""Dynamic arrays as values, and dynamic slices as view steps."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from myia.infer.domain.dynamic_axes import (
    DynamicAxes,
    DynamicAxis,
    masked_axis,
    packed,
    pad_masked,
    prefix_axis,
    resized,
    unpacked,
    valid_mask,
    values_in,
    with_values,
)
from myia.infer.domain.lengths import Length, static_length, times
from myia.infer.domain.views import StridedSlice
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.pointwise import logic


@dataclass(frozen=True)
class PaddedValue:
    """The value of an array, padded to its bounds, with its dynamic axes (None: a static axis)."""

    value: Value
    dynamic_axes: DynamicAxes

    @property
    def lengths(self) -> tuple[Length, ...]:
        """The shape: the number of valid elements along each axis."""
        return tuple(
            static_length(n) if e is None else e.length
            for n, e in zip(self.value.shape, self.dynamic_axes)
        )

    def packed(self) -> PaddedValue:
        """The same elements; every dynamic axis is a prefix."""
        value, dynamic_axes = self.value, list(self.dynamic_axes)
        for axis, dynamic_axis in enumerate(dynamic_axes):
            if dynamic_axis is not None:
                value, dynamic_axes[axis] = packed(value, axis, dynamic_axis)
        return PaddedValue(value, tuple(dynamic_axes))

    def bounded(self, bound: int) -> PaddedValue:
        """The same elements of packed rows: there are no more than `bound`."""
        first, *rest = self.dynamic_axes
        if first is not None:
            first = prefix_axis(replace(first.length, hi=bound), bound)
        return PaddedValue(resized(self.value, 0, bound), (first, *rest))

    def aligned_to(self, dynamic_axes: DynamicAxes) -> Value:
        """The same elements at the positions of `dynamic_axes`, which have the same lengths."""
        value = self.value
        for axis, (mine, wanted) in enumerate(zip(self.dynamic_axes, dynamic_axes)):
            if mine is None or wanted is None:
                continue
            if mine.layout_key != wanted.layout_key:
                value, _ = packed(value, axis, mine)
                value = unpacked(value, axis, wanted)
        return value


def raveled(x: PaddedValue) -> tuple[Value, DynamicAxis | None]:
    """The elements in one axis, in C order."""
    value = shaping.reshape(x.value, shape=(x.value.aval.size,))
    rows, *rest = x.packed().dynamic_axes
    if rows is not None and not any(rest):
        value = shaping.reshape(x.packed().value, shape=value.shape)
        size = value.shape[0] // max(rows.bound, 1)
        return value, prefix_axis(times(rows.length, size), value.shape[0])
    mask = valid_mask(x.value.shape, x.dynamic_axes)
    return value, None if mask is None else masked_axis(shaping.reshape(mask, shape=value.shape))


def layout_keys(dynamic_axes: DynamicAxes) -> list[Hashable]:
    return [None if e is None else e.layout_key for e in dynamic_axes]


# ----- Dynamic slices


@dataclass(frozen=True, eq=False)
class DynamicSlice:
    """`x[i:j]` with run-time bounds: a slice of static size, with the dynamic axes of its elements.

    `source_axes`: which axis of `x` each axis of the slice is, None for one that a subscript added.
    """

    bounding_slice: StridedSlice
    dynamic_axes: DynamicAxes
    source_axes: tuple[int | None, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.bounding_slice.shape

    def read(self, x: Value) -> Value:
        return pad_masked(self.bounding_slice.read(x), self.dynamic_axes)

    def write(self, x: Value, v: Value) -> Value:
        """`x` with this slice set to `v`, which has its valid elements at the same positions."""
        mask = valid_mask(self.shape, self.dynamic_axes)
        if mask is not None:
            v = logic.select(mask, v, self.bounding_slice.read(x))
        return self.bounding_slice.write(x, v)

    def same_as(self, other: DynamicSlice) -> bool:
        """Whether it is known to be the same elements."""
        mine, theirs = self.bounding_slice, other.bounding_slice
        return (
            (mine.starts, mine.sizes, mine.strides, mine.shape)
            == (theirs.starts, theirs.sizes, theirs.strides, theirs.shape)
        ) and layout_keys(self.dynamic_axes) == layout_keys(other.dynamic_axes)

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        return (*self.bounding_slice.values(), *values_in(self.dynamic_axes))

    def with_values(self, values: Iterable[Value]) -> DynamicSlice:
        """The same slice with other values for these."""
        rest = iter(values)
        return replace(
            self,
            bounding_slice=self.bounding_slice.with_values(rest),
            dynamic_axes=with_values(self.dynamic_axes, rest),
        )
