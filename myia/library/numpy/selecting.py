"""Elementwise functions that are not ufuncs: selection, clipping, rounding."""

from __future__ import annotations

import math

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, promote
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import (
    NONE,
    TRUE,
    Abstract,
    Ref,
    Static,
    Tuple,
    is_none,
    is_static_int,
    is_static_number,
)
from myia.infer.dynamic.access import refuse_dynamic
from myia.infer.indexing.masks import nonzero_indices
from myia.infer.numeric.promotion import broadcast_shapes, operand, operand_dtype
from myia.infer.registry import (
    as_is,
    function,
    is_given,
    method,
)
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.library.support import value_formulas
from myia.library.support.arguments import (
    array,
    boxed,
    cast,
    dtype_of,
    inexact,
    integer,
    numeric,
    static_flag,
    store_out,
    value_of,
)
from myia.library.support.dynamic_variants import dynamic_operand, elementwise
from myia.library.support.traced import TracedFunction, each_own, in_order_of_first
from myia.primitives.pointwise import arithmetic, logic

ZERO = Static(0)


# ----- Selection


@function(np.where, dynamic=elementwise(3))
def _where(ctx: Context, condition: Abstract, *choices: Abstract) -> Abstract:
    """`np.where`: cotangents are selected too, never multiplied by zero."""
    if not choices:
        return ctx.call(Static(np.nonzero), (condition,), {})
    if len(choices) != 2:
        message = "either both or neither of x and y should be given"
        ctx.fail(BadValue, message=message)
    condition, *xs = (numeric(ctx, x) for x in (condition, *choices))
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    shape = broadcast_shapes(ctx, condition, *xs)
    chooser = operand(ctx, condition, Aval(dtype_of(ctx, condition), shape))
    values = (operand(ctx, _wrapped(ctx, x, dtype), Aval(dtype, shape)) for x in xs)
    value = logic.select(value_formulas.truth(chooser), *values)
    return boxed(ctx, result_like(ctx, value, condition, *xs))


def _wrapped(ctx: Context, x: Abstract, dtype: np.dtype) -> Abstract:
    """A Python integer that does not fit wraps, as those of arrays do."""
    of, is_python = operand_dtype(ctx, x)
    if not is_python or of.kind not in "iu" or dtype.kind not in "iu" or of == dtype:
        return x
    if isinstance(x, Static):
        return Static(np.asarray(x.value).astype(dtype)[()])
    return result_like(ctx, convert(value_of(ctx, x), dtype), x)


@method("array", "nonzero")
@function(np.nonzero, dynamic=as_is)
def _nonzero(ctx: Context, a: Abstract) -> Abstract:
    """The indices along each axis, as dynamic arrays."""
    x = dynamic_operand(ctx, a)
    if not isinstance(x, Ref):
        refuse_dynamic(ctx, "`numpy.nonzero` of a number")
    return Tuple(tuple(nonzero_indices(ctx, x)))


@function(np.select)
def _select(
    ctx: Context, condlist: Abstract, choicelist: Abstract, default: Abstract = ZERO
) -> Abstract:
    conditions, choices = ctx.list_items(condlist), ctx.list_items(choicelist)
    given = [numeric(ctx, x) for x in (*choices, default)]
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in given))
    *values, result = (result_like(ctx, convert(value_of(ctx, x), dtype), x) for x in given)
    for condition, value in zip(reversed(conditions), reversed(values)):
        result = _where(ctx, condition, value, result)
    return result


# ----- Clipping


@method("array", "clip")
@method("number", "clip")
@function(np.clip, dynamic=elementwise(3))
def _clip(
    ctx: Context,
    a: Abstract,
    a_min: Abstract = NONE,
    a_max: Abstract = NONE,
    out: Abstract = NONE,
    *,
    min: Abstract = NONE,
    max: Abstract = NONE,
) -> Abstract:
    """minimum(maximum(a, a_min), a_max), in the common dtype of all three."""
    low, high = (a_min if is_given(a_min) else min), (a_max if is_given(a_max) else max)
    given = [numeric(ctx, x) for x in (a, low, high) if not is_none(x)]
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in given))
    if dtype.kind == "c":
        ctx.fail(UnsupportedFunction, what="`numpy.clip` of complex numbers")
    aval = Aval(dtype, broadcast_shapes(ctx, *given))
    value = operand(ctx, given[0], aval)
    if not (is_none(low) or _is_outside_range(low, dtype, -1)):
        value = arithmetic.max(value, operand(ctx, given[1], aval))
    if not (is_none(high) or _is_outside_range(high, dtype, 1)):
        value = arithmetic.min(value, operand(ctx, given[-1], aval))
    return store_out(ctx, result_like(ctx, value, *given), out)


def _is_outside_range(bound: Abstract, dtype: np.dtype, side: int) -> bool:
    """True for a Python integer outside of the range of `dtype`: it is no bound."""
    if not is_static_int(bound) or dtype.kind not in "iu":
        return False
    info = np.iinfo(dtype)
    return bound.value < info.min if side < 0 else bound.value > info.max


_FINITE = TracedFunction(
    np.nan_to_num,
    "numpy.nan_to_num",
    ("x", "?nan", "?posinf", "?neginf"),
    each_own,
    result=in_order_of_first,
)


@function(np.nan_to_num, dynamic=elementwise(1))
def _nan_to_num(
    ctx: Context, x: Abstract, copy: Abstract = TRUE, *fills: Abstract, **options: Abstract
) -> Abstract:
    original = array(ctx, x)
    in_place = not static_flag(ctx, copy, "copy") and ctx.is_array(original)
    result = _FINITE(ctx, original, TRUE, *fills, **options)
    return store_out(ctx, result, original if in_place else NONE)


# ----- Rounding


@method("array", "round")
@method("number", "round")
@function(np.round, np.around, dynamic=elementwise(1))
def _round(ctx: Context, a: Abstract, decimals: Abstract = ZERO, out: Abstract = NONE) -> Abstract:
    x = array(ctx, a)
    digits = integer(ctx, decimals, "the number of decimals")
    if is_static_number(x):
        return Static(np.round(x.value, digits))
    dtype = dtype_of(ctx, x)
    if dtype.kind in "biu":
        if digits and dtype.kind == "b":
            ctx.fail(BadType, message="Cannot cast ufunc 'multiply' output to dtype('bool')")
        if digits < 0:
            return store_out(ctx, result_like(ctx, _round_integers(ctx, x, digits), x), out)
        dtype = np.dtype(np.float16) if dtype.kind == "b" else dtype
        return store_out(ctx, cast(ctx, x, dtype), out)
    value = value_formulas.round_to(value_of(ctx, x), digits)
    return store_out(ctx, result_like(ctx, value, x), out)


def _round_integers(ctx: Context, x: Abstract, digits: int) -> Value:
    """To tens, or hundreds: by a quotient of doubles, as in NumPy. What does not fit wraps."""
    dtype = dtype_of(ctx, x)
    value = value_formulas.round_to(value_of(ctx, x, np.dtype(np.float64)), digits)
    return convert(value if dtype.itemsize == 8 else convert(value, np.dtype(np.int64)), dtype)


# ----- Functions of one array


@function(np.sinc, dynamic=elementwise(1))
def _sinc(ctx: Context, x: Abstract) -> Abstract:
    """sin(πx) / πx, with a tiny number in place of 0, as in NumPy."""
    operand_ = array(ctx, x)
    value = value_of(ctx, operand_, inexact(dtype_of(ctx, operand_))) * math.pi
    return result_like(ctx, value_formulas.sin_over_x(value), operand_)
