"""Concatenating, stacking and splitting arrays.

A sequence of arrays may be a list that was built in a loop, or an array. Its items are then rows of
one array already, and joining them is a transpose and a reshape.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, promote
from myia.infer.domain.dynamic_axes import pad_masked, prefix_axis, resized, shifted_up
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.lengths import Length, static_length, total
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import NONE, Abstract, Ref, Static, is_none
from myia.infer.dynamic import access
from myia.infer.dynamic.access import is_dynamic, new_array, read, refuse_dynamic
from myia.infer.lists.nested_sequences import stacked_buffer
from myia.infer.numeric.constant_methods import python_result
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import for_dynamic_arrays, function
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
    xs = _items(ctx, arrays, convert)
    found, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    if wanted is not None and not np.can_cast(found, wanted, "same_kind"):
        message = f"Cannot cast array data from {found} to {wanted} by the rule 'same_kind'"
        ctx.fail(BadType, message=message)
    shapes, (axis, *_) = zip(*(placed(ctx.shape(x)) for x in xs))
    if len({(*s[:axis], None, *s[axis + 1 :]) for s in shapes}) > 1:
        message = "all the input array dimensions except for the concatenation axis must match"
        ctx.fail(BadValue, message=f"{message} exactly: {', '.join(map(str, shapes))}")
    values = [ctx.reshape(value_of(ctx, x, wanted or found), shape) for x, shape in zip(xs, shapes)]
    value = values[0] if len(values) == 1 else shaping.concatenate(*values, axis=axis)
    return store_out(ctx, result_like(ctx, value, *xs), out)


def _joined_rows(ctx: Context, array: Abstract, placed: Place) -> Abstract:
    if isinstance(array, Ref) and is_dynamic(ctx, array):
        of_item = read(ctx, array).value.shape[1:]
        if placed(of_item) != ((1, *of_item), 0):
            refuse_dynamic(ctx, "a joined list built in a loop, which makes an array")
        return array
    rows = value_of(ctx, array)
    n, *item = rows.shape
    shape, axis = placed(tuple(item))
    value = ctx.reshape(rows, (n, *shape))
    if axis:
        order = (*range(1, axis + 1), 0, *range(axis + 1, value.aval.ndim))
        value = shaping.transpose(value, permutation=order)
    return ctx.array(ctx.reshape(value, (*shape[:axis], n * shape[axis], *shape[axis + 1 :])))


@function(np.concatenate)
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

    return _joined(ctx, arrays, placed, dtype, out, convert=numeric)


@function(np.stack)
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


function(np.vstack)(_stacking(lambda shape: (_of_two(shape), 0)))
function(np.hstack)(_stacking(lambda shape: (shape or (1,), int(len(shape) > 1))))
function(np.column_stack)(
    _stacking(lambda shape: (shape if len(shape) > 1 else (*(shape or (1,)), 1), 1))
)
function(np.dstack)(_stacking(lambda shape: (_of_three(shape), 2)))


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


# ----- Dynamic arrays
I64 = np.dtype(np.int64)


@for_dynamic_arrays(_concatenate)
def _concatenate_dynamic(ctx: Context, arrays: Abstract, axis: Abstract = ZERO) -> Abstract:
    """Each part is shifted behind those before it; static if the lengths have a static sum."""
    given = [x if is_dynamic(ctx, x) else array(ctx, x) for x in ctx.list_items(arrays)]
    ndims = {access.bounding_aval(ctx, x).ndim if isinstance(x, Ref) else 0 for x in given}
    if ndims != {1} or axis_argument(ctx, axis, 1) != 0:
        refuse_dynamic(ctx, "`numpy.concatenate` of several axes")
    parts = [read(ctx, x).packed() for x in given if isinstance(x, Ref)]
    dtype = np.result_type(*(x.value.dtype for x in parts))
    bound = sum(x.value.shape[0] for x in parts)
    made, end = constant(0, dtype, (bound,)), static_length(0)
    for x in parts:
        shifted = shifted_up(resized(convert(x.value, dtype=dtype), 0, bound), 0, end)
        after = logic.ge(shaping.iota(shape=(bound,), axis=0, dtype=I64), _repeated(end, bound))
        made = logic.select(after, shifted, made)
        end = total(end, x.lengths[0])
    if isinstance(end.number, int):
        return ctx.array(resized(made, 0, end.number))
    dynamic_axes = (prefix_axis(end, bound),)
    return new_array(ctx, pad_masked(made, dynamic_axes), dynamic_axes)


def _repeated(n: Length, size: int) -> Value:
    return shaping.broadcast(n.value, shape=(size,), dims=())
