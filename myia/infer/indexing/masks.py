"""Subscripts by boolean masks: `x[mask]`, `x[mask] = values`.

`x[mask]` is a dynamic array whose valid elements keep their indices in `x`. They are packed only by
operations that depend on their order: an index, a cumulative sum, an operation with an array that
was selected by another mask.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import DynamicAxis, masked_axis, pad_masked
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import Abstract, Ref, as_ref
from myia.infer.domain.views import reshape
from myia.infer.dynamic.access import (
    PaddedValue,
    bounding_aval,
    dtype_of,
    dynamic_axes_of,
    is_dynamic,
    new_array,
    read,
    refuse_dynamic,
    store,
)
from myia.infer.dynamic.broadcasting import broadcast_for_store, check_equal_lengths
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.pointwise import logic


def is_mask(ctx: Context, key: Abstract) -> bool:
    """An array of bools."""
    is_array = ctx.is_array(key) or is_dynamic(ctx, key)
    return is_array and dtype_of(ctx, as_ref(key)).kind == "b"


def select_by_mask(ctx: Context, x: Ref, mask: Ref) -> Abstract:
    """`x[mask]`: a copy."""
    elements, dynamic_axis = _selection(ctx, x, mask)
    dynamic_axes = (dynamic_axis, *elements.dynamic_axes[1:])
    return new_array(ctx, pad_masked(elements.value, dynamic_axes), dynamic_axes)


def store_by_mask(ctx: Context, x: Ref, mask: Ref, value: Abstract) -> None:
    """`x[mask] = value`"""
    shape = bounding_aval(ctx, x).shape
    elements, dynamic_axis = _selection(ctx, x, mask)
    dynamic_axes = (dynamic_axis, *elements.dynamic_axes[1:])
    new_items = broadcast_for_store(
        ctx, value, elements.value.dtype, elements.value.shape, dynamic_axes
    )
    positions = shaping.broadcast(dynamic_axis.valid_mask(), shape=elements.value.shape, dims=(0,))
    stored = PaddedValue(logic.select(positions, new_items, elements.value), elements.dynamic_axes)
    store(ctx, x, reshape(stored.aligned_to(dynamic_axes_of(ctx, x)), shape))


def _selection(ctx: Context, x: Ref, mask: Ref) -> tuple[PaddedValue, DynamicAxis]:
    """`x` with the axes of the mask merged into one, and the dynamic axis that is selected."""
    if is_dynamic(ctx, x) or is_dynamic(ctx, mask):
        return _dynamic_selection(ctx, x, mask)
    value, chosen = ctx.read(x), ctx.read(mask)
    covered = len(chosen.shape)
    if chosen.shape != value.shape[:covered] or covered == 0:
        message = (
            f"boolean index of shape {chosen.shape} did not match an array of shape {value.shape}"
        )
        ctx.fail(BadValue, message=message, exception="IndexError")
    rows = math.prod(chosen.shape)
    flat = reshape(value, (rows, *value.shape[covered:]))
    dynamic_axis = masked_axis(reshape(chosen, (rows,)), ("mask", chosen))
    return PaddedValue(flat, (None,) * flat.aval.ndim), dynamic_axis


def _dynamic_selection(ctx: Context, x: Ref, mask: Ref) -> tuple[PaddedValue, DynamicAxis]:
    if len(bounding_aval(ctx, mask).shape) != 1:
        refuse_dynamic(ctx, "a mask of several axes")
    value, chosen = read(ctx, x), read(ctx, mask)
    if _layout_key(value) != _layout_key(chosen):
        value, chosen = value.packed(), chosen.packed()
        message = "boolean index did not match indexed array: they differ in size"
        check_equal_lengths(ctx, value.lengths[0], chosen.lengths[0], IndexError, message)
        bound = min(value.value.shape[0], chosen.value.shape[0])
        value, chosen = value.bounded(bound), chosen.bounded(bound)
    both = _valid(chosen.value, chosen.dynamic_axes[0] or value.dynamic_axes[0])
    return value, masked_axis(both, ("mask", chosen.value))


def _valid(chosen: Value, axis: DynamicAxis | None) -> Value:
    """Which elements are chosen and valid."""
    return chosen if axis is None else logic.and_(chosen, axis.valid_mask())


def _layout_key(x: PaddedValue) -> Any:
    dynamic_axis = x.dynamic_axes[0]
    return ("all", x.value.shape[0]) if dynamic_axis is None else dynamic_axis.layout_key


def nonzero_indices(ctx: Context, x: Ref) -> list[Abstract]:
    """`x.nonzero()`: for each axis the indices of the true elements."""
    elements = read(ctx, x).packed()
    if is_dynamic(ctx, x) and elements.value.aval.ndim != 1:
        refuse_dynamic(ctx, "`np.nonzero`")
    truth = elements.value if elements.value.dtype.kind == "b" else logic.ne(elements.value, 0)
    chosen = _valid(truth, elements.dynamic_axes[0])
    shape = chosen.shape
    rows = math.prod(shape)
    dynamic_axis = masked_axis(reshape(chosen, (rows,)), ("mask", chosen))
    positions = (
        shaping.iota(shape=shape, axis=axis, dtype=np.dtype(np.int64)) for axis in range(len(shape))
    )
    axes = (dynamic_axis,)
    return [new_array(ctx, pad_masked(reshape(x, (rows,)), axes), axes) for x in positions]
