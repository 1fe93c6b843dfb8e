"""Subscripts that involve dynamic sizes: of dynamic arrays, by dynamic arrays, masks or slices.

x[:i]      x[mask]      x[:i][idx]      x[idx] where idx is dynamic
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, number_value
from myia.infer.domain.dynamic_axes import DynamicAxis, pad_masked
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.errors import BadType, BadValue, NeedsStatic
from myia.infer.domain.heap import DynamicView
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_ref,
    is_none,
)
from myia.infer.dynamic.access import (
    bounding_aval,
    dtype_of,
    dynamic_axes_of,
    is_dynamic,
    new_array,
    pack_to_prefixes,
    read,
    refuse_dynamic,
    store,
    view_slice,
    write_slice,
)
from myia.infer.dynamic.broadcasting import broadcast_for_store
from myia.infer.indexing.dynamic_slices import (
    is_dynamic_slice,
    slice_of,
    slice_of_base,
    with_unit_steps,
)
from myia.infer.indexing.integer_arrays import checked_indices, is_array_index
from myia.infer.indexing.masks import is_mask, nonzero_indices, select_by_mask, store_by_mask
from myia.infer.indexing.parse_subscripts import (
    I64,
    WHOLE,
    Subscript,
    has_ellipsis,
    is_static_slice,
    subscript_of,
)
from myia.infer.unsupported import UnsupportedIndex
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.arrays.gather import index_dims, take
from myia.primitives.arrays.scattering import scatter
from myia.primitives.pointwise import logic


def involves_dynamic_size(ctx: Context, x: Ref, key: Abstract) -> bool:
    """True if the array, an index or the result of `x[key]` is dynamically sized."""
    if is_dynamic(ctx, x):
        return True
    keys = key.items if isinstance(key, Tuple) else (key,)
    if any(is_dynamic(ctx, k) or is_mask(ctx, k) for k in keys):
        return True
    if not any(isinstance(k, SliceValue) and not is_static_slice(k) for k in keys):
        return False
    shape = ctx.shape(x)
    return any(map(is_dynamic_slice, subscript_of(ctx, key, len(shape)).entries, shape))


def get_item(ctx: Context, x: Ref, key: Abstract) -> Abstract:
    """`x[key]`"""
    if is_mask(ctx, key):
        return select_by_mask(ctx, x, as_ref(key))
    x, subscript, masks = _subscript(ctx, x, key)
    if masks and subscript.new_axes:
        found = get_item(ctx, x, Tuple(subscript.entries))
        return get_item(ctx, as_ref(found), _new_axes_of_result(ctx, subscript, masks))
    if masks and (flat := _flat_index(ctx, x, subscript)) is not None:
        return _gather(ctx, *_with_first_axes_merged(ctx, x, flat))
    if masks:
        return _select_masked(ctx, _masked(ctx, x, subscript, masks))
    if any(map(is_array_index, subscript.entries)):
        return _gather(ctx, *_apply_slices_first(ctx, x, subscript))
    return _view(ctx, x, subscript, boxed=has_ellipsis(key))


def _view(ctx: Context, x: Ref, subscript: Subscript, boxed: bool = False) -> Abstract:
    """`x[subscript]`, of slices and of indices of elements."""
    subscript, strides = with_unit_steps(ctx, x, subscript)
    found = _item(ctx, x, subscript, boxed=boxed)
    return found if strides is None else get_item(ctx, as_ref(found), Tuple(strides))


def _item(
    ctx: Context, x: Ref, subscript: Subscript, *, checked: bool = True, boxed: bool = False
) -> Abstract:
    seen_through = slice_of_base(ctx, x, subscript, checked=checked)
    if seen_through is not None:
        return view_slice(ctx, *seen_through, whole=False, boxed=boxed)
    dynamic_slice, whole = slice_of(ctx, x, subscript, checked=checked)
    return view_slice(ctx, x, dynamic_slice, whole, boxed=boxed)


def row(ctx: Context, x: Ref, index: Abstract) -> Abstract:
    """`x[index]` for an index that is in range."""
    pack_to_prefixes(ctx, x)
    rest = (WHOLE,) * (len(bounding_aval(ctx, x).shape) - 1)
    return _item(ctx, x, Subscript((index, *rest), ()), checked=False)


def store_item(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    """`x[key] = value`"""
    if is_mask(ctx, key):
        store_by_mask(ctx, x, as_ref(key), value)
        return
    x, subscript, masks = _subscript(ctx, x, key)
    if masks and subscript.new_axes:
        added = _new_axes_of_result(ctx, subscript, masks)
        shape = bounding_aval(ctx, value).shape if isinstance(value, Ref) else ()
        if shape:
            at = [i for i, part in enumerate(added.items) if part is NONE]
            if len(shape) != len(added.items) or any(shape[i] != 1 for i in at):
                _refuse_beside_mask(ctx, "an array of other axes stored by a mask beside new axes")
            first = tuple(Static(0) if part is NONE else WHOLE for part in added.items)
            value = get_item(ctx, as_ref(value), Tuple(first))
        store_item(ctx, x, Tuple(subscript.entries), value)
        return
    if masks and (flat := _flat_index(ctx, x, subscript)) is not None:
        merged, by_flat = _with_first_axes_merged(ctx, x, flat)
        _scatter(ctx, merged, by_flat, value)
        ctx.store(x, ctx.reshape(ctx.read(merged), ctx.shape(x)))
        return
    if masks:
        _store_masked(ctx, _masked(ctx, x, subscript, masks), value)
        return
    if any(map(is_array_index, subscript.entries)):
        _scatter(ctx, *_apply_slices_first(ctx, x, subscript), value)
        return
    subscript, strides = with_unit_steps(ctx, x, subscript)
    if strides is not None:
        store_item(ctx, as_ref(_item(ctx, x, subscript)), Tuple(strides), value)
        return
    seen_through = slice_of_base(ctx, x, subscript)
    if seen_through is not None:
        x, dynamic_slice = seen_through
    else:
        dynamic_slice, _ = slice_of(ctx, x, subscript)
    if _is_same_view(ctx, x, dynamic_slice, value):
        return
    items = broadcast_for_store(
        ctx, value, dtype_of(ctx, x), dynamic_slice.shape, dynamic_slice.dynamic_axes
    )
    write_slice(ctx, x, dynamic_slice, items)


def _subscript(ctx: Context, x: Ref, key: Abstract) -> tuple[Ref, Subscript, tuple[int, ...]]:
    """The subscript of `x`, whose elements are prefixes now, and where it has masks."""
    pack_to_prefixes(ctx, x)
    subscript = subscript_of(ctx, key, len(bounding_aval(ctx, x).shape))
    masks = tuple(i for i, k in enumerate(subscript.entries) if is_mask(ctx, k))
    return x, subscript, masks


def _is_same_view(ctx: Context, x: Ref, dynamic_slice: Any, value: Abstract) -> bool:
    """True for `x[:i] = v` where v is the view `x[:i]`: the last step of `x[:i] += 1`."""
    contents = ctx.heap[value.id] if isinstance(value, Ref) else None
    if not isinstance(contents, DynamicView) or contents.base != x.id:
        return False
    return contents.step.same_as(dynamic_slice)


# ----- A mask beside integers and slices


@dataclass(frozen=True)
class _Masked:
    """`x[2, :, mask]` as `base[mask]`, whose first axis is axis `position` of the result."""

    base: Ref
    mask: Ref
    position: int
    rank: int  # of the result


def _masked(ctx: Context, x: Ref, subscript: Subscript, masks: tuple[int, ...]) -> _Masked:
    """As in NumPy, integers beside a mask count as arrays (`integer_arrays.py`)."""
    entries = subscript.entries
    arrays = [i for i, k in enumerate(entries) if not isinstance(k, SliceValue)]
    others = [entries[i] for i in arrays if i not in masks]
    if len(masks) != 1 or any(map(is_array_index, others)) or subscript.new_axes:
        _refuse_beside_mask(ctx, "a mask beside masks, integer arrays or new axes")
    (at,) = masks
    mask = as_ref(entries[at])
    covered = (WHOLE,) * len(bounding_aval(ctx, mask).shape)
    base = _view(ctx, x, Subscript((*entries[:at], *covered, *entries[at + 1 :]), ()))
    before = sum(isinstance(k, SliceValue) for k in entries[:at])
    rank = 1 + len(entries) - len(arrays)
    if before:
        axes = tuple(range(before, before + len(covered)))
        first = tuple(range(len(covered)))
        base = ctx.call(Static(np.moveaxis), (base, Static(axes), Static(first)), {})
    adjacent = arrays[-1] - arrays[0] + 1 == len(arrays)
    return _Masked(as_ref(base), mask, arrays[0] if adjacent else 0, rank)


def _select_masked(ctx: Context, at: _Masked) -> Abstract:
    found = as_ref(select_by_mask(ctx, at.base, at.mask))
    return _axis_moved(ctx, found, 0, at.position) if at.position else found


def _store_masked(ctx: Context, at: _Masked, value: Abstract) -> None:
    rank = len(bounding_aval(ctx, value).shape) if isinstance(value, Ref) else 0
    if at.position and rank == at.rank:
        value = _axis_moved(ctx, as_ref(value), at.position, 0)
    elif at.position and rank:
        _refuse_beside_mask(ctx, "an array of fewer axes stored by a mask after a slice")
    store_by_mask(ctx, at.base, at.mask, value)


def _axis_moved(ctx: Context, x: Ref, source: int, destination: int) -> Ref:
    """A copy of `x` with one axis in another place."""
    elements = read(ctx, x)
    order = list(range(len(elements.dynamic_axes)))
    order.insert(destination, order.pop(source))
    value = shaping.transpose(elements.value, permutation=tuple(order))
    return as_ref(new_array(ctx, value, tuple(elements.dynamic_axes[i] for i in order)))


def _refuse_beside_mask(ctx: Context, what: str) -> NoReturn:
    help_text = "take the rest first: `x[0][mask]`, `x.T[mask]`"
    ctx.fail(UnsupportedIndex, error=NeedsStatic, what=what, help_text=help_text)


# ----- A mask beside masks, arrays of integers and new axes


@dataclass(frozen=True)
class _Flat:
    """`x[mask, idx, :]` as `x.reshape(count, ...)[index]`, with `axes` axes of x in one."""

    index: Abstract
    axes: int


def _flat_index(ctx: Context, x: Ref, subscript: Subscript) -> _Flat | None:
    """The flat index of masks and integers along the first axes; None for other subscripts."""
    entries = subscript.entries
    count = next((i for i, k in enumerate(entries) if isinstance(k, SliceValue)), len(entries))
    arrays, rest = entries[:count], entries[count:]
    several = sum(is_mask(ctx, k) or is_array_index(k) for k in arrays) > 1
    whole = all(isinstance(k, SliceValue) and all(map(is_none, k.children())) for k in rest)
    if not (several and whole) or is_dynamic(ctx, x):
        return None
    flat: Abstract = Static(0)
    shape, axis = ctx.shape(x), 0
    for entry in arrays:
        for index in _indices_of(ctx, entry, shape[axis:], axis):
            along = ctx.call(Static(np.multiply), (flat, Static(shape[axis])), {})
            flat = ctx.call(Static(np.add), (along, index), {})
            axis += 1
    return _Flat(flat, axis)


def _indices_of(
    ctx: Context, entry: Abstract, shape: tuple[int, ...], first: int
) -> list[Abstract]:
    """The indices along each axis of an entry, from `first` on, not negative and in range."""
    if is_mask(ctx, entry):
        mask = bounding_aval(ctx, as_ref(entry)).shape
        if is_dynamic(ctx, entry) or mask != shape[: len(mask)]:
            message = f"boolean index of shape {mask} did not match an array of shape {shape}"
            ctx.fail(BadValue, message=message, exception="IndexError")
        return nonzero_indices(ctx, as_ref(entry))
    if is_number(entry):
        value = number_value(entry, I64)
        return [Scalar(checked_indices(ctx, value, shape[0], first), weak=False)]
    index = read(ctx, as_ref(entry if is_dynamic(ctx, entry) else ctx.as_array(entry))).packed()
    if index.value.dtype.kind not in "iu" or index.value.aval.ndim != 1:
        _refuse_beside_mask(ctx, "an index of several axes beside a mask")
    (axis,) = index.dynamic_axes
    value = logic.convert(index.value, dtype=I64)
    valid = None if axis is None else axis.valid_mask()
    return [new_array(ctx, checked_indices(ctx, value, shape[0], first, valid), (axis,))]


def _with_first_axes_merged(ctx: Context, x: Ref, flat: _Flat) -> tuple[Ref, Subscript]:
    """A copy of `x`, and its subscript."""
    shape = ctx.shape(x)
    merged = (math.prod(shape[: flat.axes]), *shape[flat.axes :])
    copy = ctx.array(ctx.reshape(ctx.read(x), merged))
    return as_ref(copy), Subscript((flat.index, *(WHOLE,) * (len(merged) - 1)), ())


def _new_axes_of_result(ctx: Context, subscript: Subscript, masks: tuple[int, ...]) -> Tuple:
    """The new axes of `x[mask, None]`, as a subscript of `x[mask]`."""
    entries = subscript.entries
    if len(masks) != 1 or sum(isinstance(k, SliceValue) for k in entries) != len(entries) - 1:
        _refuse_beside_mask(ctx, "a mask and integers beside new axes")
    parts: list[Abstract] = []
    for i in range(len(entries) + 1):
        parts += [NONE] * subscript.new_axes.count(i)
        parts += [WHOLE] if i < len(entries) else []
    return Tuple(tuple(parts))


# ----- Arrays of integers


def _apply_slices_first(ctx: Context, x: Ref, subscript: Subscript) -> tuple[Ref, Subscript]:
    """`x[idx, i:j]` as `x[:, i:j]`, a view, and `[idx, :]`."""
    entries = subscript.entries
    slices = tuple(k if isinstance(k, SliceValue) else WHOLE for k in entries)
    if subscript.new_axes or all(k is WHOLE for k in slices):
        return x, subscript
    others = tuple(WHOLE if isinstance(k, SliceValue) else k for k in entries)
    return as_ref(_view(ctx, x, Subscript(slices, ()))), Subscript(others, ())


def _indices(ctx: Context, x: Ref, subscript: Subscript) -> tuple[Value, DynamicAxis | None]:
    """The indices along the first axis, made non-negative and checked, and their dynamic axis."""
    first, *rest = subscript.entries
    alone = not subscript.new_axes and all(k is WHOLE for k in rest)
    if not alone:
        refuse_dynamic(ctx, "an index array beside other subscripts")
    index = read(ctx, as_ref(first if is_dynamic(ctx, first) else ctx.as_array(first))).packed()
    if index.value.dtype.kind not in "iu" or index.value.aval.ndim != 1:
        ctx.fail(BadType, message="an index must be an array of integers of one axis")
    value = logic.convert(index.value, dtype=I64)
    axis, mine = dynamic_axes_of(ctx, x)[0], index.dynamic_axes[0]
    n = bounding_aval(ctx, x).shape[0] if axis is None else axis.length.value
    valid = None if mine is None else mine.valid_mask()
    return checked_indices(ctx, value, n, valid=valid), mine


def _gather(ctx: Context, x: Ref, subscript: Subscript) -> Abstract:
    """`x[idx]`"""
    index, dynamic_axis = _indices(ctx, x, subscript)
    base = read(ctx, x).packed()
    dynamic_axes = (dynamic_axis, *base.dynamic_axes[1:])
    if base.value.shape[0] == 0:
        ctx.fail(BadValue, message="index is out of bounds", exception="IndexError")
    return new_array(ctx, pad_masked(take(base.value, index, 0), dynamic_axes), dynamic_axes)


def _scatter(ctx: Context, x: Ref, subscript: Subscript, value: Abstract) -> None:
    """`x[idx] = value`; where indices repeat, the last store to an element counts."""
    index, dynamic_axis = _indices(ctx, x, subscript)
    base = read(ctx, x).packed()
    shape = (index.shape[0], *base.value.shape[1:])
    items = broadcast_for_store(
        ctx, value, base.value.dtype, shape, (dynamic_axis, *base.dynamic_axes[1:])
    )
    if dynamic_axis is not None:
        index = logic.select(dynamic_axis.valid_mask(), index, base.value.shape[0])
    dims = index_dims(tuple(range(1, len(shape))), (0,), (0,))
    at = ctx.reshape(index, (*index.shape, 1))
    stored = scatter(base.value, at, items, dims=dims, mode="fill", unique=False)
    store(ctx, x, PaddedValue(stored, base.dynamic_axes).aligned_to(dynamic_axes_of(ctx, x)))
