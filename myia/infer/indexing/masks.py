"""Subscripts by masks: `x[mask]`, `x[mask] = values`.

What a mask selects stays in its places: only what depends on the order of elements (an index, a
running sum, a comparison with an array that was selected by another mask) moves it.
"""

from __future__ import annotations

import math

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import DynamicAxis, masked_axis, pad_masked
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import Abstract, Ref
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
from myia.primitives.core.define import zeros
from myia.primitives.pointwise import logic


def is_mask(ctx: Context, key: Abstract) -> bool:
    """An array of bools."""
    return (ctx.is_array(key) or is_dynamic(ctx, key)) and dtype_of(ctx, key).kind == "b"


def select_by_mask(ctx: Context, x: Ref, mask: Ref) -> Abstract:
    """`x[mask]`: a copy."""
    elements, extent = _selection(ctx, x, mask)
    extents = (extent, *elements.dynamic_axes[1:])
    return new_array(ctx, pad_masked(elements.value, extents), extents)


def store_by_mask(ctx: Context, x: Ref, mask: Ref, value: Abstract) -> None:
    """`x[mask] = value`"""
    shape = bounding_aval(ctx, x).shape
    elements, extent = _selection(ctx, x, mask)
    extents = (extent, *elements.dynamic_axes[1:])
    new_items = broadcast_for_store(ctx, value, elements.value.dtype, elements.value.shape, extents)
    places = shaping.broadcast(extent.mask, shape=elements.value.shape, dims=(0,))
    stored = PaddedValue(logic.select(places, new_items, elements.value), elements.dynamic_axes)
    store(ctx, x, reshape(stored.aligned_to(dynamic_axes_of(ctx, x)), shape))


def _selection(ctx: Context, x: Ref, mask: Ref) -> tuple[PaddedValue, DynamicAxis]:
    """The elements of `x` along one axis for all that the mask covers, and what is selected."""
    if is_dynamic(ctx, x) or is_dynamic(ctx, mask):
        return _selection_of_sized(ctx, x, mask)
    value, chosen = ctx.read(x), ctx.read(mask)
    covered = len(chosen.shape)
    if chosen.shape != value.shape[:covered] or covered == 0:
        message = (
            f"boolean index of shape {chosen.shape} did not match an array of shape {value.shape}"
        )
        ctx.fail(BadValue, message=message, exception="IndexError")
    rows = math.prod(chosen.shape)
    flat = reshape(value, (rows, *value.shape[covered:]))
    extent = masked_axis(reshape(chosen, (rows,)), ("mask", chosen))
    return PaddedValue(flat, (None,) * flat.aval.ndim), extent


def _selection_of_sized(ctx: Context, x: Ref, mask: Ref) -> tuple[PaddedValue, DynamicAxis]:
    if len(bounding_aval(ctx, mask).shape) != 1:
        refuse_dynamic(ctx, "a mask of several axes")
    value, chosen = read(ctx, x), read(ctx, mask)
    if _form(value) != _form(chosen):
        value, chosen = value.packed(), chosen.packed()
        message = "boolean index did not match indexed array: they differ in size"
        check_equal_lengths(ctx, value.lengths[0], chosen.lengths[0], IndexError, message)
        if value.value.shape[0] != chosen.value.shape[0]:
            refuse_dynamic(ctx, "a mask of another bound")
    here = chosen.dynamic_axes[0] or value.dynamic_axes[0]
    both = logic.and_(chosen.value, here.valid_mask())
    return value, masked_axis(both, ("mask", chosen.value))


def _form(x: PaddedValue):
    extent = x.dynamic_axes[0]
    return ("all", x.value.shape[0]) if extent is None else extent.layout_key


def nonzero_indices(ctx: Context, x: Ref) -> list[Abstract]:
    """`x.nonzero()`: for each axis the indices of what is true."""
    if is_dynamic(ctx, x):
        elements = read(ctx, x).packed()
        if elements.value.aval.ndim != 1:
            refuse_dynamic(ctx, "`np.nonzero`")
        chosen = logic.and_(_truth(elements.value), elements.dynamic_axes[0].valid_mask())
    else:
        chosen = _truth(ctx.read(x))
    shape = chosen.shape
    rows = math.prod(shape)
    extent = masked_axis(reshape(chosen, (rows,)), ("mask", chosen))
    found = []
    for axis in range(len(shape)):
        places = shaping.iota(shape=shape, axis=axis, dtype=np.dtype(np.int64))
        found.append(new_array(ctx, pad_masked(reshape(places, (rows,)), (extent,)), (extent,)))
    return found


def _truth(x: Value) -> Value:
    return x if x.dtype.kind == "b" else logic.ne(x, zeros(x.aval))
