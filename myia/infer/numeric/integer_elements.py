"""A number as an element of an integer array: NumPy converts it as Python's `int` does.

    a[0] = x    ->    checks that x is no NaN and that int(x) fits;  %y = convert %x

So it is where a single number meets an element: in stores, in lists, in `np.int8(x)`. Arrays are
cast without a check, and so are the floats of `np.full` and `np.copyto`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, convert, is_number, is_weak, kind_of
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.values import Abstract, Scalar, Static
from myia.ir.core import Value
from myia.primitives.pointwise import logic, transcendental

F64 = np.dtype(np.float64)
NAN = "cannot convert float NaN to integer"
INFINITY = "cannot convert float infinity to integer"


def element(ctx: Context, x: Abstract, dtype: np.dtype) -> Abstract:
    """What becomes an element of an array of `dtype`: an integer for a float, if that has integers.

    A Python number must fit. A NumPy number must fit into signed integers only (the unsigned ones
    take its last bits), an array without dimensions never: NumPy casts these.
    """
    if is_number(x) and is_weak(x) and kind_of(x) == "c" and dtype.kind in "iuf":
        ctx.fail(BadType, message=f"{dtype.name} of a complex number: a real number is needed")
    if dtype.kind not in "iu" or not is_number(x) or kind_of(x) not in "iuf":
        return x
    is_array = isinstance(x, Scalar) and x.boxed
    if not is_weak(x) and (dtype.kind == "u" or is_array):
        return x
    if kind_of(x) in "iu":
        _check_element_fits(ctx, x, dtype)
        return x
    if isinstance(x, Static):
        return Static(static_element(ctx, x.value, dtype))
    return Scalar(_integer(ctx, x.value, dtype), weak=False)


def is_python_float(x: Abstract) -> bool:
    return is_number(x) and is_weak(x) and kind_of(x) == "f"


def static_element(ctx: Context, x: Any, dtype: np.dtype) -> np.generic:
    """A number as NumPy stores it into an array of `dtype`."""
    cell = np.zeros(1, dtype)
    try:
        cell[0] = x
    except (ValueError, OverflowError) as e:
        ctx.fail(BadValue, message=str(e), exception=type(e).__name__)
    return cell[0]


def _integer(ctx: Context, x: Value, dtype: np.dtype) -> Value:
    """`int(x)` as `dtype`, with run-time checks that it exists and fits."""
    wide, info = transcendental.trunc(convert(x, F64)), np.iinfo(dtype)
    ctx.check(logic.ne(wide, wide), ValueError, NAN)
    infinite = logic.not_(transcendental.is_finite(wide))
    ctx.check(infinite, OverflowError, INFINITY)
    # Both limits are powers of two (or zero), which floats represent.
    fits = logic.and_(logic.ge(wide, float(info.min)), logic.lt(wide, float(info.max + 1)))
    message = f"Python integer out of bounds for {dtype}"
    ctx.check(logic.not_(fits), OverflowError, message)
    return convert(wide, dtype)


def _check_element_fits(ctx: Context, x: Abstract, dtype: np.dtype) -> None:
    """A NumPy integer as a signed element; those of Python are checked wherever they meet one."""
    if is_weak(x):
        return
    if isinstance(x, Static):
        static_element(ctx, x.value, dtype)
    elif isinstance(x, Scalar) and np.iinfo(x.dtype).max > np.iinfo(dtype).max:
        check_integer_fits(ctx, x, dtype)


def check_python_integer(ctx: Context, x: Abstract, dtype: np.dtype) -> None:
    """A Python integer must fit into the integers, or floats, that it meets."""
    if not is_number(x) or not is_weak(x) or kind_of(x) != "i":
        return
    if dtype.kind not in "iu":
        if isinstance(x, Static):
            _check_float(ctx, x.value)
        return
    if isinstance(x, Scalar):
        check_integer_fits(ctx, x, dtype)
    elif not np.iinfo(dtype).min <= x.value <= np.iinfo(dtype).max:
        message = f"Python integer {x.value} out of bounds for {dtype}"
        ctx.fail(BadValue, message=message, exception="OverflowError")


def _check_float(ctx: Context, x: int) -> None:
    try:
        float(x)
    except OverflowError as e:
        ctx.fail(BadValue, message=str(e), exception="OverflowError")


def check_integer_fits(ctx: Context, x: Scalar, dtype: np.dtype) -> None:
    """An integer that meets a narrower dtype must fit there."""
    info, held, (lo, hi) = np.iinfo(dtype), np.iinfo(x.dtype), bounds(x)
    message = f"Python integer out of bounds for {dtype}"
    if info.min > held.min and (lo is None or lo < info.min):
        ctx.check(logic.lt(x.value, info.min), OverflowError, message)
    if info.max < held.max and (hi is None or hi > info.max):
        ctx.check(logic.gt(x.value, info.max), OverflowError, message)
