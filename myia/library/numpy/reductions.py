"""Reductions along axes: sums, products, quantifiers, extrema; cumulative sums and products.

A reduction computes in NumPy's dtype: the operand is converted before it, not the result after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.errors import BadValue, Unsupported
from myia.infer.domain.memory_order import ravel, result_like
from myia.infer.domain.values import FALSE, NONE, TRUE, Abstract, Ref, Static, is_none
from myia.infer.domain.views import reshape
from myia.infer.registry import Variant, function, method
from myia.ir.core import Value
from myia.library.support.arguments import (
    array,
    axis_argument,
    dtype_argument,
    dtype_of,
    element_of,
    is_given,
    mask_argument,
    reduction_axes,
    selects_all,
    static_flag,
    store_out,
    sum_dtype,
    value_of,
)
from myia.library.support.dynamic_variants import accumulated_with, masked_with
from myia.library.support.value_formulas import truth
from myia.primitives.arrays import cumulative, reductions, sorting
from myia.primitives.core.define import CallablePrimitive
from myia.primitives.pointwise import arithmetic, logic

Shape = tuple[int, ...]


def keep_reduced_axes(value: Value, shape: Shape, axes: Shape) -> Value:
    """`keepdims=True`: the result of a reduction with the reduced axes at length 1."""
    return reshape(value, tuple(1 if i in axes else n for i, n in enumerate(shape)))


def reduce_along(
    ctx: Context,
    x: Abstract,
    axes: Shape,
    keepdims: Abstract,
    dtype: np.dtype,
    reduce: Callable[[Value, Shape], Value],
) -> Abstract:
    """`reduce(value, axes)` of `x` converted to `dtype`."""
    value = reduce(value_of(ctx, x, dtype), axes)
    value = (
        keep_reduced_axes(value, ctx.shape(x), axes)
        if static_flag(ctx, keepdims, "keepdims")
        else value
    )
    return result_like(ctx, value, x)


def _reducer(primitive: CallablePrimitive) -> Callable[[Value, Shape], Value]:
    """A reducing primitive, which is the identity for no axes."""
    return lambda x, axes: primitive(x, axes=axes) if axes else x


def _masked_operand(
    ctx: Context, x: Abstract, where: Abstract, dtype: np.dtype, neutral: float
) -> Abstract:
    """`x` in `dtype`, with `neutral` in place of the elements that `where` masks."""
    mask = mask_argument(ctx, where, ctx.shape(x))
    if mask is None:
        return x
    return result_like(ctx, logic.select(mask, value_of(ctx, x, dtype), neutral), x)


def _with_initial(
    ctx: Context, reduced: Abstract, initial: Abstract, combine: Callable
) -> Abstract:
    """The result combined with `initial`, the start value of the reduction."""
    if not is_given(initial):
        return reduced
    value = value_of(ctx, reduced)
    start = element_of(ctx, initial, value.dtype)
    if start.shape:
        ctx.fail(BadValue, message="`initial` must be a number")
    return result_like(ctx, combine(value, broadcast_to(start, value.shape)), reduced)


def operand_and_axis(ctx: Context, x: Abstract, axis: Abstract) -> tuple[Abstract, int]:
    """The operand and the axis; without an axis the flattened operand and 0."""
    if is_none(axis) or (not ctx.shape(x) and axis_argument(ctx, axis, 1) == 0):
        return _flat(ctx, x), 0
    return x, axis_argument(ctx, axis, len(ctx.shape(x)))


def _flat(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Ref):
        return ravel(ctx, x)
    return ctx.array(reshape(value_of(ctx, x), (1,)))


# ----- Sums and products


def _fold_handler(
    name: str, primitive: CallablePrimitive, combine: Callable[..., Value], neutral: int
) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
        keepdims: Abstract = FALSE,
        initial: Abstract = NONE,
        where: Abstract = TRUE,
    ) -> Abstract:
        x = array(ctx, a)
        wanted = dtype_argument(ctx, dtype) or sum_dtype(dtype_of(ctx, x))
        if wanted.kind == "b":
            ctx.fail(Unsupported, what=f"`dtype=bool` of `numpy.{name}`")
        x = _masked_operand(ctx, x, where, wanted, neutral)
        axes = reduction_axes(ctx, axis, len(ctx.shape(x)))
        folded = reduce_along(ctx, x, axes, keepdims, wanted, _reducer(primitive))
        return store_out(ctx, _with_initial(ctx, folded, initial, combine), out)

    return handler


def _cumulative_handler(
    name: str, primitive: CallablePrimitive, default_axis: Abstract = NONE
) -> Callable[..., Abstract]:
    """Sums are computed in a wide dtype; an extremum keeps that of its operand."""
    is_extremum = primitive in (sorting.cummax, sorting.cummin)

    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = default_axis,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
    ) -> Abstract:
        x = array(ctx, a)
        if is_extremum:
            i, wanted = axis_argument(ctx, axis, len(ctx.shape(x))), dtype_of(ctx, x)
        else:
            x, i = operand_and_axis(ctx, x, axis)
            wanted = sum_dtype(dtype_of(ctx, x))
        wanted = dtype_argument(ctx, dtype) or wanted
        if wanted.kind == "b" or (is_extremum and wanted.kind == "c"):
            ctx.fail(Unsupported, what=f"`numpy.{name}` of {wanted}")
        value = primitive(value_of(ctx, x, wanted), axis=i, reverse=False)
        return store_out(ctx, result_like(ctx, value, x), out)

    return handler


def _both_spellings(numpy: Callable, handler: Callable, dynamic: Variant) -> None:
    """Register a function that is a method too, of arrays and of NumPy's scalars."""
    function(numpy, dynamic=dynamic)(handler)
    for kind in ("array", "number"):
        method(kind, numpy.__name__)(handler)


_both_spellings(
    np.sum, _fold_handler("sum", reductions.reduce_sum, arithmetic.add, 0), masked_with(0)
)
_both_spellings(
    np.prod, _fold_handler("prod", reductions.reduce_prod, arithmetic.mul, 1), masked_with(1)
)
_both_spellings(np.cumsum, _cumulative_handler("cumsum", cumulative.cumsum), accumulated_with(0))
_both_spellings(np.cumprod, _cumulative_handler("cumprod", cumulative.cumprod), accumulated_with(1))

for _ufunc, _primitive in {np.maximum: sorting.cummax, np.minimum: sorting.cummin}.items():
    _name = f"{_ufunc.__name__}.accumulate"
    function(_ufunc.accumulate)(_cumulative_handler(_name, _primitive, Static(0)))

# ----- Truth


def _quantifier(primitive: CallablePrimitive, neutral: bool) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        out: Abstract = NONE,
        keepdims: Abstract = FALSE,
        *,
        where: Abstract = TRUE,
    ) -> Abstract:
        x = array(ctx, a)
        x = _masked_operand(ctx, x, where, dtype_of(ctx, x), neutral)

        def reduce(value: Value, axes: Shape) -> Value:
            return _reducer(primitive)(truth(value), axes)

        axes = reduction_axes(ctx, axis, len(ctx.shape(x)))
        return store_out(ctx, reduce_along(ctx, x, axes, keepdims, dtype_of(ctx, x), reduce), out)

    return handler


_both_spellings(np.all, _quantifier(reductions.reduce_and, True), masked_with(1))
_both_spellings(np.any, _quantifier(reductions.reduce_or, False), masked_with(0))


# ----- Extrema


def _ordered(ctx: Context, x: Abstract, name: str) -> np.dtype:
    dtype = dtype_of(ctx, x)
    if dtype.kind == "c":
        ctx.fail(Unsupported, what=f"`numpy.{name}` of complex numbers")
    return dtype


NO_IDENTITY = "zero-size array to reduction operation {} which has no identity"


def _extremum_handler(
    name: str,
    word: str,
    primitive: CallablePrimitive,
    combine: Callable[..., Value],
    neutral: Callable,
) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        out: Abstract = NONE,
        keepdims: Abstract = FALSE,
        initial: Abstract = NONE,
        where: Abstract = TRUE,
    ) -> Abstract:
        x = array(ctx, a)
        dtype, shape = _ordered(ctx, x, name), ctx.shape(x)
        axes = reduction_axes(ctx, axis, len(shape))
        if not is_given(initial):
            _check_identity(ctx, word, where, math.prod(shape[i] for i in axes))
        x = _masked_operand(ctx, x, where, dtype, neutral(dtype))
        found = reduce_along(ctx, x, axes, keepdims, dtype, _reducer(primitive))
        return store_out(ctx, _with_initial(ctx, found, initial, combine), out)

    return handler


def _check_identity(ctx: Context, word: str, where: Abstract, count: int) -> None:
    """Refuse an empty reduction of a function without neutral element and initial value."""
    if not selects_all(where):
        message = f"reduction operation '{word}' does not have an identity, so to use a where mask "
        ctx.fail(BadValue, message=f"{message}one has to specify 'initial'")
    if count == 0:
        ctx.fail(BadValue, message=NO_IDENTITY.format(word))


_max = _extremum_handler("max", "maximum", reductions.reduce_max, arithmetic.max, reductions.least)
_min = _extremum_handler(
    "min", "minimum", reductions.reduce_min, arithmetic.min, reductions.greatest
)
function(np.amax)(_max)
function(np.amin)(_min)
_both_spellings(np.max, _max, masked_with(reductions.least, NO_IDENTITY.format("maximum")))
_both_spellings(np.min, _min, masked_with(reductions.greatest, NO_IDENTITY.format("minimum")))


NO_INDEX = "attempt to get {} of an empty sequence"


def _arg_extremum_handler(name: str, primitive: CallablePrimitive) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        out: Abstract = NONE,
        *,
        keepdims: Abstract = FALSE,
    ) -> Abstract:
        whole = array(ctx, a)
        _ordered(ctx, whole, name)
        x, i = operand_and_axis(ctx, whole, axis)
        if ctx.shape(x)[i] == 0:
            ctx.fail(BadValue, message=NO_INDEX.format(name))
        value = primitive(value_of(ctx, x), axis=i)
        if static_flag(ctx, keepdims, "keepdims"):
            shape = ctx.shape(whole)
            axes = tuple(range(len(shape))) if is_none(axis) else (i,)
            value = keep_reduced_axes(value, shape, axes)
        return store_out(ctx, ctx.array(value), out)

    return handler


for _name, _neutral in {"argmax": reductions.least, "argmin": reductions.greatest}.items():
    _both_spellings(
        getattr(np, _name),
        _arg_extremum_handler(_name, getattr(reductions, _name)),
        masked_with(_neutral, NO_INDEX.format(_name), ordered=True),
    )
