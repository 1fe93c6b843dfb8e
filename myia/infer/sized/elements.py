"""Reading and writing arrays of run-time size: objects of their own, and views of other arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from myia.infer.context import Context, array_aval
from myia.infer.errors import NeedsStatic, ReadOnlyWrite, Unsupported
from myia.infer.heap import ListObject, SizedObject, SizedView
from myia.infer.layout import frozen_view
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
from myia.infer.values import Abstract, Ref, Tuple
from myia.infer.views import Window
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives import arithmetic, logic, shaping
from myia.source.diagnostics import InternalError

WAYS_OUT = (
    "use an array of the full size and `np.where(np.arange(n) < i, x, 0.0)`, or slices whose ends "
    "are Python ints"
)


def is_sized(ctx: Context, x: Abstract) -> bool:
    """An array with an axis of run-time extent."""
    return isinstance(x, Ref) and isinstance(ctx.heap[x.id], (SizedObject, SizedView))


def holds_sized(ctx: Context, x: Abstract) -> bool:
    """Such an array, or a sequence of them."""
    if isinstance(x, Tuple):
        return any(holds_sized(ctx, item) for item in x.items)
    if not isinstance(x, Ref):
        return False
    contents = ctx.heap[x.id]
    if isinstance(contents, ListObject):
        return any(is_sized(ctx, item) for item in contents.items)
    return isinstance(contents, (SizedObject, SizedView))


def refuse(ctx: Context, what: str):
    """Not done with arrays of run-time size: a loop around may unroll, so that sizes are known."""
    ctx.fail(
        Unsupported,
        error=NeedsStatic,
        what=f"{what} of an array whose size is known only at run time",
        help_text=WAYS_OUT,
    )


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


# ----- Objects


def new(ctx: Context, value: Value, extents: Extents) -> Abstract:
    """A new array with these elements."""
    if all(e is None for e in extents):
        return ctx.array(value)
    return ctx.new(SizedObject(value, tuple(extents)))


def extents_of(ctx: Context, x: Ref) -> Extents:
    """The extents of an array; of one whose size is known, Nones."""
    contents = ctx.contents(x)
    if isinstance(contents, SizedObject):
        return contents.extents
    if isinstance(contents, SizedView):
        return contents.step.extents
    return (None,) * len(ctx.shape(x))


def bounds_of(ctx: Context, x: Ref) -> Aval:
    """Dtype and greatest shape, without emitting anything."""
    contents = ctx.contents(x)
    if isinstance(contents, SizedObject):
        return contents.value.aval
    if isinstance(contents, SizedView):
        return bounds_of(ctx, Ref(contents.base)).with_shape(contents.step.shape)
    return array_aval(ctx.heap, x.id)


def dtype_of(ctx: Context, x: Ref) -> np.dtype:
    return bounds_of(ctx, x).dtype


def read(ctx: Context, x: Ref) -> Elements:
    """The present elements of any array."""
    contents = ctx.contents(x)
    if isinstance(contents, SizedObject):
        return Elements(contents.value, contents.extents)
    if isinstance(contents, SizedView):
        base = read(ctx, Ref(contents.base)).packed()
        return Elements(contents.step.read(base.value), contents.step.extents)
    return Elements(ctx.read(x), (None,) * len(ctx.shape(x)))


def store(ctx: Context, x: Ref, value: Value) -> None:
    """Change the live elements of `x`, as a prefix or in the places of its mask, to `value`'s."""
    contents = ctx.contents(x)
    if isinstance(contents, SizedView):
        base = Ref(contents.base)
        store(ctx, base, contents.step.write(read(ctx, base).value, value))
    elif isinstance(contents, SizedObject):
        if contents.readonly is not None:
            ctx.fail(ReadOnlyWrite, what=contents.readonly)
        if contents.value.aval != value.aval:
            raise InternalError(f"store of {value.aval} into {contents.value.aval}")
        ctx.write(x, replace(contents, value=padded(value, contents.extents)))
    else:
        ctx.store(x, value)


def pack(ctx: Context, x: Ref) -> None:
    """An object whose elements are the places of a mask gets them as a prefix."""
    contents = ctx.contents(x)
    if isinstance(contents, SizedObject) and any(e and e.mask for e in contents.extents):
        now = Elements(contents.value, contents.extents).packed()
        ctx.heap.objects[x.id] = replace(contents, value=now.value, extents=now.extents)


def view(ctx: Context, base: Ref, part: Part, whole: bool) -> Abstract:
    """The view of a part of `base`. `whole`: its window is all of `base`."""
    if any(e is not None for e in part.extents):
        return ctx.new(SizedView(base.id, part))
    if not is_sized(ctx, base):
        return base if whole else ctx.view(base, part.window)
    # A part of known size: it is copied, and the copy must not be written to.
    value = part.read(read(ctx, base).value)
    return frozen_view(ctx, base, value, "a part of a slice of run-time size")
