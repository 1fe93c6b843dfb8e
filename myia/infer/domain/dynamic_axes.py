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
from myia.infer.domain.lengths import I64, Length, dynamic_length
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.gather import index_dims, take
from myia.primitives.arrays.scattering import scatter
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic


@dataclass(frozen=True, eq=False)
class DynamicAxis:
    """An axis with `length` valid elements of `bound`: a prefix, a range, or a masked selection.

    The valid elements are the first ones, those from `start` on, or those where `mask` is true.
    `mask_source` says what the mask (bool[bound]) was computed from: masks with one source are
    equal, though computed twice.
    """

    length: Length
    bound: int
    start: Length | None = None
    mask: Value | None = None
    mask_source: Hashable = None

    @property
    def layout_key(self) -> Hashable:
        """Axes of one form have their live elements in the same places."""
        if self.mask is not None:
            return self.mask_source or self.mask
        return (
            self.length.linear_form
            if self.start is None
            else (self.start.linear_form, self.length.linear_form)
        )

    @property
    def is_prefix(self) -> bool:
        return self.start is None and self.mask is None

    def valid_mask(self) -> Value:
        """bool[bound]: which elements are there."""
        if self.mask is not None:
            return self.mask
        places = shaping.iota(shape=(self.bound,), axis=0, dtype=I64)
        if self.start is None:
            return logic.lt(places, broadcast_to(self.length.value, (self.bound,)))
        stop = arithmetic.add(self.start.value, self.length.value)
        after = logic.ge(places, broadcast_to(self.start.value, (self.bound,)))
        return logic.and_(after, logic.lt(places, broadcast_to(stop, (self.bound,))))

    def is_empty(self) -> Value:
        return logic.eq(self.length.value, constant(0, I64))

    # As a node of the trees that `infer/paths/merge.py` walks.

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        start = None if self.start is None else self.start.number
        return tuple(v for v in (self.length.number, start, self.mask) if isinstance(v, Value))

    def with_values(self, values: Sequence[Value]) -> DynamicAxis:
        """The same extent with other values."""
        if tuple(values) == self.values():
            return self
        rest = list(values)
        count = self.length if self.length.is_static else dynamic_length(rest.pop(0), self.bound)
        start = self.start
        if start is not None and not start.is_static:
            start = dynamic_length(rest.pop(0), self.bound)
        return DynamicAxis(count, self.bound, start, None if self.mask is None else rest.pop(0))


DynamicAxes = tuple[DynamicAxis | None, ...]


def prefix_axis(count: Length, bound: int) -> DynamicAxis:
    return DynamicAxis(count, bound)


def masked_axis(mask: Value, mark: Hashable = None) -> DynamicAxis:
    """The elements where `mask` is true."""
    total = shaping.reduce_sum(convert(mask, I64), axes=(0,))
    return DynamicAxis(dynamic_length(total, mask.shape[0]), mask.shape[0], None, mask, mark)


# ----- Masks, padding


def valid_mask(shape: tuple[int, ...], extents: DynamicAxes) -> Value | None:
    """Which elements are there; None: all of them."""
    found = None
    for axis, extent in enumerate(extents):
        if extent is None:
            continue
        here = shaping.broadcast(extent.valid_mask(), shape=shape, dims=(axis,))
        found = here if found is None else logic.and_(found, here)
    return found


def fill_masked(x: Value, extents: DynamicAxes, number) -> Value:
    """`x` with a number for the padding: a reduction's neutral element."""
    mask = valid_mask(x.shape, extents)
    return x if mask is None else logic.select(mask, x, constant(number, x.dtype, x.shape))


def stop_masked_gradients(x: Value, extents: DynamicAxes) -> Value:
    """`x` itself; no derivative leaves its padding."""
    mask = valid_mask(x.shape, extents)
    if mask is None or x.dtype.kind not in "fc":
        return x
    return logic.select(mask, x, logic.stop_gradient(x))


def pad_masked(x: Value, extents: DynamicAxes) -> Value:
    """`x` with padding as the laws want it, whatever was there before."""
    for axis, extent in enumerate(extents):
        if extent is None or x.shape[axis] == 0:
            continue
        first = logic.stop_gradient(_first(x, axis, extent))
        if extent.length.lo == 0:
            empty = broadcast_to(extent.is_empty(), first.shape)
            first = logic.select(empty, constant(1, x.dtype, first.shape), first)
        here = shaping.broadcast(extent.valid_mask(), shape=x.shape, dims=(axis,))
        x = logic.select(here, x, broadcast_to(first, x.shape))
    return x


def _first(x: Value, axis: int, extent: DynamicAxis) -> Value:
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


def shifted_down(x: Value, axis: int, offset: Length) -> Value:
    """Element `offset + i` at place i of the axis; 0 <= offset <= its extent."""
    none = (0,) * x.aval.ndim
    return _slid(_with_zeros(x, none, _at(axis, x.shape[axis], none)), axis, offset.value, x.shape)


def shifted_up(x: Value, axis: int, offset: Length) -> Value:
    """Element i at place `offset + i` of the axis; 0 <= offset <= its extent."""
    if offset.is_static and offset.number == 0:
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


def packed(x: Value, axis: int, extent: DynamicAxis) -> tuple[Value, DynamicAxis]:
    """The live elements along `axis` moved to its start, in their order."""
    if extent.is_prefix or extent.bound == 0:
        return x, extent
    first = prefix_axis(extent.length, extent.bound)
    if extent.mask is not None:
        x = take(x, true_indices(extent.mask), axis)
    else:
        x = shifted_down(x, axis, extent.start)
    return pad_masked(x, tuple(first if i == axis else None for i in range(x.aval.ndim))), first


def true_indices(mask: Value) -> Value:
    """Where `mask` is true, in order: i64[n], zeros after the last."""
    n = mask.shape[0]
    rank = valid_ranks(mask)
    # Each place has a target of its own: those that are not taken have one outside.
    everyone = shaping.iota(shape=(n,), axis=0, dtype=I64)
    target = logic.select(mask, rank, arithmetic.add(everyone, n))
    dims = index_dims((), (0,), (0,))
    start = constant(0, I64, (n,))
    at = shaping.reshape(target, shape=(n, 1))
    return scatter(start, at, everyone, dims=dims, mode="fill", unique=True)


def valid_ranks(mask: Value) -> Value:
    """How many live elements stand before each element."""
    ones = convert(mask, np.dtype(np.int64))
    return arithmetic.sub(reductions.cumsum(ones, axis=0, reverse=False), ones)


def unpacked(x: Value, axis: int, extent: DynamicAxis) -> Value:
    """A prefix along `axis` moved to the places of `extent`: the inverse of `packed`."""
    if extent.mask is not None:
        return take(x, valid_ranks(extent.mask), axis)
    return x if extent.start is None else shifted_up(x, axis, extent.start)
