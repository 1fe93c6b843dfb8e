"""Arrays of run-time size as values: their elements, and parts of arrays as steps of views."""

from __future__ import annotations

from dataclasses import dataclass, replace

from myia.infer.sized.counts import Count, known
from myia.infer.sized.extents import (
    I64,
    Extent,
    Extents,
    moved_down,
    moved_up,
    packed,
    padded,
)
from myia.infer.views import Window
from myia.ir.core import Value
from myia.primitives import arithmetic, logic, shaping


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


# ----- Parts of arrays


@dataclass(frozen=True, eq=False)
class Part:
    """`x[i:j]`: of a window of the bound's extent, what starts at `offsets` and is there.

    `axes`: which axis of `x` each axis of the part is, None for one that a subscript added.
    """

    window: Window
    offsets: tuple[Count, ...]
    extents: Extents
    axes: tuple[int | None, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.window.shape

    def read(self, x: Value) -> Value:
        return padded(moved_down(self.window.read(x), self.offsets), self.extents)

    def write(self, x: Value, v: Value) -> Value:
        """`x` with `v` (of the window's shape) in its place."""
        places = self._places()
        if places is not None:
            v = logic.select(places, moved_up(v, self.offsets), self.window.read(x))
        return self.window.write(x, v)

    def _places(self) -> Value | None:
        """Which elements of the window are the part."""
        found = None
        for axis, (extent, offset) in enumerate(zip(self.extents, self.offsets)):
            if extent is None:
                continue
            here = shaping.broadcast(_between(extent, offset), shape=self.shape, dims=(axis,))
            found = here if found is None else logic.and_(found, here)
        return found

    def same_as(self, other: Part) -> bool:
        """Surely the same elements."""
        return (
            self.shape == other.shape
            and self.window.sizes == other.window.sizes
            and self.window.strides == other.window.strides
            and self.window.starts == other.window.starts
            and all(a.equals(b) for a, b in zip(self.offsets, other.offsets))
            and all(
                (a is None and b is None) or (a is not None and b is not None and a.form == b.form)
                for a, b in zip(self.extents, other.extents)
            )
        )

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        found = [s for s in self.window.starts if isinstance(s, Value)]
        found += [o.at for o in self.offsets if isinstance(o.at, Value)]
        return (*found, *(v for e in self.extents if e is not None for v in e.values()))

    def renamed(self, env: dict[Value, Value]) -> Part:
        """The same part with other values."""
        offsets = tuple(_renamed_count(o, env) for o in self.offsets)
        extents = tuple(
            None if e is None else e.with_values([env.get(v, v) for v in e.values()])
            for e in self.extents
        )
        return replace(self, window=self.window.renamed(env), offsets=offsets, extents=extents)


def _renamed_count(x: Count, env: dict[Value, Value]) -> Count:
    if x.static or x.at not in env:
        return x
    return replace(x, at=env[x.at], form=(env[x.at], 1, 0))


def _between(extent: Extent, offset: Count) -> Value:
    """offset <= i < offset + count, for the places i of the window."""
    if offset.static and offset.at == 0:
        return extent.live()
    shape = (extent.bound,)
    places = shaping.iota(shape=shape, axis=0, dtype=I64)
    stop = arithmetic.add(offset.value, extent.count.value)
    after = logic.ge(places, shaping.broadcast(offset.value, shape=shape, dims=()))
    return logic.and_(after, logic.lt(places, shaping.broadcast(stop, shape=shape, dims=())))
