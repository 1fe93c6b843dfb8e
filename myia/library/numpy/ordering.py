"""Sorting, searching, and reading at indices."""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, promote
from myia.infer.domain.dynamic_axes import pad_masked
from myia.infer.domain.errors import BadValue
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, SliceValue, Static, is_none
from myia.infer.domain.views import reshape
from myia.infer.dynamic import access
from myia.infer.dynamic.access import PaddedValue, is_dynamic, new_array, read, refuse_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise
from myia.infer.indexing.integer_arrays import checked_indices
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import for_dynamic_arrays, function, is_given, method
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.library.numpy.reductions import operand_and_axis
from myia.library.support.arguments import (
    array,
    axis_argument,
    dtype_of,
    static_value,
    value_of,
)
from myia.library.support.traced import apply_traced
from myia.library.support.value_formulas import is_nan
from myia.primitives.arrays import reductions, shaping, sorting
from myia.primitives.arrays.gather import take_along_axis
from myia.primitives.arrays.sorting import sort_p
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert

LAST = Static(-1)
WHOLE = SliceValue(NONE, NONE, NONE)


# ----- Sorting: stable, whatever `kind` says; NaN last


def _sortable(ctx: Context, a: Abstract, axis: Abstract, name: str) -> tuple[Value, int]:
    whole = array(ctx, a)
    if dtype_of(ctx, whole).kind == "c":
        ctx.fail(UnsupportedFunction, what=f"`{name}` of complex numbers")
    if not ctx.shape(whole) and not is_none(axis):
        ctx.fail(BadValue, message="axis -1 is out of bounds for array of dimension 0")
    x, i = operand_and_axis(ctx, whole, axis)
    return value_of(ctx, x), i


@function(np.sort)
def _sort(
    ctx: Context,
    a: Abstract,
    axis: Abstract = LAST,
    kind: Abstract = NONE,
    *,
    stable: Abstract = NONE,
) -> Abstract:
    value, i = _sortable(ctx, a, axis, "numpy.sort")
    return result_like(ctx, sorting.sort(value, axis=i), a)


@method("array", "sort")
def _sort_in_place(
    ctx: Context,
    self: Ref,
    axis: Abstract = LAST,
    kind: Abstract = NONE,
    *,
    stable: Abstract = NONE,
) -> Abstract:
    i = axis_argument(ctx, axis, len(ctx.shape(self)))
    value, _ = _sortable(ctx, self, Static(i), "sort")
    ctx.store(self, sorting.sort(value, axis=i))
    return NONE


@method("array", "argsort")
@function(np.argsort)
def _argsort(
    ctx: Context,
    a: Abstract,
    axis: Abstract = LAST,
    kind: Abstract = NONE,
    *,
    stable: Abstract = NONE,
) -> Abstract:
    """A stable argsort: equal elements keep their order, as NumPy promises for `stable=True`."""
    value, i = _sortable(ctx, a, axis, "numpy.argsort")
    return result_like(ctx, sorting.argsort(value, axis=i), a)


# ----- Searching


@method("array", "searchsorted")
@function(np.searchsorted)
def _searchsorted(
    ctx: Context,
    a: Abstract,
    v: Abstract,
    side: Abstract = Static("left"),
    sorter: Abstract = NONE,
) -> Abstract:
    """For each of `v` the number of elements of the sorted `a` before it."""
    xs = array(ctx, a), array(ctx, v)
    if is_given(sorter):
        xs = ctx.call(Static(np.take), (xs[0], sorter), {}), xs[1]
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    if dtype.kind == "c":
        ctx.fail(UnsupportedFunction, what="`numpy.searchsorted` of complex numbers")
    elements, wanted = (value_of(ctx, x, dtype) for x in xs)
    of = static_value(ctx, side, "the side")
    if elements.aval.size > MAX_COMPARED_ELEMENTS:
        (counts,) = apply_traced(
            ctx, "numpy.searchsorted", ((None, None),) * 2, [elements, wanted], {"side": of}
        )
        return ctx.array(logic.convert(counts, dtype=np.dtype(np.int64)))
    return ctx.array(_rank_by_comparison(elements, wanted, of == "right"))


MAX_COMPARED_ELEMENTS = 64  # for more elements bisection, which is a loop, is faster


def _rank_by_comparison(elements: Value, wanted: Value, also_equal: bool) -> Value:
    """The ranks, by comparing all pairs."""
    shape = (*wanted.shape, *elements.shape)
    targets = broadcast_to(reshape(wanted, (*wanted.shape, 1)), shape)
    before = _before(broadcast_to(elements, shape), targets, also_equal)
    counts = logic.convert(before, dtype=np.dtype(np.int64))
    return reductions.reduce_sum(counts, axes=(len(shape) - 1,))


def _before(x: Value, y: Value, also_equal: bool) -> Value:
    """True where x is sorted before y; NaN is sorted last."""
    found = (logic.le if also_equal else logic.lt)(x, y)
    if x.dtype.kind != "f":
        return found
    last = is_nan(y) if also_equal else logic.and_(is_nan(y), logic.not_(is_nan(x)))
    return logic.or_(found, last)


# ----- Reading at indices


@function(np.take_along_axis)
def _take_along_axis(
    ctx: Context, arr: Abstract, indices: Abstract, axis: Abstract = LAST
) -> Abstract:
    x, i = operand_and_axis(ctx, array(ctx, arr), axis)
    value, where = value_of(ctx, x), value_of(ctx, array(ctx, indices), np.dtype(np.int64))
    value, where = _broadcast_except(i, value, where)
    if where.aval.size == 0:
        return ctx.array(constant(0, value.dtype, where.shape))
    found = take_along_axis(value, checked_indices(ctx, where, value.shape[i], i), i)
    return ctx.array(found, contiguous=False)


def _broadcast_except(axis: int, *values: Value) -> list[Value]:
    """The values broadcast to one shape, except along this axis."""
    shapes = [(*v.shape[:axis], *v.shape[axis + 1 :]) for v in values]
    rest = np.broadcast_shapes(*shapes)
    return [broadcast_to(v, (*rest[:axis], v.shape[axis], *rest[axis:])) for v in values]


# ----- Dynamic arrays: the valid elements are packed to prefixes first
I64 = np.dtype(np.int64)


def _sorted(ctx: Context, a: Ref, axis: Abstract) -> tuple[PaddedValue, Value]:
    """The elements sorted along an axis, valid before masked ones; and their old indices."""
    x = read(ctx, a).packed()
    ndim = x.value.aval.ndim
    if x.value.dtype.kind == "c" or (is_none(axis) and ndim > 1):
        refuse_dynamic(ctx, "sorting complex numbers or several axes")
    i = 0 if is_none(axis) else axis_argument(ctx, axis, ndim)
    indices = shaping.iota(shape=x.value.shape, axis=i, dtype=I64)
    dynamic_axis = x.dynamic_axes[i]
    if dynamic_axis is None:
        value, indices = emit(sort_p, x.value, indices, axis=i, keys=1)
    else:
        live = shaping.broadcast(dynamic_axis.valid_mask(), shape=x.value.shape, dims=(i,))
        dead = convert(logic.not_(live), dtype=np.dtype(np.int8))
        _, value, indices = emit(sort_p, dead, x.value, indices, axis=i, keys=2)
    return PaddedValue(value, x.dynamic_axes), indices


@for_dynamic_arrays(_sort)
def _sort_dynamic(
    ctx: Context, a: Ref, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    found, _ = _sorted(ctx, a, axis)
    return new_array(ctx, pad_masked(found.value, found.dynamic_axes), found.dynamic_axes)


@for_dynamic_arrays(_sort_in_place)
def _sort_in_place_dynamic(
    ctx: Context, self: Ref, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    access.pack_to_prefixes(ctx, self)
    found, _ = _sorted(ctx, self, axis)
    access.store(ctx, self, found.value)
    return NONE


@for_dynamic_arrays(_argsort)
def _argsort_dynamic(
    ctx: Context, a: Ref, axis: Abstract = LAST, kind: Abstract = NONE, **options: Abstract
) -> Abstract:
    found, indices = _sorted(ctx, a, axis)
    return new_array(ctx, pad_masked(indices, found.dynamic_axes), found.dynamic_axes)


@for_dynamic_arrays(_searchsorted)
def _searchsorted_dynamic(
    ctx: Context,
    a: Abstract,
    v: Abstract,
    side: Abstract = Static("left"),
    sorter: Abstract = NONE,
) -> Abstract:
    """Search with the masked elements replaced by one that is sorted after all others."""
    if isinstance(v, Ref) and is_dynamic(ctx, v):

        def apply(xs: list[Abstract]) -> Abstract:
            return ctx.call(Static(np.searchsorted), (a, xs[0]), {"side": side, "sorter": sorter})

        return apply_elementwise(ctx, [v], apply)
    if not isinstance(a, Ref) or not is_none(sorter) or access.bounding_aval(ctx, a).ndim != 1:
        refuse_dynamic(ctx, "`numpy.searchsorted` with a sorter")
    x = read(ctx, a).packed()
    (dynamic_axis,) = x.dynamic_axes
    assert dynamic_axis is not None
    last = constant(_last(x.value.dtype), x.value.dtype, x.value.shape)
    full = ctx.array(logic.select(dynamic_axis.valid_mask(), x.value, last))
    found = ctx.call(Static(np.searchsorted), (full, v), {"side": side})
    return ctx.call(Static(np.minimum), (found, Scalar(dynamic_axis.length.value, True)), {})


def _last(dtype: np.dtype) -> float:
    """The value that is sorted last among values of this dtype."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return np.nan if dtype.kind == "f" else True
