"""Functions of dynamic arrays in which the order of elements matters: sorting, joining, medians.

The valid elements are packed to prefixes first.
"""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import pad_masked, prefix_axis, resized, shifted_up
from myia.infer.domain.lengths import Length, static_length, total
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, SliceValue, Static, Tuple, is_none
from myia.infer.dynamic import access
from myia.infer.dynamic.access import PaddedValue, is_dynamic, new_array, read, refuse_dynamic
from myia.infer.indexing.indexing import getitem
from myia.infer.operators import operators
from myia.infer.registry import FUNCTIONS, METHODS, for_dynamic_arrays
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.library.numpy import ordering, repeat_and_pad
from myia.library.numpy.arrays import joining
from myia.library.support.arguments import (
    array,
    axes_argument,
    axis_argument,
    static_value,
)
from myia.primitives.arrays import shaping
from myia.primitives.arrays.sorting import sort_p
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert

MODULES_EXTENDED = (joining, repeat_and_pad, ordering)
I64 = np.dtype(np.int64)
LAST = Static(-1)
WHOLE = SliceValue(NONE, NONE, NONE)
BACKWARDS = SliceValue(NONE, NONE, LAST)


@for_dynamic_arrays(FUNCTIONS[np.flip])
def _flip(ctx: Context, m: Abstract, axis: Abstract = NONE) -> Abstract:
    """A view, as `m[::-1]`."""
    ndim = access.bounding_aval(ctx, m).ndim
    axes = axes_argument(ctx, axis, ndim)
    key = Tuple(tuple(BACKWARDS if i in axes else WHOLE for i in range(ndim)))
    return getitem(ctx, m, key)


@for_dynamic_arrays(FUNCTIONS[np.diff])
def _diff(ctx: Context, a: Abstract, n: Abstract = Static(1), axis: Abstract = LAST) -> Abstract:
    if access.bounding_aval(ctx, a).ndim != 1 or not is_dynamic(ctx, a):
        refuse_dynamic(ctx, "`numpy.diff` of several axes")
    axis_argument(ctx, axis, 1)
    for _ in range(static_value(ctx, n, "how often differences are taken")):
        after = getitem(ctx, a, SliceValue(Static(1), NONE, NONE))
        a = operators.binary(ctx, "-", after, getitem(ctx, a, SliceValue(NONE, LAST, NONE)))
    return a


# ----- Joining


@for_dynamic_arrays(FUNCTIONS[np.concatenate])
def _concatenate(ctx: Context, arrays: Abstract, axis: Abstract = Static(0)) -> Abstract:
    """Each part is shifted behind those before it; static if the lengths have a static sum."""
    given = [x if is_dynamic(ctx, x) else array(ctx, x) for x in ctx.list_items(arrays)]
    ndims = {access.bounding_aval(ctx, x).ndim if isinstance(x, Ref) else 0 for x in given}
    if ndims != {1} or axis_argument(ctx, axis, 1) != 0:
        refuse_dynamic(ctx, "`numpy.concatenate` of several axes")
    parts = [read(ctx, x).packed() for x in given]
    dtype = np.result_type(*(x.value.dtype for x in parts))
    bound = sum(x.value.shape[0] for x in parts)
    made, end = constant(0, dtype, (bound,)), static_length(0)
    for x in parts:
        shifted = shifted_up(resized(convert(x.value, dtype=dtype), 0, bound), 0, end)
        after = logic.ge(shaping.iota(shape=(bound,), axis=0, dtype=I64), _repeated(end, bound))
        made = logic.select(after, shifted, made)
        end = total(end, x.lengths[0])
    if end.is_static:
        return ctx.array(resized(made, 0, end.number))
    dynamic_axes = (prefix_axis(end, bound),)
    return new_array(ctx, pad_masked(made, dynamic_axes), dynamic_axes)


def _repeated(n: Length, size: int) -> Value:
    return shaping.broadcast(n.value, shape=(size,), dims=())


# ----- Sorting


def _sorted(ctx: Context, a: Abstract, axis: Abstract) -> tuple[PaddedValue, int, Value]:
    """The elements sorted along an axis, valid before masked ones; and their old indices."""
    x = read(ctx, a).packed()
    ndim = x.value.aval.ndim
    if x.value.dtype.kind == "c" or (is_none(axis) and ndim > 1):
        refuse_dynamic(ctx, "sorting complex numbers or several axes")
    i = 0 if is_none(axis) else axis_argument(ctx, axis, ndim)
    indices = shaping.iota(shape=x.value.shape, axis=i, dtype=I64)
    if x.dynamic_axes[i] is None:
        value, indices = emit(sort_p, x.value, indices, axis=i, keys=1)
    else:
        live = shaping.broadcast(x.dynamic_axes[i].valid_mask(), shape=x.value.shape, dims=(i,))
        dead = convert(logic.not_(live), dtype=np.dtype(np.int8))
        _, value, indices = emit(sort_p, dead, x.value, indices, axis=i, keys=2)
    return PaddedValue(value, x.dynamic_axes), i, indices


@for_dynamic_arrays(FUNCTIONS[np.sort])
def _sort(
    ctx: Context, a: Abstract, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    found, _, _ = _sorted(ctx, a, axis)
    return new_array(ctx, pad_masked(found.value, found.dynamic_axes), found.dynamic_axes)


@for_dynamic_arrays(METHODS["array", "sort"])
def _sort_in_place(
    ctx: Context, self: Abstract, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    access.pack_to_prefixes(ctx, self)
    found, _, _ = _sorted(ctx, self, axis)
    access.store(ctx, self, found.value)
    return NONE


@for_dynamic_arrays(FUNCTIONS[np.argsort])
def _argsort(
    ctx: Context, a: Abstract, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    found, _, indices = _sorted(ctx, a, axis)
    return new_array(ctx, pad_masked(indices, found.dynamic_axes), found.dynamic_axes)


@for_dynamic_arrays(FUNCTIONS[np.searchsorted])
def _searchsorted(
    ctx: Context,
    a: Abstract,
    v: Abstract,
    side: Abstract = Static("left"),
    sorter: Abstract = NONE,
) -> Abstract:
    """Search with the masked elements replaced by one that is sorted after all others."""
    if not is_none(sorter) or is_dynamic(ctx, v) or access.bounding_aval(ctx, a).ndim != 1:
        refuse_dynamic(ctx, "`numpy.searchsorted` with a sorter, or for values,")
    x = read(ctx, a).packed()
    (dynamic_axis,) = x.dynamic_axes
    last = constant(_last(x.value.dtype), x.value.dtype, x.value.shape)
    full = ctx.array(logic.select(dynamic_axis.valid_mask(), x.value, last))
    found = ctx.call(Static(np.searchsorted), (full, v), {"side": side})
    return ctx.call(Static(np.minimum), (found, Scalar(dynamic_axis.length.value, True)), {})


def _last(dtype: np.dtype) -> float:
    """The value that is sorted last among values of this dtype."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return np.nan if dtype.kind == "f" else True
