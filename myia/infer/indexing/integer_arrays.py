"""Subscripts with arrays of integers, alone or mixed with integers, slices and new axes.

    x[idx]            x[i, idx]         x[idx, 1:]        x[np.arange(n), labels]

Slices are applied first, as a view; then one gather (or scatter) reads (or writes) the elements.
The index arrays are broadcast to one shape. If they are adjacent in the subscript, the axes of that
shape take the position of the first of them; else they come first. This is NumPy's rule, in which
integers beside arrays count as arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.infer.boundary.exceptions import raise_with_numbers
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, is_number, kind_of
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.lengths import static_length
from myia.infer.domain.memory_order import is_in_c_order
from myia.infer.domain.values import Abstract, Ref, SliceValue, Static, Tuple, as_ref
from myia.infer.domain.views import reshape
from myia.infer.indexing.dynamic_slices import static_slice
from myia.infer.indexing.parse_subscripts import I64, WHOLE, Subscript, checked_index
from myia.infer.lists.item_leaves import row_at
from myia.infer.numeric.promotion import broadcast_for_assignment, operand
from myia.infer.unsupported import UnsupportedIndex
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.arrays.gather import gather, index_dims
from myia.primitives.arrays.reductions import argmax
from myia.primitives.arrays.scattering import scatter
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic


def is_array_index(k: Abstract) -> bool:
    """True for an entry that is not basic indexing: an array, a list, a bool."""
    return isinstance(k, (Ref, Tuple)) or (is_number(k) and kind_of(k) == "b")


@dataclass(frozen=True)
class _GatherIndices:
    """The operands of a gather: `x` at `indices` of shape `(*batch, len(axes))` along `axes`.

    The result has the batch axes at position `front` among the remaining axes of x (`kept`). With
    the new axes of the subscript it has the shape `shape`.
    """

    x: Ref
    axes: tuple[int, ...]
    indices: Value
    front: int
    kept: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def dims(self) -> Any:
        rank = self.indices.aval.ndim - 1
        offset = tuple(i if i < self.front else i + rank for i in range(len(self.kept)))
        return index_dims(offset, self.axes, self.axes)

    @property
    def bare_shape(self) -> tuple[int, ...]:
        """The shape without the new axes."""
        batch = self.indices.shape[:-1]
        return (*self.kept[: self.front], *batch, *self.kept[self.front :])


def gather_items(ctx: Context, x: Ref, subscript: Subscript) -> Abstract:
    """`x[subscript]`"""
    at = _gather_indices(ctx, x, subscript)
    value = ctx.read(at.x)
    if 0 in at.shape:
        return ctx.array(constant(0, value.dtype, at.shape))
    sizes = tuple(1 if i in at.axes else n for i, n in enumerate(value.shape))
    items = gather(value, at.indices, dims=at.dims, sizes=sizes, mode="clip", fill=None)
    # NumPy puts the batch axes first in memory, wherever they are in the result.
    in_order = at.front == 0 and is_in_c_order(ctx, at.x)
    return ctx.array(reshape(items, at.shape), contiguous=in_order)


def scatter_items(ctx: Context, x: Ref, subscript: Subscript, value: Abstract) -> None:
    """`x[subscript] = value`; where indices repeat, the last store to an element counts."""
    at = _gather_indices(ctx, x, subscript)
    items = broadcast_for_assignment(ctx, value, array_aval(ctx.heap, x.id).with_shape(at.shape))
    if 0 in at.shape:
        return
    items = reshape(items, at.bare_shape)
    stored = scatter(ctx.read(at.x), at.indices, items, dims=at.dims, mode="clip", unique=False)
    ctx.store(at.x, stored)


def _gather_indices(ctx: Context, x: Ref, subscript: Subscript) -> _GatherIndices:
    shape = ctx.shape(x)
    entries = subscript.entries
    sliced = tuple(k if isinstance(k, SliceValue) else WHOLE for k in entries)
    if any(k is not WHOLE for k in sliced):
        x = as_ref(ctx.view(x, static_slice(ctx, x, Subscript(sliced, ()))))
    axes = tuple(i for i, k in enumerate(entries) if not isinstance(k, SliceValue))
    indices = [_indices_of_entry(ctx, entries[i], shape[i], i) for i in axes]
    batch = _broadcast(ctx, [v.shape for v in indices])
    columns = [reshape(broadcast_to(v, batch), (*batch, 1)) for v in indices]
    indices_array = shaping.concatenate(*columns, axis=len(batch)) if columns[1:] else columns[0]
    # The lengths of the result's axes; None stands for the batch axes.
    layout: list[int | None] = []
    for i in range(len(entries) + 1):
        layout += [1] * subscript.new_axes.count(i)
        if i < len(entries):
            layout.append(None if i in axes else ctx.shape(x)[i])
    kept = tuple(n for i, n in enumerate(ctx.shape(x)) if i not in axes)
    seen = [n for n in layout if n is not None]
    first, front = (layout.index(None), axes[0]) if _are_adjacent(layout) else (0, 0)
    return _GatherIndices(
        x, axes, indices_array, front, kept, (*seen[:first], *batch, *seen[first:])
    )


def _are_adjacent(layout: list[int | None]) -> bool:
    """True if the index arrays are adjacent in the subscript."""
    first, count = layout.index(None), layout.count(None)
    return layout[first : first + count] == [None] * count


def _broadcast(ctx: Context, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(map(str, shapes))
        message = f"shape mismatch: indexing arrays could not be broadcast together: {text}"
        ctx.fail(BadValue, message=message, exception="IndexError")


def _indices_of_true(ctx: Context, k: Abstract, n: int) -> Abstract:
    """A list of compile-time bools as the list of the indices of the true ones."""
    items = ctx.list_items(k)
    chosen = [i.value for i in items if isinstance(i, Static) and isinstance(i.value, bool)]
    if not items or len(chosen) < len(items):
        return k
    if len(items) != n:
        message = f"boolean index did not match an axis of size {n}: it has {len(items)} elements"
        ctx.fail(BadValue, message=message, exception="IndexError")
    true_indices = [Static(i) for i, is_true in enumerate(chosen) if is_true]
    return Tuple(tuple(true_indices)) if true_indices else ctx.array(constant(0, np.int64, (0,)))


def _indices_of_entry(ctx: Context, k: Abstract, n: int, axis: int) -> Value:
    """The indices of one entry, made non-negative."""
    if is_number(k) and kind_of(k) == "b":
        ctx.fail(UnsupportedIndex, what="a bool as an index")
    if not is_array_index(k):
        return checked_index(ctx, k, static_length(n), axis).value
    index = as_ref(k if ctx.is_array(k) else ctx.as_array(_indices_of_true(ctx, k, n)))
    aval = array_aval(ctx.heap, index.id)
    if aval.size == 0 and not ctx.is_array(k):
        return constant(0, I64, aval.shape)
    if aval.dtype.kind not in "iu":
        ctx.fail(
            UnsupportedIndex,
            what="an index that is not an array of integers",
            help_text="select with `np.where(mask, x, other)`: its shape is known",
        )
    value = operand(ctx, index, Aval(I64, ctx.shape(index)))
    if n == 0 and value.aval.size > 0:
        message = f"index {{}} is out of bounds for axis {axis} with size 0"
        raise_with_numbers(
            ctx, IndexError, message, _first_of(value, constant(True, bool, value.shape))
        )
    return checked_indices(ctx, value, n, axis)


def checked_indices(
    ctx: Context, x: Value, n: int | Value, axis: int = 0, valid: Value | None = None
) -> Value:
    """Indices into an axis of `n` elements made non-negative, checked at run time where `valid`."""
    size = constant(n, I64) if isinstance(n, int) else n
    sizes = broadcast_to(size, x.shape)
    outside = logic.or_(logic.lt(x, arithmetic.neg(sizes)), logic.ge(x, sizes))
    outside = outside if valid is None else logic.and_(outside, valid)
    shown = n if isinstance(n, int) else "{}"
    message = f"index {{}} is out of bounds for axis {axis} with size {shown}"
    ctx.check(ctx.any(outside), IndexError, message, _first_of(x, outside), size)
    return logic.select(logic.lt(x, 0), arithmetic.add(x, sizes), x)


def _first_of(x: Value, chosen: Value) -> Value:
    """The first element of `x` that is chosen."""
    if x.aval.size == 0:
        return constant(0, I64)
    flat, mask = reshape(x, (x.aval.size,)), reshape(chosen, (x.aval.size,))
    return row_at(flat, argmax(mask, axis=0))
