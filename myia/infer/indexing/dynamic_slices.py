"""Slices of arrays whose length is known only at run time.

    x[:i]    x[i:j]    A[i, :j]    A[i+1:, k]    x[k::-1]    v[1:] of v = x[:i]

The result is a view: a static *bounding slice*, as long as the slice can be, with a dynamic axis
that says which elements of it are valid. No elements are copied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.dynamic_axes import DynamicAxis, prefix_axis
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import DynamicView
from myia.infer.domain.lengths import (
    Length,
    at_least,
    at_most,
    ceil_divided,
    difference,
    length_of,
    plus,
    slice_bound,
    static_length,
)
from myia.infer.domain.values import NONE, Abstract, Ref, SliceValue, Static, is_none, is_static_int
from myia.infer.domain.views import StridedSlice
from myia.infer.dynamic.access import DynamicSlice, bounding_aval, dynamic_axes_of
from myia.infer.indexing.parse_subscripts import (
    I64,
    WHOLE,
    Subscript,
    checked_index,
    constant_length,
    is_static_slice,
    is_within_axis,
    slice_range,
)
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic

ZERO_LENGTH = static_length(0)
# A mask over so many elements takes as long as the ops of a short loop iteration.
MIN_LONG_SLICE_ELEMENTS = 4096


@dataclass(frozen=True)
class _AxisSlice:
    """The slice along one axis: the bounding slice, and its valid elements (None: all)."""

    start: int | Value
    size: int
    stride: int = 1
    dynamic_axis: DynamicAxis | None = None
    kept: bool = True


def is_dynamic_slice(k: Abstract, n: int) -> bool:
    """True for a slice, of an axis of `n` elements, whose length is known only at run time."""
    return isinstance(k, SliceValue) and not is_static_slice(k) and not is_within_axis(k, n)


def with_unit_steps(
    ctx: Context, x: Ref, subscript: Subscript
) -> tuple[Subscript, tuple[SliceValue, ...] | None]:
    """Split `x[i:j:3, k]` into `x[i:j, k]` and `[::3]`; the second is None if it is all."""
    first: list[Abstract] = []
    second: list[SliceValue] = []
    dynamic_axes = dynamic_axes_of(ctx, x)
    for i in range(len(subscript.entries) + 1):
        second += [WHOLE] * subscript.new_axes.count(i)
        for entry in subscript.entries[i : i + 1]:
            if not isinstance(entry, SliceValue):
                first.append(entry)
                continue
            step = 1
            if not _is_static_or_whole(entry, dynamic_axes[i]):
                step = ctx.int_of(entry.step, "the step of a slice")
            if step == 0:
                ctx.fail(BadValue, message="slice step cannot be zero")
            if abs(step) > 1:
                entry = SliceValue(entry.start, entry.stop, Static(1 if step > 0 else -1))
            first.append(entry)
            stride = SliceValue(NONE, NONE, Static(abs(step)))
            second.append(stride if abs(step) > 1 else WHOLE)
    all_whole = all(k is WHOLE for k in second)
    return Subscript(tuple(first), subscript.new_axes), None if all_whole else tuple(second)


def _is_static_or_whole(entry: SliceValue, dynamic_axis: DynamicAxis | None) -> bool:
    """True for a slice that one strided slice can express, so that it need not be split."""
    if is_none(entry.step):
        return True
    if dynamic_axis is None:
        return is_static_slice(entry)
    whole = is_none(entry.start) and is_none(entry.stop)
    return whole and is_static_int(entry.step) and entry.step.value > 0


def slice_of(
    ctx: Context, x: Ref, subscript: Subscript, *, checked: bool = True
) -> tuple[DynamicSlice, bool]:
    """The slice of `x`, packed to prefixes; and whether its bounding slice is all of `x`.

    `checked`: indices of elements may be out of range.
    """
    shape = bounding_aval(ctx, x).shape
    dynamic_axes = [e and prefix_axis(e.length, e.bound) for e in dynamic_axes_of(ctx, x)]
    axes = [
        _axis_slice(ctx, entry, n, dynamic_axis, i if checked else None)
        for i, (entry, n, dynamic_axis) in enumerate(zip(subscript.entries, shape, dynamic_axes))
    ]
    seen: list[_AxisSlice] = []
    origin: list[int | None] = []
    for i in range(len(axes) + 1):
        added = subscript.new_axes.count(i)
        seen += [_AxisSlice(0, 1)] * added
        origin += [None] * added
        if i < len(axes) and axes[i].kept:
            seen.append(axes[i])
            origin.append(i)
    strided = StridedSlice(
        tuple(a.start for a in axes),
        tuple(a.size for a in axes),
        tuple(a.stride for a in axes),
        tuple(a.size for a in seen),
    )
    dynamic_slice = DynamicSlice(strided, tuple(a.dynamic_axis for a in seen), tuple(origin))
    forward = all(a.start == 0 and a.stride == 1 for a in axes)
    run_time = any(a.dynamic_axis is not None and not a.dynamic_axis.length.is_static for a in axes)
    ctx.dynamic_slices += run_time
    ctx.long_dynamic_slices += run_time and prod(dynamic_slice.shape) >= MIN_LONG_SLICE_ELEMENTS
    return dynamic_slice, strided.shape == shape and forward


def static_slice(ctx: Context, x: Ref, subscript: Subscript) -> StridedSlice:
    """Basic indexing of an array of static shape."""
    return slice_of(ctx, x, subscript)[0].bounding_slice


def slice_of_base(
    ctx: Context, x: Ref, subscript: Subscript, *, checked: bool = True
) -> tuple[Ref, DynamicSlice] | None:
    """`v[j]` of a view `v = x[i:]` as a slice of `x`, so that one element is read, not the view.

    Gives up (None) unless each entry is the index of an element or a whole axis.
    """
    contents = ctx.contents(x)
    entries = subscript.entries
    simple = all(k is WHOLE or not isinstance(k, SliceValue) for k in entries)
    if not isinstance(contents, DynamicView) or subscript.new_axes or not simple:
        return None
    dynamic_slice, base = contents.step, contents.step.bounding_slice
    starts, sizes, strides = [*base.starts], [*base.sizes], [*base.strides]
    kept = []
    for i, (entry, axis) in enumerate(zip(entries, dynamic_slice.source_axes)):
        if entry is WHOLE:
            kept.append(i)
            continue
        dynamic_axis = dynamic_slice.dynamic_axes[i]
        number = i if checked else None
        start = _i64(_index(ctx, entry, dynamic_slice.shape[i], dynamic_axis, number))
        if axis is None:
            continue
        if dynamic_axis is not None and dynamic_axis.start is not None:
            start = arithmetic.add(dynamic_axis.start.value, start)
        start = arithmetic.neg(start) if strides[axis] < 0 else arithmetic.mul(start, strides[axis])
        starts[axis] = arithmetic.add(start, _i64(starts[axis]))
        sizes[axis] = strides[axis] = 1
    strided = StridedSlice(
        tuple(starts), tuple(sizes), tuple(strides), tuple(dynamic_slice.shape[i] for i in kept)
    )
    rest = (
        tuple(column[i] for i in kept)
        for column in (dynamic_slice.dynamic_axes, dynamic_slice.source_axes)
    )
    return Ref(contents.base), DynamicSlice(strided, *rest)


def _i64(x: int | Value) -> Value:
    return x if isinstance(x, Value) else constant(x, I64)


def _axis_slice(
    ctx: Context, entry: Abstract, bound: int, dynamic_axis: DynamicAxis | None, axis: int | None
) -> _AxisSlice:
    if not isinstance(entry, SliceValue):
        return _AxisSlice(_index(ctx, entry, bound, dynamic_axis, axis), 1, kept=False)
    if dynamic_axis is None and not is_dynamic_slice(entry, bound):
        return _AxisSlice(*slice_range(ctx, entry, bound))
    if entry is WHOLE:
        return _AxisSlice(0, bound, dynamic_axis=dynamic_axis)
    n = static_length(bound) if dynamic_axis is None else dynamic_axis.length
    step = ctx.int_of(entry.step, "the step of a slice") if not is_none(entry.step) else 1
    for x in (entry.start, entry.stop):
        if not is_none(x) and (not is_number(x) or kind_of(x) not in "iub"):
            ctx.fail(BadType, message="slice indices must be integers or None")
    if step == -1:
        return _reversed_slice(entry, n, bound)
    start = ZERO_LENGTH if is_none(entry.start) else slice_bound(entry.start, n)
    stop = n if is_none(entry.stop) else slice_bound(entry.stop, n)
    length = at_least(difference(stop, start), 0)
    if step > 1:
        return _strided_slice(length, step, bound)
    return _forward_slice(
        start, _limit_length(length, constant_length(entry), bound, dynamic_axis), bound
    )


def _limit_length(
    length: Length, size: int | None, bound: int, dynamic_axis: DynamicAxis | None
) -> Length:
    """The length of `x[i : i + size]`: nominally `size`, less where the slice leaves the axis."""
    if size is None or length.is_static:
        return length
    nominal = size if dynamic_axis is None and size <= bound else None
    return replace(length, hi=_greatest(length, size), nominal=nominal)


def _greatest(length: Length, bound: int) -> int:
    """The greatest value that it can have, which is at most `bound`."""
    return bound if length.hi is None else min(bound, length.hi)


def _forward_slice(start: Length, length: Length, bound: int) -> _AxisSlice:
    """`x[start : start + length]`, in a bounding slice shorter than the axis where that pays.

    It pays where the start is static, where the slice is at most half of the axis, or where its
    nominal length is a constant. Else the bounding slice is the whole axis.
    """
    size = _greatest(length, bound)
    if size == 0:
        return _AxisSlice(0, 0)
    low = at_most(start, static_length(bound - size))
    windowed = low.is_static or low is start or 2 * size <= bound or length.nominal is not None
    if not windowed:
        size, low = bound, ZERO_LENGTH
    offset = _clamp_offset(difference(start, low), size)
    if isinstance(length.number, int) and offset.is_static and offset.number == 0:
        return _AxisSlice(low.number, length.number)
    return _AxisSlice(low.number, size, 1, _axis_from_offset(offset, length, size))


def _reversed_slice(entry: SliceValue, n: Length, bound: int) -> _AxisSlice:
    """`x[start:stop:-1]`, in the bounding slice `x[::-1]`."""
    start = plus(n, -1) if is_none(entry.start) else slice_bound(entry.start, n, -1)
    stop = static_length(-1) if is_none(entry.stop) else slice_bound(entry.stop, n, -1)
    length = at_least(difference(start, stop), 0)
    if bound == 0 or length.hi == 0:
        return _AxisSlice(0, 0)
    offset = _clamp_offset(difference(static_length(bound - 1), start), bound)
    return _AxisSlice(bound - 1, bound, -1, _axis_from_offset(offset, length, bound))


def _axis_from_offset(offset: Length, length: Length, bound: int) -> DynamicAxis:
    """`length` elements from `offset` on."""
    if offset.is_static and offset.number == 0:
        return prefix_axis(length, bound)
    return DynamicAxis(length, bound, offset)


def _strided_slice(length: Length, step: int, bound: int) -> _AxisSlice:
    """`x[::step]`: steps of other slices are applied afterwards (`with_unit_steps`)."""
    size = -(-bound // step)
    if size == 0:
        return _AxisSlice(0, 0)
    return _AxisSlice(0, size, step, dynamic_axis=prefix_axis(ceil_divided(length, step), size))


def _clamp_offset(offset: Length, size: int) -> Length:
    """An offset into a bounding slice, with the range 0 .. `size` that it is known to have."""
    if offset.is_static:
        return offset
    hi = _greatest(offset, size)
    return static_length(0) if hi <= 0 else replace(offset, lo=max(0, offset.lo or 0), hi=hi)


def _index(
    ctx: Context, key: Abstract, bound: int, dynamic_axis: DynamicAxis | None, axis: int | None
) -> int | Value:
    """The index of an element along axis number `axis`, made non-negative.

    It is checked unless proved in range; with None for the axis it is known to be in range.
    """
    if axis is None:
        return length_of(key).number
    n = static_length(bound) if dynamic_axis is None else dynamic_axis.length
    return checked_index(ctx, key, n, axis).number
