"""Subscripts of arrays by slices whose ends are known only at run time.

    x[:i]    x[i:j]    A[i, :j]    A[i+1:, k]    x[k::-1]    v[1:] of v = x[:i]

The window that is read has a size known at compile time, the greatest that the slice can have; the
part of it that is there is moved to its start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.dynamic_axes import DynamicAxes, DynamicAxis, prefix_axis
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
    wrap_negative,
)
from myia.infer.domain.values import NONE, Abstract, Ref, SliceValue, Static, is_none, is_static_int
from myia.infer.domain.views import StridedSlice
from myia.infer.dynamic.access import DynamicSlice, bounding_aval, dynamic_axes_of
from myia.infer.indexing.parse_subscripts import (
    I64,
    WHOLE,
    Subscript,
    constant_length,
    index_value,
    is_static_slice,
    is_within_axis,
    slice_range,
)
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

ZERO_LENGTH = static_length(0)
MIN_LONG_SLICE_ELEMENTS = (
    4096  # elements, over which a mask takes as long as the ops of a short trip
)


@dataclass(frozen=True)
class _Axis:
    """What is taken along one axis: a window, and what of it is the part."""

    start: int | Value
    size: int
    stride: int = 1
    extent: DynamicAxis | None = None
    kept: bool = True


def is_dynamic_slice(k: Abstract, n: int) -> bool:
    """A slice of an axis of `n` elements whose size is not known at compile time."""
    return isinstance(k, SliceValue) and not is_static_slice(k) and not is_within_axis(k, n)


def with_unit_steps(
    ctx: Context, x: Ref, subscript: Subscript
) -> tuple[Subscript, tuple[SliceValue, ...] | None]:
    """`x[i:j:3, k]` as `x[i:j, k][::3]`: the two subscripts; None for the second if it is all."""
    first, second = [], []
    extents = dynamic_axes_of(ctx, x)
    for i in range(len(subscript.entries) + 1):
        second += [WHOLE] * subscript.new_axes.count(i)
        for entry in subscript.entries[i : i + 1]:
            step = 1
            if isinstance(entry, SliceValue) and not _is_simple(entry, extents[i]):
                step = ctx.int_of(entry.step, "the step of a slice")
            if step == 0:
                ctx.fail(BadValue, message="slice step cannot be zero")
            if abs(step) > 1:
                entry = SliceValue(entry.start, entry.stop, Static(1 if step > 0 else -1))
            first.append(entry)
            if isinstance(entry, SliceValue):
                stride = SliceValue(NONE, NONE, Static(abs(step)))
                second.append(stride if abs(step) > 1 else WHOLE)
    all_whole = all(k is WHOLE for k in second)
    return Subscript(tuple(first), subscript.new_axes), None if all_whole else tuple(second)


def _is_simple(entry: SliceValue, extent: DynamicAxis | None) -> bool:
    """A slice that a window with a stride can take at once."""
    if is_none(entry.step):
        return True
    if extent is None:
        return is_static_slice(entry)
    whole = is_none(entry.start) and is_none(entry.stop)
    return whole and is_static_int(entry.step) and entry.step.value > 0


def slice_of(
    ctx: Context, x: Ref, subscript: Subscript, *, checked: bool = True
) -> tuple[DynamicSlice, bool]:
    """The part of `x`, its axes of run-time extent as prefixes; whether its window is all of x.

    `checked`: indices of elements may be out of range.
    """
    shape = bounding_aval(ctx, x).shape
    axes = [
        _axis(ctx, entry, n, extent, checked)
        for entry, n, extent in zip(subscript.entries, shape, _prefixes(dynamic_axes_of(ctx, x)))
    ]
    seen: list[_Axis] = []
    origin: list[int | None] = []
    for i in range(len(axes) + 1):
        added = subscript.new_axes.count(i)
        seen += [_Axis(0, 1)] * added
        origin += [None] * added
        if i < len(axes) and axes[i].kept:
            seen.append(axes[i])
            origin.append(i)
    window = StridedSlice(
        tuple(a.start for a in axes),
        tuple(a.size for a in axes),
        tuple(a.stride for a in axes),
        tuple(a.size for a in seen),
    )
    part = DynamicSlice(window, tuple(a.extent for a in seen), tuple(origin))
    forward = all(a.start == 0 and a.stride == 1 for a in axes)
    run_time = any(a.extent is not None and not a.extent.length.is_static for a in axes)
    ctx.long_dynamic_slices += run_time and prod(part.shape) >= MIN_LONG_SLICE_ELEMENTS
    return part, window.shape == shape and forward


def _prefixes(extents: DynamicAxes) -> DynamicAxes:
    return tuple(e and prefix_axis(e.length, e.bound) for e in extents)


def slice_of_base(
    ctx: Context, x: Ref, subscript: Subscript, *, checked: bool = True
) -> tuple[Ref, DynamicSlice] | None:
    """`v[j]` of a view `v = x[i:]` as a part of `x`: one element is read, not all of the view.

    None for anything but indices of elements and whole axes.
    """
    contents = ctx.contents(x)
    entries = subscript.entries
    simple = all(k is WHOLE or not isinstance(k, SliceValue) for k in entries)
    if not isinstance(contents, DynamicView) or subscript.new_axes or not simple:
        return None
    part = contents.step
    starts, sizes, strides = map(
        list, (part.bounding_slice.starts, part.bounding_slice.sizes, part.bounding_slice.strides)
    )
    kept = []
    for i, (entry, axis) in enumerate(zip(entries, part.source_axes)):
        if entry is WHOLE:
            kept.append(i)
            continue
        extent = part.dynamic_axes[i]
        place = _i64(_index(ctx, entry, part.shape[i], extent, checked))
        if axis is None:
            continue
        if extent is not None and extent.start is not None:
            place = arithmetic.add(extent.start.value, place)
        place = arithmetic.neg(place) if strides[axis] < 0 else arithmetic.mul(place, strides[axis])
        starts[axis] = arithmetic.add(place, _i64(starts[axis]))
        sizes[axis] = strides[axis] = 1
    window = StridedSlice(
        tuple(starts), tuple(sizes), tuple(strides), tuple(part.shape[i] for i in kept)
    )
    rest = (tuple(column[i] for i in kept) for column in (part.dynamic_axes, part.source_axes))
    return Ref(contents.base), DynamicSlice(window, *rest)


def _i64(x: int | Value) -> Value:
    return x if isinstance(x, Value) else constant(x, I64)


def _axis(
    ctx: Context, entry: Abstract, bound: int, extent: DynamicAxis | None, checked: bool
) -> _Axis:
    if not isinstance(entry, SliceValue):
        return _Axis(_index(ctx, entry, bound, extent, checked), 1, kept=False)
    if extent is None and not is_dynamic_slice(entry, bound):
        return _Axis(*slice_range(ctx, entry, bound))
    if entry is WHOLE:
        return _Axis(0, bound, extent=extent)
    n = static_length(bound) if extent is None else extent.length
    step = ctx.int_of(entry.step, "the step of a slice") if not is_none(entry.step) else 1
    for x in (entry.start, entry.stop):
        if not is_none(x) and (not is_number(x) or kind_of(x) not in "iub"):
            ctx.fail(BadType, message="slice indices must be integers or None")
    if step == -1:
        return _backwards(entry, n, bound)
    start = ZERO_LENGTH if is_none(entry.start) else slice_bound(entry.start, n)
    stop = n if is_none(entry.stop) else slice_bound(entry.stop, n)
    count = at_least(difference(stop, start), 0)
    if step > 1:
        return _strided(start, count, step, bound)
    return _forwards(start, _limited(count, constant_length(entry), bound, extent), bound)


def _limited(count: Length, size: int | None, bound: int, extent: DynamicAxis | None) -> Length:
    """The count of `x[i : i + size]`, which has as many elements unless it leaves the axis."""
    if size is None or count.is_static:
        return count
    nominal = size if extent is None and size <= bound else None
    return replace(count, hi=min(count.hi, size), nominal=nominal)


def _forwards(start: Length, count: Length, bound: int) -> _Axis:
    """A window no longer than the slice can be, where that is worth the trouble."""
    size = min(bound, count.hi)
    if size == 0:
        return _Axis(0, 0)
    low = at_most(start, static_length(bound - size))
    windowed = low.is_static or low is start or 2 * size <= bound or count.nominal is not None
    if not windowed:
        size, low = bound, ZERO_LENGTH
    offset = _within(difference(start, low), size)
    if count.is_static and offset.is_static and offset.number == 0:
        return _Axis(low.number, count.number)
    return _Axis(low.number, size, 1, _from(offset, count, size))


def _backwards(entry: SliceValue, n: Length, bound: int) -> _Axis:
    """`x[start:stop:-1]`, in the window `x[::-1]`."""
    start = plus(n, -1) if is_none(entry.start) else slice_bound(entry.start, n, -1)
    stop = static_length(-1) if is_none(entry.stop) else slice_bound(entry.stop, n, -1)
    count = at_least(difference(start, stop), 0)
    if bound == 0 or count.hi == 0:
        return _Axis(0, 0)
    offset = _within(difference(static_length(bound - 1), start), bound)
    return _Axis(bound - 1, bound, -1, _from(offset, count, bound))


def _from(offset: Length, count: Length, bound: int) -> DynamicAxis:
    """`length` elements from `offset` on."""
    if offset.is_static and offset.number == 0:
        return prefix_axis(count, bound)
    return DynamicAxis(count, bound, offset)


def _strided(start: Length, count: Length, step: int, bound: int) -> _Axis:
    """`x[start:stop:step]` from a start known at compile time (see `with_unit_steps`)."""
    size = -(-(bound - start.number) // step)
    if size <= 0:
        return _Axis(0, 0)
    return _Axis(start.number, size, step, extent=prefix_axis(ceil_divided(count, step), size))


def _within(offset: Length, size: int) -> Length:
    """An offset into a window, which is known to lie between 0 and `size`."""
    if offset.is_static:
        return offset
    hi = size if offset.hi is None else min(offset.hi, size)
    return static_length(0) if hi <= 0 else replace(offset, lo=max(0, offset.lo or 0), hi=hi)


def _index(
    ctx: Context, key: Abstract, bound: int, extent: DynamicAxis | None, checked: bool
) -> int | Value:
    """The index of an element, made non-negative, and checked unless it is known to be in range."""
    if not checked:
        return length_of(key).number
    if extent is not None:
        return _index_within(ctx, key, extent)
    index = index_value(ctx, key, bound)
    return int(key.value) % bound if is_static_int(key) else index


def _index_within(ctx: Context, key: Abstract, extent: DynamicAxis) -> int | Value:
    """An index into an axis of run-time extent."""
    if not is_number(key) or kind_of(key) not in "iub":
        ctx.fail(BadType, message=f"an index must be an integer, not {ctx.describe(key)}")
    index, n = length_of(key), extent.length
    if index.is_static and not -extent.bound <= index.number < extent.bound:
        message = f"index {index.number} is out of bounds for axis with size at most {extent.bound}"
        ctx.fail(BadValue, message=message, exception="IndexError")
    below = logic.lt(index.value, arithmetic.neg(n.value))
    outside = logic.or_(below, logic.ge(index.value, n.value))
    ctx.check(outside, IndexError, "index is out of bounds")
    return wrap_negative(index, n).number
