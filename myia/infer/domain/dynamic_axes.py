"""Dynamic axes: axes whose length is known only at run time, bounded by a static size.

An array with dynamic axes is stored at the size of its bounds. Along a dynamic axis some elements
are *valid*, the others *masked* (padding).

    x[:i]       the first i elements of n            a *prefix*
    x[i:j]      the elements from i on               valid elements keep their positions, until an
    x[mask]     the elements where mask is true      operation needs another order (`packed`)

Every array keeps two laws:

1. A masked element equals the first valid element, or 1 where no element is valid. So an operation
   gives a non-finite number in a masked element only if it also gives one in a valid element.
2. A masked element is set by a `select` on the mask, under `stop_gradient`. So no derivative leaves
   a masked element: nothing in it, not even a NaN, can poison a valid one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.dtypes import broadcast_to, convert
from myia.infer.domain.lengths import I64, Length, dynamic_length
from myia.ir.core import Value
from myia.primitives.arrays import cumulative, reductions, shaping
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
        """Axes with equal keys have their valid elements at the same positions."""
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
        """bool[bound]: which elements are valid."""
        if self.mask is not None:
            return self.mask
        indices = shaping.iota(shape=(self.bound,), axis=0, dtype=I64)
        if self.start is None:
            return logic.lt(indices, broadcast_to(self.length.value, (self.bound,)))
        stop = arithmetic.add(self.start.value, self.length.value)
        after = logic.ge(indices, broadcast_to(self.start.value, (self.bound,)))
        return logic.and_(after, logic.lt(indices, broadcast_to(stop, (self.bound,))))

    def is_empty(self) -> Value:
        return logic.eq(self.length.value, constant(0, I64))

    # As a node of the trees that `infer/paths/merge.py` walks.

    def values(self) -> tuple[Value, ...]:
        """The run-time values in it."""
        start = None if self.start is None else self.start.number
        return tuple(v for v in (self.length.number, start, self.mask) if isinstance(v, Value))

    def with_values(self, values: Sequence[Value]) -> DynamicAxis:
        """The same axis with other run-time values."""
        if tuple(values) == self.values():
            return self
        rest = list(values)
        length = self.length if self.length.is_static else dynamic_length(rest.pop(0), self.bound)
        start = self.start
        if start is not None and not start.is_static:
            start = dynamic_length(rest.pop(0), self.bound)
        return DynamicAxis(length, self.bound, start, None if self.mask is None else rest.pop(0))


DynamicAxes = tuple[DynamicAxis | None, ...]


def values_in(dynamic_axes: DynamicAxes) -> tuple[Value, ...]:
    """The run-time values in them."""
    return tuple(v for e in dynamic_axes if e is not None for v in e.values())


def with_values(dynamic_axes: DynamicAxes, rest: Iterator[Value]) -> DynamicAxes:
    """The same axes with other run-time values, the next ones of `rest`."""
    return tuple(
        None if e is None else e.with_values([next(rest) for _ in e.values()]) for e in dynamic_axes
    )


def prefix_axis(length: Length, bound: int) -> DynamicAxis:
    return DynamicAxis(length, bound)


def masked_axis(mask: Value, mask_source: Hashable = None) -> DynamicAxis:
    """The axis whose valid elements are those where `mask` is true."""
    total = shaping.reduce_sum(convert(mask, I64), axes=(0,))
    return DynamicAxis(dynamic_length(total, mask.shape[0]), mask.shape[0], None, mask, mask_source)


# ----- Masked elements


def valid_mask(shape: tuple[int, ...], dynamic_axes: DynamicAxes) -> Value | None:
    """Which elements of an array of this shape are valid; None: all of them."""
    found = None
    for axis, dynamic_axis in enumerate(dynamic_axes):
        if dynamic_axis is None:
            continue
        here = shaping.broadcast(dynamic_axis.valid_mask(), shape=shape, dims=(axis,))
        found = here if found is None else logic.and_(found, here)
    return found


def fill_masked(x: Value, dynamic_axes: DynamicAxes, number: float) -> Value:
    """`x` with a number in the masked elements: the neutral element of a reduction."""
    mask = valid_mask(x.shape, dynamic_axes)
    return x if mask is None else logic.select(mask, x, constant(number, x.dtype, x.shape))


def stop_masked_gradients(x: Value, dynamic_axes: DynamicAxes) -> Value:
    """`x` itself; no derivative leaves its masked elements (law 2)."""
    mask = valid_mask(x.shape, dynamic_axes)
    if mask is None or x.dtype.kind not in "fc":
        return x
    return logic.select(mask, x, logic.stop_gradient(x))


def pad_masked(x: Value, dynamic_axes: DynamicAxes) -> Value:
    """`x` with masked elements as the laws require, whatever they were before."""
    for axis, dynamic_axis in enumerate(dynamic_axes):
        if dynamic_axis is None or x.shape[axis] == 0:
            continue
        first = logic.stop_gradient(_first_valid(x, axis, dynamic_axis))
        if dynamic_axis.length.lo == 0:
            empty = broadcast_to(dynamic_axis.is_empty(), first.shape)
            first = logic.select(empty, constant(1, x.dtype, first.shape), first)
        here = shaping.broadcast(dynamic_axis.valid_mask(), shape=x.shape, dims=(axis,))
        x = logic.select(here, x, broadcast_to(first, x.shape))
    return x


def _first_valid(x: Value, axis: int, dynamic_axis: DynamicAxis) -> Value:
    """The first valid element along `axis`, which stays as an axis of size 1."""
    sizes = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    zero = constant(0, I64)
    if dynamic_axis.mask is not None:
        index = reductions.argmax(dynamic_axis.mask, axis=0)
    else:
        index = zero if dynamic_axis.start is None else dynamic_axis.start.value
    return dynamic_slice(x, *(index if i == axis else zero for i in range(len(sizes))), sizes=sizes)


# ----- Moving elements along axes


def resized(x: Value, axis: int, bound: int) -> Value:
    """The first `bound` elements along `axis`, zeros after the last."""
    if x.shape[axis] == bound:
        return x
    if x.shape[axis] < bound:
        return _with_zeros(x, axis, 0, bound - x.shape[axis])
    limit = tuple(bound if i == axis else n for i, n in enumerate(x.shape))
    return shaping.slice(x, start=(0,) * len(limit), limit=limit, stride=(1,) * len(limit))


def shifted_down(x: Value, axis: int, offset: Length) -> Value:
    """Element `offset + i` at index i of the axis; 0 <= offset <= its size."""
    return _shifted(x, axis, 0, x.shape[axis], offset.value)


def shifted_up(x: Value, axis: int, offset: Length) -> Value:
    """Element i at index `offset + i` of the axis; 0 <= offset <= its size."""
    if offset.is_static and offset.number == 0:
        return x
    n = x.shape[axis]
    return _shifted(x, axis, n, 0, arithmetic.sub(constant(n, I64), offset.value))


def _shifted(x: Value, axis: int, low: int, high: int, start: Value) -> Value:
    """The elements from `start` on of `x` with so many zeros below and above along `axis`."""
    padded, zero = _with_zeros(x, axis, low, high), constant(0, I64)
    starts = (start if i == axis else zero for i in range(x.aval.ndim))
    return dynamic_slice(padded, *starts, sizes=x.shape)


def _with_zeros(x: Value, axis: int, low: int, high: int) -> Value:
    none = (0,) * x.aval.ndim
    ends = {
        "low": (*none[:axis], low, *none[axis + 1 :]),
        "high": (*none[:axis], high, *none[axis + 1 :]),
    }
    return shaping.pad(x, constant(0, x.dtype), **ends, interior=none)


def packed(x: Value, axis: int, dynamic_axis: DynamicAxis) -> tuple[Value, DynamicAxis]:
    """The valid elements along `axis` moved to its start, in their order (stream compaction)."""
    if dynamic_axis.is_prefix or dynamic_axis.bound == 0:
        return x, dynamic_axis
    first = prefix_axis(dynamic_axis.length, dynamic_axis.bound)
    if dynamic_axis.mask is not None:
        x = take(x, true_indices(dynamic_axis.mask), axis)
    elif dynamic_axis.start is not None:
        x = shifted_down(x, axis, dynamic_axis.start)
    return pad_masked(x, tuple(first if i == axis else None for i in range(x.aval.ndim))), first


def true_indices(mask: Value) -> Value:
    """The indices where `mask` is true, in order: i64[n], zeros after the last."""
    n = mask.shape[0]
    rank = valid_ranks(mask)
    # The targets are all different, as `unique` promises: masked elements have one out of range.
    indices = shaping.iota(shape=(n,), axis=0, dtype=I64)
    target = logic.select(mask, rank, arithmetic.add(indices, n))
    dims = index_dims((), (0,), (0,))
    start = constant(0, I64, (n,))
    at = shaping.reshape(target, shape=(n, 1))
    return scatter(start, at, indices, dims=dims, mode="fill", unique=True)


def valid_ranks(mask: Value) -> Value:
    """How many valid elements precede each element: the exclusive prefix sum of the mask."""
    ones = convert(mask, np.dtype(np.int64))
    return arithmetic.sub(cumulative.cumsum(ones, axis=0, reverse=False), ones)


def unpacked(x: Value, axis: int, dynamic_axis: DynamicAxis) -> Value:
    """A prefix along `axis` moved to the positions of `dynamic_axis`: the inverse of `packed`."""
    if not x.shape[axis]:
        return x
    if dynamic_axis.mask is not None:
        return take(x, valid_ranks(dynamic_axis.mask), axis)
    return x if dynamic_axis.start is None else shifted_up(x, axis, dynamic_axis.start)
