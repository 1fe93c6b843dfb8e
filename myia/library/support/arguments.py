"""Arguments of NumPy's functions: array-likes, dtypes, axes, shapes, flags."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, convert, is_number, is_weak, kind_of
from myia.infer.domain.dynamic_axes import DynamicAxes, DynamicAxis, prefix_axis
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.lengths import at_least, length_of
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple, is_none, is_static_int
from myia.infer.dynamic.unbounded import require_capacities, with_capacity
from myia.infer.lists.nested_sequences import as_array
from myia.infer.numeric.integer_elements import check_python_integer, element
from myia.infer.numeric.promotion import is_numeric, operand, operand_dtype
from myia.infer.registry import is_given
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.library.support.value_formulas import truth
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

AXIS_ERROR = "AxisError"
WITHOUT_AXES = "a write into an array without dimensions, which is a number here,"


# ----- Arrays


def numeric(ctx: Context, x: Abstract) -> Abstract:
    """A number or an array as it is; a sequence as an array."""
    x = ctx.force(x)
    return x if is_numeric(ctx, x) else as_array(ctx, x)


def strong(x: Abstract) -> Abstract:
    """A Python number as a NumPy scalar, as NumPy functions convert it."""
    if isinstance(x, Scalar):
        return Scalar(x.value, False, x.lo, x.hi)
    if is_number(x) and is_weak(x):
        return Static(np.asarray(x.value)[()])
    return x


def boxed(ctx: Context, x: Abstract) -> Abstract:
    """A result that NumPy makes an array even where it has no dimension."""
    return x if isinstance(x, Ref) else Scalar(value_of(ctx, x), weak=False, boxed=True)


def array(ctx: Context, x: Abstract) -> Abstract:
    """`np.asarray(x)`: an array, or a NumPy scalar."""
    return strong(numeric(ctx, x))


def array_or_view(ctx: Context, x: Abstract) -> Abstract:
    """The same of what views are made of: a view without dimensions stays one."""
    return x if ctx.is_array(x) else array(ctx, x)


def dtype_of(ctx: Context, x: Abstract) -> np.dtype:
    """`np.asarray(x).dtype`"""
    return operand_dtype(ctx, x)[0]


def value_of(ctx: Context, x: Abstract, dtype: np.dtype | None = None) -> Value:
    """The value of a number or array, converted to `dtype` if that is given."""
    return operand(ctx, x, Aval(dtype or dtype_of(ctx, x), ctx.shape(x)))


def element_of(ctx: Context, x: Abstract, dtype: np.dtype) -> Value:
    """A number as an element of an array of `dtype`, where it must fit."""
    return value_of(ctx, element(ctx, numeric(ctx, x), dtype), dtype)


def cast(ctx: Context, x: Abstract, dtype: np.dtype) -> Abstract:
    """`np.asarray(x).astype(dtype)`: a new array. Python integers must fit."""
    check_python_integer(ctx, x, dtype)
    if isinstance(x, Static):
        with np.errstate(all="ignore"):
            return Static(np.asarray(x.value).astype(dtype)[()])
    return result_like(ctx, convert(value_of(ctx, x), dtype), x)


def copy_array(ctx: Context, x: Abstract) -> Abstract:
    """A new array with the elements of `x`; numbers are immutable."""
    return result_like(ctx, ctx.read(x), x) if isinstance(x, Ref) else x


def array_of_out(out: Abstract) -> Abstract:
    """The argument `out=`, which may be a tuple of one array."""
    return out.items[0] if isinstance(out, Tuple) and len(out.items) == 1 else out


def store_out(
    ctx: Context,
    result: Abstract,
    out: Abstract,
    *,
    spread: bool = False,
    mask: Value | None = None,
    unsafe: bool = False,
) -> Abstract:
    """`out=`: the result is written into that array, which is returned.

    `spread`: the result is broadcast to the shape of that array; `mask`: where it is written;
    `unsafe`: it is cast to any dtype.
    """
    out = array_of_out(out)
    if is_none(out):
        return result
    if isinstance(out, Scalar) and out.boxed:
        ctx.fail(UnsupportedFunction, what=WITHOUT_AXES)
    if not ctx.is_array(out):
        ctx.fail(BadType, message="return arrays must be of ArrayType")
    dtype, shape = dtype_of(ctx, out), ctx.shape(out)
    if not np.can_cast(dtype_of(ctx, result), dtype, "unsafe" if unsafe else "same_kind"):
        message = f"Cannot cast output from {dtype_of(ctx, result)!r} to {dtype!r}"
        ctx.fail(BadType, message=f"{message} with casting rule 'same_kind'")
    if not (ctx.shape(result) == shape or (spread and broadcasts_to(ctx.shape(result), shape))):
        message = f"non-broadcastable output operand with shape {shape}"
        ctx.fail(BadValue, message=f"{message} doesn't match the shape {ctx.shape(result)}")
    new = broadcast_to(value_of(ctx, result, dtype), shape)
    ctx.store(out, new if mask is None else logic.select(mask, new, value_of(ctx, out)))
    return out


def broadcasts_to(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    """Can an array of this shape be broadcast to that shape?"""
    return len(shape) <= len(into) and all(n in (1, k) for n, k in zip(shape[::-1], into[::-1]))


# ----- Options


def static_flag(ctx: Context, x: Abstract, what: str) -> bool:
    """A compile-time truth value."""
    if not isinstance(x, Static):
        ctx.needs_static(what)
    return bool(x.value) and x.value is not np._NoValue


def static_value(ctx: Context, x: Abstract, what: str) -> Any:
    """A compile-time value."""
    if not isinstance(x, Static):
        ctx.needs_static(what)
    return x.value


def require_c_order(ctx: Context, function: str, order: Abstract) -> None:
    """Refuse any memory order but C's."""
    wanted = static_value(ctx, order, "the order")
    if wanted not in ("C", "K", "A", None):
        ctx.fail(UnsupportedFunction, what=f"`order={wanted!r}` of `{function}`")


# ----- Dtypes


def selects_all(where: Abstract) -> bool:
    """True if a `where=` argument selects all elements."""
    return not is_given(where) or (isinstance(where, Static) and where.value is True)


def mask_argument(ctx: Context, where: Abstract, shape: tuple[int, ...]) -> Value | None:
    """`where=`: a mask of this shape; None where all elements count."""
    if selects_all(where):
        return None
    mask = truth(value_of(ctx, numeric(ctx, where)))
    if not broadcasts_to(mask.shape, shape):
        message = f"`where` of shape {mask.shape} cannot be broadcast to the shape {shape}"
        ctx.fail(BadValue, message=message)
    return broadcast_to(mask, shape)


def dtype_argument(ctx: Context, x: Abstract) -> np.dtype | None:
    """A `dtype=` argument; None when it is not given."""
    if is_none(x):
        return None
    try:
        dtype = np.dtype(static_value(ctx, x, "a dtype"))
    except TypeError as e:
        ctx.fail(BadType, message=str(e))
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        ctx.fail(UnsupportedFunction, what=f"the dtype {dtype}")
    return dtype


def inexact(dtype: np.dtype) -> np.dtype:
    """The dtype that means and norms are computed in: float64 for integers."""
    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def common_with_out(ctx: Context, dtype: np.dtype, out: Abstract) -> np.dtype | None:
    """The dtype in which `dtype` is reduced into the array of `out=`, if that is given.

    NumPy reduces in the common dtype of both: of float32 into float64 in float64.
    """
    out = array_of_out(out)
    return np.result_type(dtype, dtype_of(ctx, out)) if ctx.is_array(out) else None


# ----- Axes and shapes


def axis_number(ctx: Context, axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        message = f"axis {axis} is out of bounds for array of dimension {ndim}"
        ctx.fail(BadValue, message=message, exception=AXIS_ERROR)
    return axis % ndim


def axis_argument(ctx: Context, axis: Abstract, ndim: int) -> int:
    """One axis, counted from the front."""
    return axis_number(ctx, integer(ctx, axis, "an axis"), ndim)


def axes_argument(ctx: Context, axis: Abstract, ndim: int) -> tuple[int, ...]:
    """The axes that `axis` names (None: all of them), counted from the front."""
    if is_none(axis):
        return tuple(range(ndim))
    axes = tuple(axis_number(ctx, i, ndim) for i in integers(ctx, axis, "an axis"))
    if len(set(axes)) < len(axes):
        ctx.fail(BadValue, message="duplicate value in 'axis'")
    return axes


def reduction_axes(ctx: Context, axis: Abstract, ndim: int) -> tuple[int, ...]:
    """The axes of a reduction: NumPy lets a number be reduced along "axis 0"."""
    if ndim == 0 and is_static_int(axis):
        axis_number(ctx, int(axis.value), 1)
        return ()
    return axes_argument(ctx, axis, ndim)


def integer(ctx: Context, x: Abstract, what: str) -> int:
    """A compile-time integer."""
    if isinstance(x, Static) and not is_static_int(x):
        message = f"{type(x.value).__name__!r} object cannot be interpreted as an integer"
        ctx.fail(BadType, message=message)
    if not isinstance(x, Static) and not is_number(x):
        ctx.fail(BadType, message=f"{ctx.describe(x)} cannot be interpreted as an integer")
    return ctx.int_of(x, what)


def integers(ctx: Context, x: Abstract, what: str) -> tuple[int, ...]:
    """One compile-time integer, or a sequence of them."""
    if is_number(x):
        return (integer(ctx, x, what),)
    return tuple(integer(ctx, i, what) for i in ctx.list_items(x))


def shape_argument(ctx: Context, x: Abstract) -> tuple[int, ...]:
    """The shape of a new array."""
    shape = integers(ctx, x, "a shape")
    if any(n < 0 for n in shape):
        ctx.fail(BadValue, message="negative dimensions are not allowed")
    return tuple(map(operator.index, shape))


def dynamic_shape(
    ctx: Context, x: Abstract, item_bytes: int
) -> tuple[tuple[int, ...], DynamicAxes] | None:
    """The bounds and axes of a new array some of whose sizes are known at run time, if they are."""
    sizes = (x,) if is_number(x) else ctx.list_items(x)
    if not any(isinstance(n, Scalar) and kind_of(n) in "iu" for n in sizes):
        return None
    require_capacities(ctx, "a shape")
    bounds: list[int] = []
    axes: list[DynamicAxis | None] = []
    for i, size in enumerate(sizes):
        if not isinstance(size, Scalar) or kind_of(size) not in "iu":
            bounds.append(ctx.int_of(size, "a shape"))
            axes.append(None)
            continue
        n = length_of(size)
        if n.lo is None or n.lo < 0:
            negative = logic.lt(n.value, constant(0, np.int64))
            ctx.check(negative, ValueError, "negative dimensions are not allowed")
        n = with_capacity(ctx, at_least(n, 0), item_bytes, i)
        assert n.hi is not None
        bounds.append(n.hi)
        axes.append(None if n.is_static else prefix_axis(n, n.hi))
    return tuple(bounds), tuple(axes)


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of sums and products: small integers are widened."""
    if dtype.kind in "biu":
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        return wide if dtype.itemsize < wide.itemsize else dtype
    return dtype
