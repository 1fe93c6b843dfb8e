"""Methods of ufuncs: `np.add.reduce`, `np.maximum.accumulate`, `np.subtract.outer`, `np.add.at`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.errors import BadType, BadValue, Unsupported
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import FALSE, NONE, Abstract, Static
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing.indexing import getitem, setitem
from myia.infer.registry import function
from myia.library.numpy.arrays.shaping import view_with_shape
from myia.library.support.arguments import (
    array,
    axis_argument,
    broadcasts_to,
    cast,
    dtype_of,
    numeric,
    refuse_options,
    store_out,
    value_of,
)
from myia.primitives.arrays import shaping, sorting
from myia.primitives.arrays.gather import index_dims, scatter_add
from myia.primitives.pointwise import arithmetic

ZERO = Static(0)

# ----- reduce


def _reducing(whole: Callable):
    def handler(
        ctx: Context,
        array: Abstract,
        axis: Abstract = ZERO,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
        keepdims: Abstract = FALSE,
        **options: Abstract,
    ) -> Abstract:
        named = {"axis": axis, "out": out, "keepdims": keepdims, **options}
        if not (isinstance(dtype, Static) and dtype.value is None):
            named["dtype"] = dtype
        return ctx.call(Static(whole), (array,), named)

    return handler


for _ufunc, _whole in {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}.items():
    function(_ufunc.reduce)(_reducing(_whole))

# ----- accumulate


def _accumulating(whole: Callable):
    def handler(
        ctx: Context,
        array: Abstract,
        axis: Abstract = ZERO,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
    ) -> Abstract:
        return ctx.call(Static(whole), (array,), {"axis": axis, "dtype": dtype, "out": out})

    return handler


function(np.add.accumulate)(_accumulating(np.cumsum))
function(np.multiply.accumulate)(_accumulating(np.cumprod))


def _running(name: str, primitive):
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = ZERO,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
    ) -> Abstract:
        refuse_options(ctx, f"numpy.{name}.accumulate", {"dtype": dtype})
        x = array(ctx, a)
        if dtype_of(ctx, x).kind not in "iuf":
            ctx.fail(Unsupported, what=f"`numpy.{name}.accumulate` of {dtype_of(ctx, x)}")
        i = axis_argument(ctx, axis, len(ctx.shape(x)))
        found = result_like(ctx, primitive(value_of(ctx, x), axis=i, reverse=False), x)
        return store_out(ctx, found, out)

    return handler


function(np.maximum.accumulate)(_running("maximum", sorting.cummax))
function(np.minimum.accumulate)(_running("minimum", sorting.cummin))

# ----- outer


def _outer(ufunc: np.ufunc):
    def handler(ctx: Context, A: Abstract, B: Abstract, **options: Abstract) -> Abstract:
        a, b = array(ctx, A), array(ctx, B)
        left = view_with_shape(ctx, a, (*ctx.shape(a), *[1] * len(ctx.shape(b))))
        return ctx.call(Static(ufunc), (left, b), options)

    return handler


for _ufunc in (
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.fmod, np.power,
    np.float_power, np.maximum, np.minimum, np.fmax, np.fmin, np.arctan2, np.hypot, np.copysign,
    np.logaddexp, np.logaddexp2, np.heaviside, np.nextafter, np.ldexp, np.gcd, np.lcm,
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.left_shift, np.right_shift,
):  # fmt: skip
    function(_ufunc.outer)(_outer(_ufunc))


# ----- at


def _adding_at(ufunc: np.ufunc):
    """`np.add.at(a, indices, b)`: a repeated index adds repeatedly."""
    name = ufunc.__name__

    def handler(ctx: Context, a: Abstract, indices: Abstract, b: Abstract = NONE) -> Abstract:
        if not ctx.is_array(a):
            ctx.fail(BadType, message="first operand must be array")
        dtype, shape = dtype_of(ctx, a), ctx.shape(a)
        places = getitem(ctx, _flat_indices(ctx, shape), indices)
        added = numeric(ctx, b)
        if dtype.kind == "b" or not np.can_cast(dtype_of(ctx, added), dtype, "same_kind"):
            message = f"Cannot cast ufunc '{name}' output to {dtype} with casting 'same_kind'"
            ctx.fail(BadType, message=message)
        if is_dynamic(ctx, places):  # by a mask: no element is named twice
            setitem(ctx, a, indices, ctx.call(Static(ufunc), (getitem(ctx, a, indices), b), {}))
            return NONE
        where = value_of(ctx, places)
        if not broadcasts_to(ctx.shape(added), where.shape):
            message = f"array is not broadcastable to correct shape {where.shape}"
            ctx.fail(BadValue, message=message)
        if not where.aval.size:
            return NONE
        value = broadcast_to(value_of(ctx, cast(ctx, added, dtype)), where.shape)
        value = arithmetic.neg(value) if ufunc is np.subtract else value
        flat = ctx.reshape(ctx.read(a), (math.prod(shape),))
        n = where.aval.size
        total = scatter_add(
            flat,
            ctx.reshape(where, (n, 1)),
            ctx.reshape(value, (n,)),
            dims=index_dims((), (0,), (0,)),
            mode="clip",
        )
        ctx.store(a, ctx.reshape(total, shape))
        return NONE

    return handler


def _flat_indices(ctx: Context, shape: tuple[int, ...]) -> Abstract:
    """An array of this shape that holds the flat index of each element."""
    count = shaping.iota(shape=(math.prod(shape),), axis=0, dtype=np.dtype(np.int64))
    return ctx.array(ctx.reshape(count, shape))


function(np.add.at)(_adding_at(np.add))
function(np.subtract.at)(_adding_at(np.subtract))
