"""Axes of run-time extent: how many elements are there, and which of the bound's many they are.

    x[:i]       the first i of n                     a *prefix*
    x[i:j]      those from i on                      kept in their places until order matters,
    x[mask]     those where the mask is true         or they meet others that lie elsewhere

The laws that every array of run-time size keeps:

1. What is not there (the *padding*) equals the first element that is, or 1 where none is: nothing
   non-finite arises there that does not arise in a live element.
2. Whatever enters the padding does so under `stop_gradient`, selected by the mask: no derivative
   leaves it, so that nothing in it, not even a NaN, can poison what is live.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.dtypes import broadcast_to, convert
from myia.infer.domain.lengths import I64, Count, unknown
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.gather import index_dims, take
from myia.primitives.arrays.scattering import scatter
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic


@dataclass(frozen=True, eq=False)
class Extent:
    """`count` of `bound` elements: the first, those from `start` on, or those where `mask` is true.

    `mark` tells what the mask (bool[bound]) was computed from: another computation of it would give
    the same.
    """

    count: Count
    bound: int
    start: Count | None = None
    mask: Value | None = None
    mark: Hashable = None

    @property
    def form(self) -> Hashable:
        """Axes of one form have their live elements in the same places."""
        if self.mask is not None:
            return self.mark or self.mask
        return self.count.form if self.start is None else (self.start.form, self.count.form)

    @property
    def is_prefix(self) -> bool:
        return self.start is None and self.mask is None

    def live(self) -> Value:
        """bool[bound]: which elements are there."""
        if self.mask is not None:
            return self.mask
        places = shaping.iota(shape=(self.bound,), axis=0, dtype=I64)
        if self.start is None:
            return logic.lt(places, broadcast_to(self.count.value, (self.bound,)))
        stop = arithmetic.add(self.start.value, self.count.value)
        after = logic.ge(places, broadcast_to(self.start.value, (self.bound,)))
        return logic.and_(after, logic.lt(places, broadcast_to(stop, (self.bound,))))

    def empty(self) -> Value:
        return logic.eq(self.count.value, constant(0, I64))

    # As a node of the trees that `infer/paths/merge.py` walks.

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        start = None if self.start is None else self.start.at
        return tuple(v for v in (self.count.at, start, self.mask) if isinstance(v, Value))

    def with_values(self, values: Sequence[Value]) -> Extent:
        """The same extent with other values."""
        if tuple(values) == self.values():
            return self
        rest = list(values)
        count = self.count if self.count.static else unknown(rest.pop(0), self.bound)
        start = self.start
        if start is not None and not start.static:
            start = unknown(rest.pop(0), self.bound)
        return Extent(count, self.bound, start, None if self.mask is None else rest.pop(0))


Extents = tuple[Extent | None, ...]


def prefix(count: Count, bound: int) -> Extent:
    return Extent(count, bound)


def masked(mask: Value, mark: Hashable = None) -> Extent:
    """The elements where `mask` is true."""
    total = shaping.reduce_sum(convert(mask, I64), axes=(0,))
    return Extent(unknown(total, mask.shape[0]), mask.shape[0], None, mask, mark)


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
    if extent.mask is not None:
        place = reductions.argmax(extent.mask, axis=0)
    else:
        place = zero if extent.start is None else extent.start.value
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


def moved_down(x: Value, axis: int, offset: Count) -> Value:
    """Element `offset + i` at place i of the axis; 0 <= offset <= its extent."""
    none = (0,) * x.aval.ndim
    return _slid(_with_zeros(x, none, _at(axis, x.shape[axis], none)), axis, offset.value, x.shape)


def moved_up(x: Value, axis: int, offset: Count) -> Value:
    """Element i at place `offset + i` of the axis; 0 <= offset <= its extent."""
    if offset.static and offset.at == 0:
        return x
    none, n = (0,) * x.aval.ndim, x.shape[axis]
    start = arithmetic.sub(constant(n, I64), offset.value)
    return _slid(_with_zeros(x, _at(axis, n, none), none), axis, start, x.shape)


def _slid(x: Value, axis: int, start: Value, sizes: tuple[int, ...]) -> Value:
    zero = constant(0, I64)
    starts = (start if i == axis else zero for i in range(len(sizes)))
    return dynamic_slice(x, *starts, sizes=sizes)


def _at(axis: int, n: int, others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n if i == axis else other for i, other in enumerate(others))


def _with_zeros(x: Value, low: tuple[int, ...], high: tuple[int, ...]) -> Value:
    interior = (0,) * len(low)
    return shaping.pad(x, constant(0, x.dtype), low=low, high=high, interior=interior)


def packed(x: Value, axis: int, extent: Extent) -> tuple[Value, Extent]:
    """The live elements along `axis` moved to its start, in their order."""
    if extent.is_prefix or extent.bound == 0:
        return x, extent
    first = prefix(extent.count, extent.bound)
    if extent.mask is not None:
        x = take(x, places_of(extent.mask), axis)
    else:
        x = moved_down(x, axis, extent.start)
    return padded(x, tuple(first if i == axis else None for i in range(x.aval.ndim))), first


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
    """A prefix along `axis` moved to the places of `extent`: the inverse of `packed`."""
    if extent.mask is not None:
        return take(x, ranks_in(extent.mask), axis)
    return x if extent.start is None else moved_up(x, axis, extent.start)
