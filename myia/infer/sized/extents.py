"""Axes of run-time extent: how many elements are there, and which of the bound's many they are.

    x[:i]       the first i of n                     a *prefix*
    x[mask]     those where the mask is true         kept in their places until order matters

The laws that every array of run-time size keeps:

1. What is not there (the *padding*) equals the first element that is, or 1 where none is: nothing
   non-finite arises there that does not arise in a live element.
2. Whatever enters the padding does so under `stop_gradient`, selected by the mask: no derivative
   leaves it, so that nothing in it, not even a NaN, can poison what is live.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from myia.infer.numbers import broadcast_to, convert
from myia.infer.sized.counts import I64, Count, unknown
from myia.ir.core import Value
from myia.primitives import arithmetic, logic, reductions, shaping
from myia.primitives.define import constant
from myia.primitives.indexing import index_dims, scatter, take
from myia.primitives.windows import dynamic_slice


@dataclass(frozen=True, eq=False)
class Extent:
    """`count` elements of at most `bound`: the first, or where `mask` (bool[bound]) is true.

    `mark` tells what the mask was computed from, where another computation would give the same.
    """

    count: Count
    bound: int
    mask: Value | None = None
    mark: Hashable = None

    @property
    def form(self) -> Hashable:
        """Axes of one form have the same live elements."""
        return self.count.form if self.mask is None else self.mark or self.mask

    def live(self) -> Value:
        """bool[bound]: which elements are there."""
        if self.mask is not None:
            return self.mask
        places = shaping.iota(shape=(self.bound,), axis=0, dtype=I64)
        return logic.lt(places, broadcast_to(self.count.value, (self.bound,)))

    def empty(self) -> Value:
        return logic.eq(self.count.value, constant(0, I64))

    def narrowed(self, bound: int) -> Extent:
        """The same prefix with a lower bound."""
        return replace(self, bound=bound)

    # As a node of the trees that `infer/join.py` walks.

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        return tuple(v for v in (self.count.at, self.mask) if isinstance(v, Value))

    def with_values(self, values: Sequence[Value]) -> Extent:
        """The same extent with other values."""
        if tuple(values) == self.values():
            return self
        mask = None if self.mask is None else values[-1]
        count = self.count if self.count.static else unknown(values[0], self.bound)
        return Extent(count, self.bound, mask)


Extents = tuple[Extent | None, ...]


def prefix(count: Count, bound: int) -> Extent:
    return Extent(count, bound)


def masked(mask: Value, mark: Hashable = None) -> Extent:
    """The elements where `mask` is true."""
    total = shaping.reduce_sum(convert(mask, I64), axes=(0,))
    return Extent(unknown(total, mask.shape[0]), mask.shape[0], mask, mark)


# ----- Masks, padding


def live(shape: tuple[int, ...], extents: Extents) -> Value | None:
    """Which elements are there; None: all of them."""
    found = None
    for axis, extent in enumerate(extents):
        if extent is None:
            continue
        here = shaping.broadcast(extent.live(), shape=shape, dims=(axis,))
        found = here if found is None else logic.and_(found, here)
    return found


def filled(x: Value, extents: Extents, number) -> Value:
    """`x` with a number for the padding: a reduction's neutral element."""
    mask = live(x.shape, extents)
    return x if mask is None else logic.select(mask, x, constant(number, x.dtype, x.shape))


def guarded(x: Value, extents: Extents) -> Value:
    """`x` itself; no derivative leaves its padding."""
    mask = live(x.shape, extents)
    if mask is None or x.dtype.kind not in "fc":
        return x
    return logic.select(mask, x, logic.stop_gradient(x))


def padded(x: Value, extents: Extents) -> Value:
    """`x` with padding as the laws want it, whatever was there before."""
    for axis, extent in enumerate(extents):
        if extent is None or x.shape[axis] == 0:
            continue
        first = logic.stop_gradient(_first(x, axis, extent))
        if extent.count.lo == 0:
            empty = broadcast_to(extent.empty(), first.shape)
            first = logic.select(empty, constant(1, x.dtype, first.shape), first)
        here = shaping.broadcast(extent.live(), shape=x.shape, dims=(axis,))
        x = logic.select(here, x, broadcast_to(first, x.shape))
    return x


def _first(x: Value, axis: int, extent: Extent) -> Value:
    """The first live element along `axis`, which keeps extent 1."""
    sizes = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    zero = constant(0, I64)
    if extent.mask is None:
        place = zero
    else:
        place = reductions.argmax(extent.mask, axis=0)
    return dynamic_slice(x, *(place if i == axis else zero for i in range(len(sizes))), sizes=sizes)


# ----- Moving elements along axes


def resized(x: Value, axis: int, bound: int) -> Value:
    """The first `bound` elements along `axis`, zeros after the last."""
    if x.shape[axis] == bound:
        return x
    if x.shape[axis] < bound:
        high = tuple(bound - n if i == axis else 0 for i, n in enumerate(x.shape))
        return _with_zeros(x, (0,) * len(high), high)
    limit = tuple(bound if i == axis else n for i, n in enumerate(x.shape))
    ones = (1,) * len(limit)
    return shaping.slice(x, start=tuple(n - 1 for n in ones), limit=limit, stride=ones)


def moved_down(x: Value, offsets: Sequence[Count]) -> Value:
    """Element `offset + i` at place i of each axis; offsets are within the extents."""
    if all(o.static and o.at == 0 for o in offsets):
        return x
    high = tuple(0 if o.hi == 0 else n for o, n in zip(offsets, x.shape))
    spread = _with_zeros(x, (0,) * len(high), high)
    return dynamic_slice(spread, *(o.value for o in offsets), sizes=x.shape)


def moved_up(x: Value, offsets: Sequence[Count]) -> Value:
    """Element i at place `offset + i` of each axis."""
    if all(o.static and o.at == 0 for o in offsets):
        return x
    low = tuple(0 if o.hi == 0 else n for o, n in zip(offsets, x.shape))
    spread = _with_zeros(x, low, (0,) * len(low))
    starts = (arithmetic.sub(constant(n, I64), o.value) for o, n in zip(offsets, low))
    return dynamic_slice(spread, *starts, sizes=x.shape)


def _with_zeros(x: Value, low: tuple[int, ...], high: tuple[int, ...]) -> Value:
    interior = (0,) * len(low)
    return shaping.pad(x, constant(0, x.dtype), low=low, high=high, interior=interior)


def packed(x: Value, axis: int, extent: Extent) -> tuple[Value, Extent]:
    """The live elements along `axis` moved to its start, in their order."""
    if extent.mask is None:
        return x, extent
    first = prefix(extent.count, extent.bound)
    places = places_of(extent.mask)
    extents = tuple(first if i == axis else None for i in range(x.aval.ndim))
    return padded(take(x, places, axis), extents), first


def places_of(mask: Value) -> Value:
    """Where `mask` is true, in order: i64[n], zeros after the last."""
    n = mask.shape[0]
    rank = ranks_in(mask)
    # Each place has a target of its own: those that are not taken have one outside.
    everyone = shaping.iota(shape=(n,), axis=0, dtype=I64)
    target = logic.select(mask, rank, arithmetic.add(everyone, n))
    dims = index_dims((), (0,), (0,))
    start = constant(0, I64, (n,))
    at = shaping.reshape(target, shape=(n, 1))
    return scatter(start, at, everyone, dims=dims, mode="fill", unique=True)


def ranks_in(mask: Value) -> Value:
    """How many live elements stand before each element."""
    ones = convert(mask, np.dtype(np.int64))
    return arithmetic.sub(reductions.cumsum(ones, axis=0, reverse=False), ones)


def unpacked(x: Value, axis: int, extent: Extent) -> Value:
    """A prefix along `axis` moved to the places of a mask: the inverse of `packed`."""
    return take(x, ranks_in(extent.mask), axis) if extent.mask is not None else x
