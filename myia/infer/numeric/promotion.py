"""Operands of IR ops: numbers and arrays converted to one dtype and broadcast to one shape.

np.float32 array of shape (3,) + 1   ->   %c: f32[3] = broadcast 1.0;  %y = add %x %c
"""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    broadcast_to,
    convert,
    filled,
    is_number,
    is_weak,
    number_dtype,
)
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.values import Abstract, Ref, Scalar
from myia.infer.domain.views import reshape
from myia.infer.numeric.integer_elements import check_python_integer, element, is_python_float
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.pointwise import arithmetic, logic

PRIMITIVES = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": arithmetic.div,
    "//": arithmetic.floordiv,
    "%": arithmetic.mod,
    "<<": logic.shift_left,
    ">>": logic.shift_right,
    "&": logic.and_,
    "|": logic.or_,
    "^": logic.xor,
    "==": logic.eq,
    "!=": logic.ne,
    "<": logic.lt,
    "<=": logic.le,
    ">": logic.gt,
    ">=": logic.ge,
}


def is_numeric(ctx: Context, x: Abstract) -> bool:
    """A number or an array."""
    return is_number(x) or ctx.is_array(x)


def operand_dtype(ctx: Context, x: Abstract) -> tuple[np.dtype, bool]:
    """The dtype of a number or an array, and whether it is weakly typed (a Python number)."""
    if isinstance(x, Ref):
        return array_aval(ctx.heap, x.id).dtype, False
    return number_dtype(x), is_weak(x)


def operand(ctx: Context, x: Abstract, aval: Aval) -> Value:
    """A number or an array with the dtype and shape of `aval`."""
    if isinstance(x, Ref):
        return broadcast_to(convert(ctx.read(x), aval.dtype), aval.shape)
    check_python_integer(ctx, x, aval.dtype)
    if is_python_float(x):
        x = element(ctx, x, aval.dtype)
    return filled(x, aval)


def broadcast_for_assignment(ctx: Context, value: Abstract, aval: Aval) -> Value:
    """The value of an assignment, broadcast to the target without leading axes of length 1."""
    shape = ctx.shape(value)
    while len(shape) > aval.ndim and shape[0] == 1:
        shape = shape[1:]
    if isinstance(value, Ref) and shape != ctx.shape(value):
        value = ctx.array(reshape(ctx.read(value), shape))
    try:
        fits = np.broadcast_shapes(shape, aval.shape) == aval.shape
    except ValueError:
        fits = False
    if not fits:
        message = f"could not broadcast input array from shape {shape} into shape {aval.shape}"
        ctx.fail(BadValue, message=message)
    return operand(ctx, value, aval)


def broadcast_shapes(ctx: Context, *xs: Abstract) -> tuple[int, ...]:
    """The common shape of numbers and arrays under NumPy's broadcasting."""
    shapes = [ctx.shape(x) for x in xs]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(str(s) for s in shapes)
        message = f"operands could not be broadcast together with shapes {text}"
        ctx.fail(BadValue, message=message)


def result(
    ctx: Context, value: Value, weak: bool, lo: int | None = None, hi: int | None = None
) -> Abstract:
    """A number when the value has no dimension, else a new array."""
    return Scalar(value, weak, lo, hi) if value.shape == () else ctx.array(value)
