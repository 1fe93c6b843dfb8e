"""Arrays of run-time size as values: their elements, and parts of arrays as steps of views."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from myia.infer.domain.dynamic_axes import Extents, live, packed, padded, unpacked
from myia.infer.domain.lengths import Count, known
from myia.infer.domain.views import Window
from myia.ir.core import Value
from myia.primitives.pointwise import logic


@dataclass(frozen=True)
class Elements:
    """The value of an array, padded to its bounds, and what of it is there."""

    value: Value
    extents: Extents

    @property
    def counts(self) -> tuple[Count, ...]:
        """The shape."""
        return tuple(
            known(n) if e is None else e.count for n, e in zip(self.value.shape, self.extents)
        )

    def packed(self) -> Elements:
        """Every axis of run-time extent as a prefix."""
        value, extents = self.value, list(self.extents)
        for axis, extent in enumerate(extents):
            if extent is not None:
                value, extents[axis] = packed(value, axis, extent)
        return Elements(value, tuple(extents))

    def placed(self, extents: Extents) -> Value:
        """The same elements in the places of `extents`, which have the same counts."""
        value = self.value
        for axis, (mine, wanted) in enumerate(zip(self.extents, extents)):
            if mine is not None and mine.form != wanted.form:
                value, _ = packed(value, axis, mine)
                value = unpacked(value, axis, wanted)
        return value


def forms(extents: Extents) -> list[Hashable]:
    return [None if e is None else e.form for e in extents]


# ----- Parts of arrays


@dataclass(frozen=True, eq=False)
class Part:
    """`x[i:j]`: what is there of a window of the bound's extent.

    `axes`: which axis of `x` each axis of the part is, None for one that a subscript added.
    """

    window: Window
    extents: Extents
    axes: tuple[int | None, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.window.shape

    def read(self, x: Value) -> Value:
        return padded(self.window.read(x), self.extents)

    def write(self, x: Value, v: Value) -> Value:
        """`x` with `v`, whose elements are in the places of the part, in its place."""
        here = live(self.shape, self.extents)
        if here is not None:
            v = logic.select(here, v, self.window.read(x))
        return self.window.write(x, v)

    def same_as(self, other: Part) -> bool:
        """Surely the same elements."""
        mine, theirs = self.window, other.window
        return (
            (mine.starts, mine.sizes, mine.strides, mine.shape)
            == (theirs.starts, theirs.sizes, theirs.strides, theirs.shape)
        ) and forms(self.extents) == forms(other.extents)

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        found = [s for s in self.window.starts if isinstance(s, Value)]
        return (*found, *(v for e in self.extents if e is not None for v in e.values()))

    def renamed(self, env: dict[Value, Value]) -> Part:
        """The same part with other values."""
        extents = tuple(
            None if e is None else e.with_values([env.get(v, v) for v in e.values()])
            for e in self.extents
        )
        return replace(self, window=self.window.renamed(env), extents=extents)
