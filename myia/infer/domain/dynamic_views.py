"""Arrays of run-time size as values: their elements, and parts of arrays as steps of views."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from myia.infer.domain.dynamic_axes import DynamicAxes, packed, pad_masked, unpacked, valid_mask
from myia.infer.domain.lengths import Length, static_length
from myia.infer.domain.views import StridedSlice
from myia.ir.core import Value
from myia.primitives.pointwise import logic


@dataclass(frozen=True)
class PaddedValue:
    """The value of an array, padded to its bounds, and what of it is there."""

    value: Value
    dynamic_axes: DynamicAxes

    @property
    def lengths(self) -> tuple[Length, ...]:
        """The shape."""
        return tuple(
            static_length(n) if e is None else e.length
            for n, e in zip(self.value.shape, self.dynamic_axes)
        )

    def packed(self) -> PaddedValue:
        """Every axis of run-time extent as a prefix."""
        value, extents = self.value, list(self.dynamic_axes)
        for axis, extent in enumerate(extents):
            if extent is not None:
                value, extents[axis] = packed(value, axis, extent)
        return PaddedValue(value, tuple(extents))

    def aligned_to(self, extents: DynamicAxes) -> Value:
        """The same elements in the places of `dynamic_axes`, which have the same counts."""
        value = self.value
        for axis, (mine, wanted) in enumerate(zip(self.dynamic_axes, extents)):
            if mine is not None and mine.layout_key != wanted.layout_key:
                value, _ = packed(value, axis, mine)
                value = unpacked(value, axis, wanted)
        return value


def layout_keys(extents: DynamicAxes) -> list[Hashable]:
    return [None if e is None else e.layout_key for e in extents]


# ----- Parts of arrays


@dataclass(frozen=True, eq=False)
class DynamicSlice:
    """`x[i:j]`: what is there of a window of the bound's extent.

    `source_axes`: which axis of `x` each axis of the part is, None for one that a subscript added.
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
        """`x` with `v`, whose elements are in the places of the part, in its place."""
        here = valid_mask(self.shape, self.dynamic_axes)
        if here is not None:
            v = logic.select(here, v, self.bounding_slice.read(x))
        return self.bounding_slice.write(x, v)

    def same_as(self, other: DynamicSlice) -> bool:
        """Surely the same elements."""
        mine, theirs = self.bounding_slice, other.bounding_slice
        return (
            (mine.starts, mine.sizes, mine.strides, mine.shape)
            == (theirs.starts, theirs.sizes, theirs.strides, theirs.shape)
        ) and layout_keys(self.dynamic_axes) == layout_keys(other.dynamic_axes)

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        found = [s for s in self.bounding_slice.starts if isinstance(s, Value)]
        return (*found, *(v for e in self.dynamic_axes if e is not None for v in e.values()))

    def substituted(self, env: dict[Value, Value]) -> DynamicSlice:
        """The same part with other values."""
        extents = tuple(
            None if e is None else e.with_values([env.get(v, v) for v in e.values()])
            for e in self.dynamic_axes
        )
        return replace(
            self, bounding_slice=self.bounding_slice.substituted(env), dynamic_axes=extents
        )
