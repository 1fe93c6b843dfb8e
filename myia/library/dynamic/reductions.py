"""Reductions and cumulative operations of dynamic arrays.

    np.sum(x[:i])    ->    %z = select %valid %x 0.0;  %y = reduce_sum %z

The masked elements become the neutral element of the reduction, and the ordinary handler does the
rest. Means and variances divide by the number of valid elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.dynamic_axes import DynamicAxes, fill_masked, pad_masked
from myia.infer.domain.values import FALSE, NONE, Abstract, Scalar, Static, is_none
from myia.infer.dynamic import access
from myia.infer.dynamic.access import PaddedValue, is_dynamic, new_array, read, refuse_dynamic
from myia.infer.operators import comparison, operators
from myia.infer.registry import FUNCTIONS, for_dynamic_arrays
from myia.library.numpy import reductions, statistics
from myia.library.support.arguments import (
    axes_argument,
    axis_argument,
    dtype_argument,
    inexact,
    is_given,
    selects_all,
    static_flag,
    static_value,
)
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

MODULES_EXTENDED = (reductions, statistics)
Axes = tuple[int, ...]


def _least(dtype: np.dtype):
    if dtype.kind == "f":
        return -math.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def _greatest(dtype: np.dtype):
    if dtype.kind == "f":
        return math.inf
    return True if dtype.kind == "b" else np.iinfo(dtype).max


def _only_axes(x: PaddedValue, axes: Axes) -> DynamicAxes:
    """The dynamic axes among `axes`; None for the others."""
    return tuple(e if i in axes else None for i, e in enumerate(x.dynamic_axes))


def _remaining_axes(x: PaddedValue, axes: Axes, keepdims: bool) -> DynamicAxes:
    """The dynamic axes of the result of a reduction."""
    if keepdims:
        return tuple(None if i in axes else e for i, e in enumerate(x.dynamic_axes))
    return tuple(e for i, e in enumerate(x.dynamic_axes) if i not in axes)


def dynamic_reduction(
    handler: Callable, neutral: Callable, empty: str | None = None, *, ordered=False
):
    """`neutral(dtype, options)` fills masked elements; `empty`: the error for no valid element."""

    def rule(
        ctx: Context, a: Abstract, axis: Abstract = NONE, *rest: Abstract, **options: Abstract
    ) -> Abstract:
        if not is_dynamic(ctx, a) or any(is_dynamic(ctx, x) for x in options.values()):
            refuse_dynamic(ctx, "an option")
        _refuse_mask(ctx, options.get("where", NONE))
        x = read(ctx, a)
        x = x.packed() if ordered else x
        ndim = x.value.aval.ndim
        if ordered and is_none(axis) and ndim > 1:
            refuse_dynamic(ctx, "the position of an extremum in several axes")
        axes = axes_argument(ctx, axis, ndim)
        if empty is not None and not is_given(options.get("initial", NONE)):
            _check_not_empty(ctx, x, axes, empty)
        filling = neutral(x.value.dtype, options)
        whole = ctx.array(fill_masked(x.value, _only_axes(x, axes), filling))
        found = handler(ctx, whole, axis, *rest, **options)
        keepdims = static_flag(ctx, options.get("keepdims", FALSE), "keepdims")
        return _with_dynamic_axes(ctx, found, _remaining_axes(x, axes, keepdims))

    for_dynamic_arrays(handler)(rule)


def _refuse_mask(ctx: Context, where: Abstract) -> None:
    if not selects_all(where):
        refuse_dynamic(ctx, "`where=`")


def _with_dynamic_axes(ctx: Context, x: Abstract, dynamic_axes: DynamicAxes) -> Abstract:
    return x if is_number(x) else new_array(ctx, ctx.read(x), dynamic_axes)


def _check_not_empty(ctx: Context, x: PaddedValue, axes: Axes, message: str) -> None:
    for axis in axes:
        dynamic_axis = x.dynamic_axes[axis]
        if dynamic_axis is not None and dynamic_axis.length.lo == 0:
            ctx.check(dynamic_axis.is_empty(), ValueError, message)


def _zero(dtype: np.dtype, options: dict):
    return 0


_NO_IDENTITY = "zero-size array to reduction operation {} which has no identity"
_NO_INDEX = "attempt to get {} of an empty sequence"

dynamic_reduction(FUNCTIONS[np.sum], _zero)
dynamic_reduction(FUNCTIONS[np.prod], lambda dtype, options: 1)
dynamic_reduction(FUNCTIONS[np.any], lambda dtype, options: 0)
dynamic_reduction(FUNCTIONS[np.all], lambda dtype, options: 1)
dynamic_reduction(FUNCTIONS[np.count_nonzero], _zero)
for _function, _word, _neutral in ((np.max, "maximum", _least), (np.min, "minimum", _greatest)):
    dynamic_reduction(
        FUNCTIONS[_function],
        lambda dtype, options, neutral=_neutral: neutral(dtype),
        _NO_IDENTITY.format(_word),
    )
for _function, _neutral in ((np.argmax, _least), (np.argmin, _greatest)):
    dynamic_reduction(
        FUNCTIONS[_function],
        lambda dtype, options, neutral=_neutral: neutral(dtype),
        _NO_INDEX.format(_function.__name__),
        ordered=True,
    )


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
        message = _NO_IDENTITY.format("maximum")
        _check_not_empty(ctx, given, axes, message)
    value = fill_masked(given.value, _only_axes(given, axes), 0)
    found = FUNCTIONS[np.linalg.norm](ctx, ctx.array(value), ord, axis, keepdims)
    return _with_dynamic_axes(
        ctx, found, _remaining_axes(given, axes, static_flag(ctx, keepdims, "keepdims"))
    )


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
    _refuse_mask(ctx, where)
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

# ----- Cumulative operations


def _cumulative_rule(handler: Callable, neutral: int) -> None:
    def rule(ctx: Context, a: Abstract, axis: Abstract = NONE, *rest: Abstract, **options):
        x = read(ctx, a).packed()
        if is_none(axis) and x.value.aval.ndim > 1:
            refuse_dynamic(ctx, "a running fold over several axes")
        i = 0 if is_none(axis) else axis_argument(ctx, axis, x.value.aval.ndim)
        whole = ctx.array(fill_masked(x.value, _only_axes(x, (i,)), neutral))
        found = handler(ctx, whole, Static(i), *rest, **options)
        return new_array(ctx, pad_masked(ctx.read(found), x.dynamic_axes), x.dynamic_axes)

    for_dynamic_arrays(handler)(rule)


_cumulative_rule(FUNCTIONS[np.cumsum], 0)
_cumulative_rule(FUNCTIONS[np.cumprod], 1)
