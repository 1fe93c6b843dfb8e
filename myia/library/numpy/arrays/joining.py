"""Concatenating, stacking and splitting arrays.

A sequence of arrays may be a list that was built in a loop, or an array. Its items are then rows of
one array already, and joining them is a transpose and a reshape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, promote
from myia.infer.domain.dynamic_axes import pad_masked, prefix_axis, resized
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.lengths import I64, Length, static_length, times, total
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import NONE, Abstract, Ref, Static, Tuple, is_none
from myia.infer.dynamic.access import (
    contains_dynamic,
    dtype_of,
    is_dynamic,
    new_array,
    read,
    refuse_dynamic,
)
from myia.infer.lists.nested_sequences import stacked_buffer
from myia.infer.numeric.constant_methods import python_result
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import as_is, function
from myia.ir.core import Value
from myia.library.numpy.arrays.shaping import view_of_slice
from myia.library.support.arguments import (
    array,
    axis_argument,
    cast,
    dtype_argument,
    numeric,
    store_out,
    value_of,
)
from myia.library.support.traced import python_value
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert

ZERO = Static(0)
Shape = tuple[int, ...]
Place = Callable[[Shape], tuple[Shape, int]]


def _rows(ctx: Context, arrays: Abstract) -> Abstract | None:
    """The items of an array, or of a list built in a loop, as the rows of one array."""
    contents = ctx.contents(arrays) if isinstance(arrays, Ref) else None
    if isinstance(contents, BufferObject):
        return stacked_buffer(ctx, contents)
    if ctx.is_array(arrays):
        return arrays
    return None


def _items(
    ctx: Context, arrays: Abstract, convert: Callable[[Context, Abstract], Abstract]
) -> list[Abstract]:
    if is_number(arrays):
        ctx.fail(BadType, message="a sequence of arrays is needed")
    items = [convert(ctx, x) for x in ctx.list_items(arrays)]
    if not items:
        ctx.fail(BadValue, message="need at least one array to concatenate")
    return items


def _dtype(ctx: Context, x: Abstract) -> tuple[np.dtype, bool]:
    if isinstance(x, Ref) and is_dynamic(ctx, x):
        return dtype_of(ctx, x), False
    return operand_dtype(ctx, x)


# ----- Joining


def _joined(
    ctx: Context,
    arrays: Abstract,
    placed: Place,
    dtype: Abstract,
    out: Abstract = NONE,
    convert: Callable[[Context, Abstract], Abstract] = array,
) -> Abstract:
    """Arrays in new shapes, concatenated: `placed(shape)` is the new shape, and the axis.

    Rows of one array are reshaped all at once.
    """
    wanted, rows = dtype_argument(ctx, dtype), _rows(ctx, arrays)
    if rows is not None:
        result = _joined_rows(ctx, rows, placed)
        return store_out(ctx, result if wanted is None else cast(ctx, result, wanted), out)
    xs = _items(ctx, arrays, lambda ctx, x: x if is_dynamic(ctx, x) else convert(ctx, x))
    found, _ = promote(*(_dtype(ctx, x) for x in xs))
    if wanted is not None and not np.can_cast(found, wanted, "same_kind"):
        message = f"Cannot cast array data from {found} to {wanted} by the rule 'same_kind'"
        ctx.fail(BadType, message=message)
    if any(is_dynamic(ctx, x) for x in xs):
        if not is_none(out):
            refuse_dynamic(ctx, "`out` for arrays, one of them")
        return _joined_dynamic(ctx, xs, placed, wanted or found)
    shapes, (axis, *_) = zip(*(placed(ctx.shape(x)) for x in xs))
    if len({(*s[:axis], None, *s[axis + 1 :]) for s in shapes}) > 1:
        message = "all the input array dimensions except for the concatenation axis must match"
        ctx.fail(BadValue, message=f"{message} exactly: {', '.join(map(str, shapes))}")
    values = [ctx.reshape(value_of(ctx, x, wanted or found), shape) for x, shape in zip(xs, shapes)]
    value = values[0] if len(values) == 1 else shaping.concatenate(*values, axis=axis)
    return store_out(ctx, result_like(ctx, value, *xs), out)


def _joined_rows(ctx: Context, array: Abstract, placed: Place) -> Abstract:
    if isinstance(array, Ref) and is_dynamic(ctx, array):
        length = read(ctx, array).lengths[0]
        if not length.lo:
            none = logic.le(length.value, constant(0, I64))
            ctx.check(none, ValueError, "need at least one array to concatenate")
        return _joined_rows_dynamic(ctx, array, placed)
    rows = value_of(ctx, array)
    n, *item = rows.shape
    shape, axis = placed(tuple(item))
    value = ctx.reshape(rows, (n, *shape))
    if axis:
        order = (*range(1, axis + 1), 0, *range(axis + 1, value.aval.ndim))
        value = shaping.transpose(value, permutation=order)
    return ctx.array(ctx.reshape(value, (*shape[:axis], n * shape[axis], *shape[axis + 1 :])))


@function(np.concatenate, dynamic=as_is)
def _concatenate(
    ctx: Context,
    arrays: Abstract,
    axis: Abstract = ZERO,
    out: Abstract = NONE,
    dtype: Abstract = NONE,
) -> Abstract:
    def placed(shape: Shape) -> tuple[Shape, int]:
        if is_none(axis):
            return (math.prod(shape),), 0
        if not shape:
            ctx.fail(BadValue, message="zero-dimensional arrays cannot be concatenated")
        return shape, axis_argument(ctx, axis, len(shape))

    if is_none(axis):
        arrays = _raveled_dynamic(ctx, arrays)
    return _joined(ctx, arrays, placed, dtype, out, convert=numeric)


@function(np.stack, dynamic=as_is)
def _stack(
    ctx: Context,
    arrays: Abstract,
    axis: Abstract = ZERO,
    out: Abstract = NONE,
    *,
    dtype: Abstract = NONE,
) -> Abstract:
    def placed(shape: Shape) -> tuple[Shape, int]:
        i = axis_argument(ctx, axis, len(shape) + 1)
        return (*shape[:i], 1, *shape[i:]), i

    return _joined(ctx, arrays, placed, dtype, out)


def _stacking(placed: Place) -> Callable[..., Abstract]:
    def handler(ctx: Context, tup: Abstract, *, dtype: Abstract = NONE) -> Abstract:
        return _joined(ctx, tup, placed, dtype)

    return handler


def _of_two(shape: Shape) -> Shape:
    return (1,) * (2 - len(shape)) + shape


def _of_three(shape: Shape) -> Shape:
    return {0: (1, 1, 1), 1: (1, *shape, 1)}.get(len(shape), (*shape, 1)[: max(3, len(shape))])


function(np.vstack, dynamic=as_is)(_stacking(lambda shape: (_of_two(shape), 0)))
function(np.hstack, dynamic=as_is)(_stacking(lambda shape: (shape or (1,), int(len(shape) > 1))))
function(np.column_stack, dynamic=as_is)(
    _stacking(lambda shape: (shape if len(shape) > 1 else (*(shape or (1,)), 1), 1))
)
function(np.dstack, dynamic=as_is)(_stacking(lambda shape: (_of_three(shape), 2)))


# ----- Splitting: the parts are views


def _splitting(
    split: Callable[..., list], axis_of: Callable[[int], int] | None = None
) -> Callable[..., Abstract]:
    """NumPy itself says where: it splits the indices along the axis."""

    def handler(
        ctx: Context, ary: Abstract, indices_or_sections: Abstract, axis: Abstract = ZERO
    ) -> Abstract:
        x = array(ctx, ary)
        ndim = len(ctx.shape(x))
        i = axis_argument(ctx, axis if axis_of is None else Static(axis_of(ndim)), ndim)
        assert isinstance(x, Ref)  # a number has no axis
        sections = python_value(ctx, indices_or_sections, "where to split")
        parts = python_result(ctx, split, np.arange(ctx.shape(x)[i]), sections)
        views = [view_of_slice(ctx, x, i, int(p[0]) if len(p) else 0, len(p)) for p in parts]
        return ctx.new(ListObject(tuple(views)))

    return handler


function(np.split)(_splitting(np.split))
function(np.array_split)(_splitting(np.array_split))
function(np.vsplit)(_splitting(np.split, lambda ndim: 0))
function(np.hsplit)(_splitting(np.split, lambda ndim: 0 if ndim == 1 else 1))
function(np.dsplit)(_splitting(np.split, lambda ndim: 2))


# ----- Arrays of run-time size


def _raveled_dynamic(ctx: Context, arrays: Abstract) -> Abstract:
    """The arrays flattened, if one of them has a dynamic axis."""
    if not contains_dynamic(ctx, arrays):
        return arrays
    return Tuple(tuple(ctx.call(Static(np.ravel), (x,), {}) for x in ctx.list_items(arrays)))


def _joined_dynamic(
    ctx: Context, xs: Sequence[Abstract], placed: Place, dtype: np.dtype
) -> Abstract:
    """Each part is stored behind those before it; static if the lengths have a static sum."""
    elements = [
        read(ctx, x) if isinstance(x, Ref) else PaddedValue(value_of(ctx, x, dtype), ()) for x in xs
    ]
    parts, axes = zip(*(_placed_part(ctx, x.packed(), placed) for x in elements))
    if len({(part.value.aval.ndim, axis) for part, axis in zip(parts, axes)}) > 1:
        message = "all the input array dimensions except for the concatenation axis must match"
        ctx.fail(BadValue, message=f"{message} exactly: they differ in their number")
    axis = axes[0]
    for i in range(parts[0].value.aval.ndim):
        if i != axis:
            parts = _of_one_length(ctx, parts, i)
    bound = sum(part.value.shape[axis] for part in parts)
    made, end = _behind(None, static_length(0), parts[0], axis, bound, dtype)
    for part in parts[1:]:
        made, end = _behind(made, end, part, axis, bound, dtype)
    dynamic_axes = list(parts[0].dynamic_axes)
    dynamic_axes[axis] = None if end.is_static else prefix_axis(end, bound)
    if isinstance(end.number, int):
        made = resized(made, axis, end.number)
    return new_array(ctx, pad_masked(made, tuple(dynamic_axes)), tuple(dynamic_axes))


def _placed_part(ctx: Context, x: PaddedValue, placed: Place) -> tuple[PaddedValue, int]:
    """A part in its new shape, which has further axes of length 1; and the axis to join along."""
    marks = tuple(range(2, 2 + x.value.aval.ndim))  # lengths that tell the axes apart
    shape, axis = placed(marks)
    if tuple(n for n in shape if n > 1) != marks:
        refuse_dynamic(ctx, "this order of the axes")
    sources = [marks.index(n) if n > 1 else None for n in shape]
    sizes = tuple(1 if i is None else x.value.shape[i] for i in sources)
    axes = tuple(None if i is None else x.dynamic_axes[i] for i in sources)
    return PaddedValue(ctx.reshape(x.value, sizes), axes), axis


def _of_one_length(
    ctx: Context, parts: Sequence[PaddedValue], axis: int
) -> tuple[PaddedValue, ...]:
    """The parts, which have one length along an axis that they are not joined along."""
    lengths = [part.lengths[axis] for part in parts]
    common = next((n for n in lengths if n.is_static), lengths[0])
    message = "all the input array dimensions except for the concatenation axis must match exactly"
    for n in lengths:
        if n.is_static and not n.equals(common):
            ctx.fail(BadValue, message=message)
        if not n.equals(common):
            ctx.check(logic.ne(n.value, common.value), ValueError, message)
    bound = common.hi if common.is_static else min(part.value.shape[axis] for part in parts)
    assert bound is not None
    found = None if common.is_static else prefix_axis(common, bound)
    return tuple(
        PaddedValue(
            resized(part.value, axis, bound),
            (*part.dynamic_axes[:axis], found, *part.dynamic_axes[axis + 1 :]),
        )
        for part in parts
    )


def _behind(
    made: Value | None, end: Length, part: PaddedValue, axis: int, bound: int, dtype: np.dtype
) -> tuple[Value, Length]:
    """`made`, whose valid elements end at `end`, and the part behind them."""
    value = convert(part.value, dtype=dtype)
    if made is None:
        return resized(value, axis, bound), part.lengths[axis]
    starts = [end.value if i == axis else constant(0, I64) for i in range(value.aval.ndim)]
    return dynamic_update_slice(made, value, *starts), total(end, part.lengths[axis])


def _joined_rows_dynamic(ctx: Context, array: Ref, placed: Place) -> Abstract:
    """The rows, of a list of run-time length, joined: each gives as many elements."""
    rows = read(ctx, array).packed()
    n, *of_item = rows.value.shape
    if any(e is not None for e in rows.dynamic_axes[1:]):
        refuse_dynamic(ctx, "a joined list of arrays")
    shape, axis = placed(tuple(of_item))
    value = ctx.reshape(rows.value, (n, *shape))
    if axis:
        order = (*range(1, axis + 1), 0, *range(axis + 1, value.aval.ndim))
        value = shaping.transpose(value, permutation=order)
    value = ctx.reshape(value, (*shape[:axis], n * shape[axis], *shape[axis + 1 :]))
    length = times(rows.lengths[0], shape[axis])
    axes = tuple(
        prefix_axis(length, size) if i == axis else None for i, size in enumerate(value.shape)
    )
    return new_array(ctx, pad_masked(value, axes), axes)
