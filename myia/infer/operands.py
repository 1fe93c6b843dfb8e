"""Operands of typed ops: numbers and arrays brought to one dtype and one shape."""

from __future__ import annotations

import numpy as np

from myia.infer.context import Context, array_aval
from myia.infer.errors import BadValue
from myia.infer.numbers import (
    broadcast_to,
    convert,
    filled,
    is_number,
    is_weak,
    number_dtype,
)
from myia.infer.values import Abstract, Ref, Scalar, Static
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives import arithmetic, logic

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
    """The dtype of a number or an array, and whether it is weak."""
    if isinstance(x, Ref):
        return array_aval(ctx.heap, x.id).dtype, False
    return number_dtype(x), is_weak(x)


def operand(ctx: Context, x: Abstract, aval: Aval) -> Value:
    """A number or an array with the dtype and shape of `aval`."""
    if isinstance(x, Ref):
        return broadcast_to(convert(ctx.read(x), aval.dtype), aval.shape)
    if isinstance(x, Static) and aval.dtype.kind in "iu":
        info = np.iinfo(aval.dtype)
        if not info.min <= x.value <= info.max:
            message = f"Python integer {x.value} out of bounds for {aval.dtype}"
            ctx.fail(BadValue, message=message, exception="OverflowError")
    return filled(x, aval)


def broadcast_shapes(ctx: Context, *xs: Abstract) -> tuple[int, ...]:
    """The shape that numbers and arrays meet at."""
    shapes = [ctx.shape(x) for x in xs]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(str(s) for s in shapes)
        message = f"operands could not be broadcast together with shapes {text}"
        ctx.fail(BadValue, message=message)


def result(ctx: Context, value: Value, weak: bool, lo=None, hi=None) -> Abstract:
    """A number when the value has no dimension, else a new array."""
    return Scalar(value, weak, lo, hi) if value.shape == () else ctx.array(value)
