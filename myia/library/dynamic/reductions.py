"""Norms, means and variances of dynamic arrays: these divide by the number of valid elements."""

from __future__ import annotations

import math

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import FALSE, NONE, Abstract, Scalar, Static
from myia.infer.dynamic import access
from myia.infer.dynamic.access import PaddedValue, read, refuse_dynamic
from myia.infer.operators import comparison, operators
from myia.infer.registry import FUNCTIONS, for_dynamic_arrays
from myia.library.numpy import reductions, statistics
from myia.library.support.arguments import (
    axes_argument,
    dtype_argument,
    inexact,
    selects_all,
    static_flag,
    static_value,
)
from myia.library.support.dynamic_variants import check_not_empty, filled, with_remaining_axes
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

MODULES_EXTENDED = (reductions, statistics)
Axes = tuple[int, ...]


@for_dynamic_arrays(FUNCTIONS[np.ptp])
def _ptp(ctx: Context, a: Abstract, axis: Abstract = NONE, **options: Abstract) -> Abstract:
    ends = [ctx.call(Static(f), (a, axis), options) for f in (np.max, np.min)]
    return operators.binary(ctx, "-", *ends)


# ----- Norms


@for_dynamic_arrays(FUNCTIONS[np.linalg.norm])
def _norm(
    ctx: Context,
    x: Abstract,
    ord: Abstract = NONE,
    axis: Abstract = NONE,
    keepdims: Abstract = FALSE,
) -> Abstract:
    order = static_value(ctx, ord, "the order of a norm")
    given = read(ctx, x)
    ndim = given.value.aval.ndim
    axes = axes_argument(ctx, axis, ndim)
    if (len(axes) > 1 and order not in (None, "fro")) or order == -math.inf:
        refuse_dynamic(ctx, "this norm")
    if order == math.inf:
        message = reductions.NO_IDENTITY.format("maximum")
        check_not_empty(ctx, given, axes, message)
    found = FUNCTIONS[np.linalg.norm](ctx, filled(ctx, given, axes, 0), ord, axis, keepdims)
    return with_remaining_axes(ctx, found, given, axes, static_flag(ctx, keepdims, "keepdims"))


# ----- Means and variances


def _element_count(ctx: Context, x: PaddedValue, axes: Axes) -> Abstract:
    """The number of valid elements that are reduced into one."""
    total: Abstract = Static(1)
    for axis in axes:
        total = operators.binary(ctx, "*", total, x.lengths[axis].abstract())
    return total


def _mean(
    ctx: Context,
    a: Abstract,
    axis: Abstract = NONE,
    dtype: Abstract = NONE,
    *,
    keepdims: Abstract = FALSE,
    where: Abstract = NONE,
) -> Abstract:
    if not selects_all(where):
        refuse_dynamic(ctx, "`where=`")
    wanted = dtype_argument(ctx, dtype) or inexact(access.dtype_of(ctx, a))
    x = read(ctx, a)
    axes = axes_argument(ctx, axis, x.value.aval.ndim)
    options = {"dtype": Static(wanted), "keepdims": keepdims}
    total = ctx.call(Static(np.sum), (a, axis), options)
    return operators.binary(ctx, "/", total, _as_float(ctx, _element_count(ctx, x, axes), wanted))


def _as_float(ctx: Context, n: Abstract, dtype: np.dtype) -> Abstract:
    """A length in the dtype of the sum that it divides: 0/0 is NaN, as in NumPy."""
    real = np.empty(0, dtype).real.dtype
    if isinstance(n, Static):
        return Static(real.type(n.value))
    return Scalar(logic.convert(n.value, dtype=real), False)


for_dynamic_arrays(FUNCTIONS[np.mean])(_mean)


def _variance(
    ctx: Context,
    a: Abstract,
    axis: Abstract = NONE,
    dtype: Abstract = NONE,
    *,
    ddof: Abstract = Static(0),
    keepdims: Abstract = FALSE,
) -> Abstract:
    """The mean of the squared deviations from the mean."""
    wanted = dtype_argument(ctx, dtype) or inexact(access.dtype_of(ctx, a))
    x = read(ctx, a)
    axes = axes_argument(ctx, axis, x.value.aval.ndim)
    mean = _mean(ctx, a, axis, Static(wanted), keepdims=Static(True))
    distance = operators.binary(ctx, "-", a, mean)
    size = ctx.call(Static(np.absolute), (distance,), {})
    squares = ctx.call(Static(np.square), (size,), {})
    total = ctx.call(Static(np.sum), (squares, axis), {"keepdims": keepdims})
    left = operators.binary(ctx, "-", _element_count(ctx, x, axes), ddof)
    zero = comparison.compare(ctx, "<", left, Static(0))
    n = left if isinstance(left, Static) else _not_negative(left, zero)
    return operators.binary(ctx, "/", total, _as_float(ctx, n, wanted))


def _not_negative(n: Scalar, negative: Abstract) -> Abstract:
    if isinstance(negative, Static):
        return n
    zero = constant(0, n.value.dtype)
    return Scalar(logic.select(negative.value, zero, n.value), n.weak)


def _deviation(ctx: Context, *args: Abstract, **options: Abstract) -> Abstract:
    return ctx.call(Static(np.sqrt), (_variance(ctx, *args, **options),), {})


for_dynamic_arrays(FUNCTIONS[np.var])(_variance)
for_dynamic_arrays(FUNCTIONS[np.std])(_deviation)
