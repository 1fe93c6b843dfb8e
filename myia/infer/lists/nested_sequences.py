"""Arrays made of nested sequences: what `np.array`, `np.stack` and stores accept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, is_number, is_of_numbers
from myia.infer.domain.dynamic_axes import pad_masked, prefix_axis
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, InstanceObject, ListObject
from myia.infer.domain.lengths import length_of
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import (
    Abstract,
    Range,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_static_int,
)
from myia.infer.domain.views import reshape
from myia.infer.dynamic.access import bounding_aval, is_dynamic, new_array, read
from myia.infer.guests import guest_of
from myia.infer.lists import growing_lists, list_slices
from myia.infer.lists.item_leaves import values_there
from myia.infer.lists.item_templates import ItemTemplate
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import operand, operand_dtype
from myia.infer.unsupported import UnsupportedContainer
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

SEQUENCE = "setting an array element with a sequence"
OF_NUMBERS = "NumPy makes arrays of numbers from tuples, lists and ranges: write `list(x)`"


def as_array(ctx: Context, x: Abstract, dtype: np.dtype | None = None) -> Abstract:
    """`np.asarray(x, dtype)`: arrays stay themselves, sequences are stacked."""
    x = ctx.force(x)
    if isinstance(x, Static) and isinstance(x.value, np.ndarray):
        ctx.fail(BadType, message="an array of this dtype is not numeric")
    if is_number(x) or ctx.is_array(x):
        found, weak = operand_dtype(ctx, x)
        if dtype is None or (dtype == found and not weak):
            dtype = found
        if isinstance(x, Ref) and found == dtype:
            return x
        return result_like(ctx, operand(ctx, x, Aval(dtype, ctx.shape(x))), x)
    if isinstance(buffer := ctx.held(x), BufferObject) and buffer.template.kind != "row":
        array = stacked_buffer(ctx, buffer, dtype)
        _check_items(ctx, array, dtype)
        return array
    return ctx.array(_stacked(ctx, x, dtype or common_dtype(ctx, x)))


def _check_items(ctx: Context, x: Abstract, dtype: np.dtype | None) -> None:
    """An array of no items is float64[0], whatever they would have been: a run-time error."""
    if not (isinstance(x, Ref) and is_dynamic(ctx, x)):
        return
    elements, one_axis = read(ctx, x), bounding_aval(ctx, x).ndim == 1
    length = elements.lengths[0]
    same = one_axis and (dtype is not None or elements.value.dtype == np.float64)
    if not same and not length.lo:
        text = "an empty list makes an array of one axis"
        if one_axis:
            text = f"an empty list makes an array of float64, not {elements.value.dtype}: give one"
        none = logic.le(length.value, constant(0, np.int64))
        ctx.check(none, ValueError, text, is_python=False)


def is_sequence(ctx: Context, x: Abstract) -> bool:
    """What NumPy takes apart to make an array: a tuple, a list or a range."""
    if isinstance(x, Ref):
        return isinstance(ctx.contents(x), (ListObject, BufferObject))
    if isinstance(x, Static):
        return isinstance(x.value, (tuple, list, range))
    return isinstance(x, (Tuple, Range))


def common_dtype(ctx: Context, x: Abstract) -> np.dtype:
    """The dtype that the numbers and arrays of a nested sequence meet at, as `np.array` has it."""
    found = [dtype for dtype, _ in _dtypes(ctx, x)]
    return np.result_type(*found) if found else np.dtype(np.float64)


def _dtypes(ctx: Context, x: Abstract) -> Iterator[tuple[np.dtype, bool]]:
    if isinstance(x, Static) and isinstance(x.value, (str, bytes)):
        ctx.fail(UnsupportedContainer, what="an array of strings")
    x = ctx.force(x)
    if is_number(x) or ctx.is_array(x):
        yield operand_dtype(ctx, x)
    elif is_of_numbers(x):
        yield from (operand_dtype(ctx, option) for option in x.options)
    elif isinstance(found := ctx.held(x), BufferObject) and found.template.kind != "row":
        yield from ((aval.dtype, False) for aval in found.template.value_leaves)
    elif is_sequence(ctx, x):
        for item in _items(ctx, x):
            yield from _dtypes(ctx, item)
    else:
        of_guest = isinstance(found, InstanceObject) and guest_of(found.cls)
        help_text = of_guest.instead if of_guest else OF_NUMBERS
        ctx.fail(
            UnsupportedContainer, what=f"an array made of {ctx.describe(x)}", help_text=help_text
        )


def _items(ctx: Context, x: Abstract) -> Iterator[Abstract]:
    """The items of a sequence, which must not hold itself: NumPy finds no end, and raises."""
    with ctx.inside("elements", x) as is_again:
        if is_again:
            ctx.fail(BadValue, message=f"{SEQUENCE}: {ctx.describe(x)} that holds itself")
        yield from ctx.list_items(x)


def _stacked(ctx: Context, x: Abstract, dtype: np.dtype) -> Value:
    x = ctx.force(x)
    if is_of_numbers(x):
        of = lambda o: Scalar(_stacked(ctx, o, dtype), weak=False)  # noqa: E731
        x = ctx.on_options(x, of)
    if is_number(x) or ctx.is_array(x):
        return operand(ctx, element(ctx, x, dtype), Aval(dtype, ctx.shape(x)))
    if isinstance(found := ctx.held(x), BufferObject) and found.template.kind != "row":
        return buffer_array(ctx, found, dtype)
    values = [_stacked(ctx, item, dtype) for item in _items(ctx, x)]
    if not values:
        return constant(0, dtype, (0,))
    shapes = {v.shape for v in values}
    if len(shapes) > 1:
        ctx.fail(BadValue, message=f"arrays of different shapes cannot be stacked: {shapes}")
    rows = [reshape(v, (1, *v.shape)) for v in values]
    return rows[0] if len(rows) == 1 else shaping.concatenate(*rows, axis=0)


def stacked_buffer(ctx: Context, buffer: BufferObject, dtype: np.dtype | None = None) -> Abstract:
    """A list built in a loop as one array, of run-time length if the list is."""
    buffer = values_there(ctx, buffer)
    length = length_of(growing_lists.list_length(buffer))
    if length.is_static:
        return ctx.array(buffer_array(ctx, buffer, dtype))
    n, rows = buffer.capacity, _rows(ctx, buffer, buffer.capacity, dtype)
    hi = n if length.hi is None else min(length.hi, n)
    axes = (
        prefix_axis(replace(length, lo=length.lo or 0, hi=hi), n),
        *[None] * (rows.aval.ndim - 1),
    )
    return new_array(ctx, pad_masked(rows, axes), axes)


def buffer_array(ctx: Context, buffer: BufferObject, dtype: np.dtype | None = None) -> Value:
    """A list built in a loop as one array; its length must be known."""
    length = growing_lists.list_length(buffer)
    if not is_static_int(length):
        ctx.needs_static("the length of a list that is stacked")
    return _rows(ctx, values_there(ctx, buffer), length.value, dtype)


def _rows(ctx: Context, buffer: BufferObject, count: int, dtype: np.dtype | None) -> Value:
    """The first rows of a list of numbers or arrays."""
    if not _is_rectangular(buffer.template):
        ctx.fail(
            UnsupportedContainer, what="an array made of a list of such items", help_text=OF_NUMBERS
        )
    columns = [row.value for row in buffer.rows]
    of = np.result_type(*[aval.dtype for aval in buffer.template.leaves])
    rows = _joined(buffer.template, columns, of)
    if count != buffer.capacity:
        rows = list_slices.take_rows(rows, range(count))
    value = Scalar(rows, False) if rows.shape == () else ctx.array(rows)
    return operand(ctx, value, Aval(dtype or rows.dtype, rows.shape))


def _is_rectangular(template: ItemTemplate) -> bool:
    """Numbers, arrays, and tuples and lists of as many of one shape."""
    if template.kind in ("number", "array"):
        return True
    shapes = {aval.shape for aval in template.leaves}
    kinds = {(item.kind, len(item.leaves)) for item in template.items}
    is_sequence = template.kind in ("tuple", "items") and len(kinds) == len(shapes) == 1
    return is_sequence and all(map(_is_rectangular, template.items))


def _joined(template: ItemTemplate, columns: list[Value], dtype: np.dtype) -> Value:
    """The columns (taken from the front of the list) as one array; an item is a row."""
    if template.kind in ("number", "array"):
        return convert(columns.pop(0), dtype)
    parts = [_joined(item, columns, dtype) for item in template.items]
    parts = [reshape(x, (x.shape[0], 1, *x.shape[1:])) for x in parts]
    return parts[0] if len(parts) == 1 else shaping.concatenate(*parts, axis=1)
