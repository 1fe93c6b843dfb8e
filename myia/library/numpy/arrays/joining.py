"""Concatenating, stacking and splitting arrays.

A sequence of arrays may be a list that was built in a loop, or an array. Its items are then rows of
one array already, and joining them is a transpose and a reshape.
"""

from __future__ import annotations

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
from myia.infer.lists.nested_sequences import buffer_array
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import for_dynamic_arrays, function
from myia.ir.core import Value
from myia.library.numpy.arrays.shaping import view_of_slice, view_with_shape
from myia.library.support.arguments import (
    array,
    axis_argument,
    axis_number,
    cast,
    dtype_argument,
    integer,
    integers,
    numeric,
    refuse_options,
    store_out,
    value_of,
)
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert

ZERO = Static(0)
Shape = tuple[int, ...]


def _rows(ctx: Context, arrays: Abstract) -> Abstract | None:
    """The items of an array, or of a list built in a loop, as the rows of one array."""
    contents = ctx.contents(arrays) if isinstance(arrays, Ref) else None
    if isinstance(contents, BufferObject):
        return ctx.array(buffer_array(ctx, contents))
    if ctx.is_array(arrays):
        return arrays
    return None


def _items(ctx: Context, arrays: Abstract) -> list[Abstract]:
    if is_number(arrays):
        ctx.fail(BadType, message="a sequence of arrays is needed")
    items = [numeric(ctx, x) for x in ctx.list_items(arrays)]
    if not items:
        ctx.fail(BadValue, message="need at least one array to concatenate")
    return items


def _joined(ctx: Context, xs: list[Abstract], axis: int, dtype: np.dtype | None) -> Abstract:
    """Arrays concatenated along an axis that all of them have."""
    found, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    shapes = [ctx.shape(x) for x in xs]
    rest = {(*s[:axis], *s[axis + 1 :]) for s in shapes}
    if len(rest) > 1 or len({len(s) for s in shapes}) > 1:
        message = "all the input array dimensions except for the concatenation axis must match"
        ctx.fail(BadValue, message=f"{message} exactly: {', '.join(map(str, shapes))}")
    if dtype is not None and not np.can_cast(found, dtype, "same_kind"):
        message = f"Cannot cast array data from {found} to {dtype} by the rule 'same_kind'"
        ctx.fail(BadType, message=message)
    values = [value_of(ctx, x, dtype or found) for x in xs]
    value = values[0] if len(values) == 1 else shaping.concatenate(*values, axis=axis)
    return result_like(ctx, value, *xs)


# ----- concatenate and stack


@function(np.concatenate)
def _concatenate(
    ctx: Context,
    arrays: Abstract,
    axis: Abstract = ZERO,
    out: Abstract = NONE,
    dtype: Abstract = NONE,
    **options: Abstract,
) -> Abstract:
    refuse_options(ctx, "numpy.concatenate", options)
    wanted = dtype_argument(ctx, dtype)
    rows = _rows(ctx, arrays)
    if rows is not None:
        result = _rows_joined(ctx, rows, axis)
        return store_out(ctx, result if wanted is None else cast(ctx, result, wanted), out)
    xs = _items(ctx, arrays)
    if is_none(axis):
        wanted = wanted or promote(*(operand_dtype(ctx, x) for x in xs))[0]
        return store_out(ctx, _joined(ctx, [_vector(ctx, x) for x in xs], 0, wanted), out)
    if any(ctx.shape(x) == () for x in xs):
        ctx.fail(BadValue, message="zero-dimensional arrays cannot be concatenated")
    i = axis_argument(ctx, axis, len(ctx.shape(xs[0])))
    return store_out(ctx, _joined(ctx, xs, i, wanted), out)


def _vector(ctx: Context, x: Abstract) -> Abstract:
    """The flattened array."""
    value = value_of(ctx, x)
    return ctx.array(ctx.reshape(value, (value.aval.size,)))


def _rows_joined(ctx: Context, rows: Abstract, axis: Abstract) -> Abstract:
    """The rows concatenated along one of their own axes."""
    value = value_of(ctx, rows)
    n, *item = value.shape
    if is_none(axis):
        return ctx.array(ctx.reshape(value, (value.aval.size,)))
    if not item:
        ctx.fail(BadValue, message="zero-dimensional arrays cannot be concatenated")
    i = axis_argument(ctx, axis, len(item))
    shape = (*item[:i], n * item[i], *item[i + 1 :])
    return ctx.array(ctx.reshape(_move_first_axis(value, i), shape))


def _move_first_axis(value: Value, axis: int) -> Value:
    """The first axis moved to position `axis`."""
    order = (*range(1, axis + 1), 0, *range(axis + 1, value.aval.ndim))
    return value if axis == 0 else shaping.transpose(value, permutation=order)


@function(np.stack)
def _stack(
    ctx: Context,
    arrays: Abstract,
    axis: Abstract = ZERO,
    out: Abstract = NONE,
    *,
    dtype: Abstract = NONE,
    **options: Abstract,
) -> Abstract:
    refuse_options(ctx, "numpy.stack", options)
    wanted = dtype_argument(ctx, dtype)
    rows = _rows(ctx, arrays)
    if rows is not None:
        i = axis_argument(ctx, axis, len(ctx.shape(rows)))
        result = ctx.array(_move_first_axis(value_of(ctx, rows), i))
        return store_out(ctx, result if wanted is None else cast(ctx, result, wanted), out)
    xs = [array(ctx, x) for x in _items(ctx, arrays)]
    shapes = {ctx.shape(x) for x in xs}
    if len(shapes) > 1:
        ctx.fail(BadValue, message="all input arrays must have the same shape")
    (shape,) = shapes
    i = axis_argument(ctx, axis, len(shape) + 1)
    seen = [view_with_shape(ctx, x, (*shape[:i], 1, *shape[i:])) for x in xs]
    return store_out(ctx, _joined(ctx, seen, i, wanted), out)


# ----- Stacks along given axes


def _reshaped(ctx: Context, x: Abstract, item_shape: Callable[[Shape], Shape]) -> Abstract:
    shape = ctx.shape(x)
    return x if item_shape(shape) == shape else view_with_shape(ctx, x, item_shape(shape))


def _stacking(
    item_shape: Callable[[Shape], Shape], axis: Callable[[int], int]
) -> Callable[..., Abstract]:
    """Items are reshaped to `item_shape(shape)` and concatenated along `axis(ndim)`.

    Rows of one array are reshaped all at once.
    """

    def handler(ctx: Context, tup: Abstract, *, dtype: Abstract = NONE) -> Abstract:
        wanted = dtype_argument(ctx, dtype)
        rows = _rows(ctx, tup)
        if rows is not None:
            n, *item = ctx.shape(rows)
            whole = _reshaped(ctx, rows, lambda shape: (n, *item_shape(tuple(item))))
            result = _rows_joined(ctx, whole, Static(axis(len(item))))
            return result if wanted is None else cast(ctx, result, wanted)
        xs = [array(ctx, x) for x in _items(ctx, tup)]
        ndim = len(ctx.shape(xs[0]))
        seen = [_reshaped(ctx, x, item_shape) for x in xs]
        return _joined(ctx, seen, axis(ndim), wanted)

    return handler


def _two(shape: Shape) -> Shape:
    return (1,) * (2 - len(shape)) + shape


def _three(shape: Shape) -> Shape:
    return {0: (1, 1, 1), 1: (1, *shape, 1)}.get(len(shape), (*shape, 1)[: max(3, len(shape))])


function(np.vstack)(_stacking(_two, lambda ndim: 0))
function(np.hstack)(_stacking(lambda shape: shape or (1,), lambda ndim: 0 if ndim <= 1 else 1))
function(np.column_stack)(
    _stacking(lambda shape: shape if len(shape) > 1 else (*(shape or (1,)), 1), lambda ndim: 1)
)
function(np.dstack)(_stacking(_three, lambda ndim: 2))


# ----- Splitting: the parts are views


def _split_at(ctx: Context, x: Abstract, indices: list[int], axis: int) -> Abstract:
    """The list of parts between the indices `indices`."""
    n = ctx.shape(x)[axis]
    ends = [slice(a, b).indices(n)[:2] for a, b in zip([0, *indices], [*indices, None])]
    assert isinstance(x, Ref)  # a number has no axis
    parts = [view_of_slice(ctx, x, axis, min(a, n), max(0, b - a)) for a, b in ends]
    return ctx.new(ListObject(tuple(parts)))


def _split(ctx: Context, ary: Abstract, sections: Abstract, axis: int, even: bool) -> Abstract:
    x = array(ctx, ary)
    i = axis_number(ctx, axis, len(ctx.shape(x)))
    n = ctx.shape(x)[i]
    if not is_number(sections):
        return _split_at(ctx, x, list(integers(ctx, sections, "where to split")), i)
    count = integer(ctx, sections, "the number of parts")
    if count <= 0:
        ctx.fail(BadValue, message="number sections must be larger than 0.")
    if even and n % count:
        ctx.fail(BadValue, message="array split does not result in an equal division")
    size, more = divmod(n, count)
    sizes = [size + 1] * more + [size] * (count - more)
    return _split_at(ctx, x, [sum(sizes[:k]) for k in range(1, count)], i)


def _splitting(even: bool) -> Callable[..., Abstract]:
    def handler(
        ctx: Context, ary: Abstract, indices_or_sections: Abstract, axis: Abstract = ZERO
    ) -> Abstract:
        return _split(ctx, ary, indices_or_sections, integer(ctx, axis, "an axis"), even)

    return handler


function(np.split)(_splitting(even=True))
function(np.array_split)(_splitting(even=False))


def _splitting_along(axis: Callable[[int], int]) -> Callable[..., Abstract]:
    def handler(ctx: Context, ary: Abstract, indices_or_sections: Abstract) -> Abstract:
        x = array(ctx, ary)
        return _split(ctx, x, indices_or_sections, axis(len(ctx.shape(x))), True)

    return handler


function(np.vsplit)(_splitting_along(lambda ndim: 0))
function(np.hsplit)(_splitting_along(lambda ndim: 0 if ndim == 1 else 1))
function(np.dsplit)(_splitting_along(lambda ndim: 2))


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
