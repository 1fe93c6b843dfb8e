"""Means, variances, medians and norms."""

from __future__ import annotations

import math

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.errors import BadType, BadValue, Unsupported
from myia.infer.domain.memory_order import ravel, result_like
from myia.infer.domain.values import FALSE, NONE, TRUE, Abstract, Ref, Static, Tuple, is_none
from myia.infer.domain.views import reshape
from myia.infer.operators import operators
from myia.infer.registry import function, method
from myia.ir.core import Value
from myia.library.numpy.reductions import keep_reduced_axes, reduce_along
from myia.library.support.arguments import (
    array,
    axes_argument,
    cast,
    dtype_argument,
    dtype_of,
    inexact,
    is_given,
    mask_argument,
    static_flag,
    static_value,
    store_out,
    value_of,
)
from myia.library.support.traced import traced_values
from myia.library.support.value_formulas import is_nan, safe_sqrt, truth
from myia.primitives.arrays import reductions, shaping, sorting
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.pointwise.logic import convert

Shape = tuple[int, ...]
ZERO = Static(0)


def _sum(x: Value, axes: Shape) -> Value:
    return reductions.reduce_sum(x, axes=axes) if axes else x


def _count(shape: Shape, axes: Shape) -> int:
    return math.prod(shape[i] for i in axes)


def _divide_by_count(x: Value, n: Value | float) -> Value:
    """`x / n`, where `n` is one number, or one for each element of `x`."""
    return arithmetic.div(x, n if isinstance(n, Value) else constant(n, x.dtype, x.shape))


def _zero_unselected(x: Value, mask: Value | None) -> Value:
    """`x` with 0 for the masked elements."""
    return x if mask is None else logic.select(mask, x, 0)


def _element_count(shape: Shape, axes: Shape, mask: Value | None, dtype: np.dtype) -> Value | float:
    """The number of elements that the mask selects."""
    return _count(shape, axes) if mask is None else _sum(convert(mask, dtype=dtype), axes)


# ----- Means


def _mean_value(x: Value, axes: Shape, mask: Value | None) -> Value:
    """The mean; half precision is summed in single precision, as in NumPy."""
    wide = convert(x, dtype=np.float32) if x.dtype == np.float16 else x
    mean = _divide_by_count(
        _sum(_zero_unselected(wide, mask), axes), _element_count(x.shape, axes, mask, wide.dtype)
    )
    return convert(mean, dtype=x.dtype)


@method("array", "mean")
@method("number", "mean")
@function(np.mean)
def _mean(
    ctx: Context,
    a: Abstract,
    axis: Abstract = NONE,
    dtype: Abstract = NONE,
    out: Abstract = NONE,
    keepdims: Abstract = FALSE,
    *,
    where: Abstract = TRUE,
) -> Abstract:
    x = array(ctx, a)
    wanted = _inexact_argument(ctx, dtype, x, "mean")
    mask = mask_argument(ctx, where, ctx.shape(x))
    axes = axes_argument(ctx, axis, len(ctx.shape(x)))

    def reduce(value: Value, axes: Shape) -> Value:
        return _mean_value(value, axes, mask)

    return store_out(ctx, reduce_along(ctx, x, axes, keepdims, wanted, reduce), out)


def _inexact_argument(ctx: Context, dtype: Abstract, x: Abstract, name: str) -> np.dtype:
    wanted = dtype_argument(ctx, dtype) or inexact(dtype_of(ctx, x))
    if wanted.kind in "biu":
        ctx.fail(Unsupported, what=f"`dtype={wanted}` of `numpy.{name}`")
    return wanted


@function(np.average)
def _average(
    ctx: Context,
    a: Abstract,
    axis: Abstract = NONE,
    weights: Abstract = NONE,
    returned: Abstract = FALSE,
    *,
    keepdims: Abstract = FALSE,
) -> Abstract:
    x = array(ctx, a)
    axes = axes_argument(ctx, axis, len(ctx.shape(x)))
    if is_none(weights):
        mean = _mean(ctx, x, axis, keepdims=keepdims)
        count = Static(dtype_of(ctx, mean).type(_count(ctx.shape(x), axes)))
        return _with_weights(ctx, mean, count, returned)
    w = array(ctx, weights)
    if ctx.shape(w) != ctx.shape(x):
        w = _weights_along(ctx, w, x, axis)
    dtype = np.result_type(inexact(dtype_of(ctx, x)), dtype_of(ctx, w))
    total = reduce_along(ctx, w, axes, keepdims, dtype, _sum)
    none = ctx.any(logic.not_(truth(value_of(ctx, total))))
    ctx.check(none, ZeroDivisionError, "Weights sum to zero, can't be normalized")
    weighted = operators.binary(ctx, "*", cast(ctx, x, dtype), cast(ctx, w, dtype))
    mean = operators.binary(
        ctx, "/", reduce_along(ctx, weighted, axes, keepdims, dtype, _sum), total
    )
    return _with_weights(ctx, mean, total, returned)


def _with_weights(ctx: Context, mean: Abstract, total: Abstract, returned: Abstract) -> Abstract:
    """The mean; with `returned=True` also the sum of the weights."""
    if not static_flag(ctx, returned, "returned"):
        return mean
    spread = broadcast_to(value_of(ctx, total), ctx.shape(mean))
    return Tuple((mean, result_like(ctx, spread, mean)))


def _weights_along(ctx: Context, w: Abstract, x: Abstract, axis: Abstract) -> Abstract:
    """Weights of one axis, repeated along the others."""
    shape = ctx.shape(x)
    if is_none(axis):
        ctx.fail(BadType, message="Axis must be specified when shapes of a and weights differ.")
    axes = axes_argument(ctx, axis, len(shape))
    if ctx.shape(w) != tuple(shape[i] for i in axes) or list(axes) != sorted(axes):
        message = "Shape of weights must be consistent with shape of a along specified axis."
        ctx.fail(BadValue, message=message)
    return ctx.array(shaping.broadcast(value_of(ctx, w), shape=shape, dims=axes))


# ----- Variances


def _variance(
    x: Value, axes: Shape, ddof: float, mask: Value | None = None, mean: Value | None = None
) -> Value:
    """The mean squared deviation from `mean`, which may be given, with axes of length 1."""
    if mean is None:
        mean = _divide_by_count(
            _sum(_zero_unselected(x, mask), axes), _element_count(x.shape, axes, mask, x.dtype)
        )
        mean = keep_reduced_axes(mean, x.shape, axes)
    total = _sum(_zero_unselected(_square_size(x - broadcast_to(mean, x.shape)), mask), axes)
    n = _element_count(x.shape, axes, mask, total.dtype)
    if isinstance(n, Value):
        return _divide_by_count(total, arithmetic.max(n - ddof, zeros(n.aval)))
    return _divide_by_count(total, max(n - ddof, 0))


def _square_size(x: Value) -> Value:
    """|x|²"""
    if x.dtype.kind != "c":
        return arithmetic.square(x)
    return arithmetic.square(transcendental.real(x)) + arithmetic.square(transcendental.imag(x))


def _spread(name: str, finish):
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
        ddof: Abstract = ZERO,
        keepdims: Abstract = FALSE,
        *,
        where: Abstract = TRUE,
        mean: Abstract = NONE,
        correction: Abstract = NONE,
    ) -> Abstract:
        x = array(ctx, a)
        wanted = _inexact_argument(ctx, dtype, x, name)
        mask = mask_argument(ctx, where, ctx.shape(x))
        less = static_value(ctx, ddof if not is_given(correction) else correction, "ddof")
        if is_given(correction) and static_value(ctx, ddof, "ddof") != 0:
            message = "ddof and correction can't be provided simultaneously."
            ctx.fail(BadValue, message=message)
        known = value_of(ctx, array(ctx, mean), wanted) if is_given(mean) else None

        def reduce(value: Value, axes: Shape) -> Value:
            return finish(_variance(value, axes, less, mask, known))

        axes = axes_argument(ctx, axis, len(ctx.shape(x)))
        return store_out(ctx, reduce_along(ctx, x, axes, keepdims, wanted, reduce), out)

    return handler


for _numpy, _finish in {np.var: lambda x: x, np.std: transcendental.sqrt}.items():
    _handler = _spread(_numpy.__name__, _finish)
    function(_numpy)(_handler)
    for _kind in ("array", "number"):
        method(_kind, _numpy.__name__)(_handler)

# ----- Medians


def _median_value(x: Value, axes: Shape) -> Value:
    """The mean of the one or two middle elements; NaN if there is a NaN, which is sorted last."""
    kept = tuple(i for i in range(x.aval.ndim) if i not in axes)
    n = _count(x.shape, axes)
    rows = shaping.transpose(x, permutation=(*kept, *axes))
    shape = tuple(x.shape[i] for i in kept)
    rows = sorting.sort(reshape(rows, (*shape, n)), axis=len(shape))
    last = _columns(rows, n - 1, n)
    middle = _divide_by_count(
        _sum(_columns(rows, (n - 1) // 2, n // 2 + 1), (len(shape),)), 2 - n % 2
    )
    last = reshape(last, shape)
    return logic.select(is_nan(last), last, middle)


def _columns(x: Value, start: int, stop: int) -> Value:
    """`x[..., start:stop]`"""
    low = (0,) * (x.aval.ndim - 1)
    stride = (1,) * x.aval.ndim
    return shaping.slice(x, start=(*low, start), limit=(*x.shape[:-1], stop), stride=stride)


@function(np.median)
def _median(
    ctx: Context,
    a: Abstract,
    axis: Abstract = NONE,
    out: Abstract = NONE,
    overwrite_input: Abstract = FALSE,
    keepdims: Abstract = FALSE,
) -> Abstract:
    x = array(ctx, a)
    dtype, shape = inexact(dtype_of(ctx, x)), ctx.shape(x)
    axes = axes_argument(ctx, axis, len(shape))
    if dtype.kind == "c" or _count(shape, axes) == 0:
        ctx.fail(Unsupported, what="`numpy.median` of complex numbers or of no numbers")
    return store_out(ctx, reduce_along(ctx, x, axes, keepdims, dtype, _median_value), out)


# ----- Norms


def _vector_norm(x: Value, axes: Shape, order) -> Value:
    """The norm of vectors; the derivative of the 2-norm at 0 is defined as 0."""
    if order in (None, 2, "fro"):
        return safe_sqrt(_sum(_square_size(x), axes))
    size = arithmetic.abs(x)
    if order == math.inf:
        return reductions.reduce_max(size, axes=axes)
    if order == -math.inf:
        return reductions.reduce_min(size, axes=axes)
    if order == 0:
        return _sum(convert(truth(x), dtype=size.dtype), axes)
    if order == 1:
        return _sum(size, axes)
    exponent = constant(order, size.dtype, size.shape)
    total = _sum(arithmetic.pow(size, exponent), axes)
    return arithmetic.pow(total, constant(1 / order, total.dtype, total.shape))


def _matrix_norm(x: Value, axes: Shape, order) -> Value:
    """The largest (or smallest) sum of absolute values of a column, or of a row."""
    rows, columns = axes
    summed, chosen = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = keep_reduced_axes(_sum(arithmetic.abs(x), (summed,)), x.shape, (summed,))
    choose = reductions.reduce_max if order > 0 else reductions.reduce_min
    found = choose(sums, axes=(chosen,))
    return reshape(found, tuple(n for i, n in enumerate(x.shape) if i not in axes))


_SINGULAR = {2: reductions.reduce_max, -2: reductions.reduce_min, "nuc": reductions.reduce_sum}


def _singular_norm(x: Value, axes: Shape, order) -> Value:
    """The largest or smallest singular value, or their sum."""
    last = tuple(i for i in range(x.aval.ndim) if i not in axes)
    values = traced_values("numpy.linalg.svdvals")(shaping.transpose(x, permutation=(*last, *axes)))
    return _SINGULAR[order](values, axes=(len(last),))


@function(np.linalg.norm)
def _norm(
    ctx: Context,
    x: Abstract,
    ord: Abstract = NONE,
    axis: Abstract = NONE,
    keepdims: Abstract = FALSE,
) -> Abstract:
    x = array(ctx, x)
    order = static_value(ctx, ord, "the order of a norm")
    if is_none(axis) and order is None and isinstance(x, Ref) and not _keeps_dims(ctx, keepdims):
        x = ravel(ctx, x)
    ndim = len(ctx.shape(x))
    axes = axes_argument(ctx, axis, ndim)
    if is_none(axis) and order is not None and ndim not in (1, 2):
        ctx.fail(BadValue, message="Improper number of dimensions to norm.")
    if order is None and is_none(axis):
        reduce = _vector_norm
    elif len(axes) == 1:
        if isinstance(order, str):
            ctx.fail(BadValue, message=f"Invalid norm order '{order}' for vectors")
        reduce = _vector_norm
    elif len(axes) == 2:
        reduce = _norm_of_matrices(ctx, order)
    else:
        ctx.fail(BadValue, message="Improper number of dimensions to norm.")
    dtype = inexact(dtype_of(ctx, x))
    return reduce_along(ctx, x, axes, keepdims, dtype, lambda v, axes: reduce(v, axes, order))


def _keeps_dims(ctx: Context, keepdims: Abstract) -> bool:
    return static_flag(ctx, keepdims, "keepdims")


def _norm_of_matrices(ctx: Context, order):
    if order in (None, "fro", "f"):
        return lambda x, axes, order: _vector_norm(x, axes, None)
    if order in (1, -1, math.inf, -math.inf):
        return _matrix_norm
    if order in _SINGULAR:
        return _singular_norm
    ctx.fail(Unsupported, what=f"the norm of order {order!r} of a matrix")
