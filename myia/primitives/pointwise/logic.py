"""Comparisons, bitwise logic, selection, conversion: pointwise operations without partials."""

from __future__ import annotations

import jax
import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.ir.primitive import Linear
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import PointwisePrimitive, nondifferentiable, require

# ----- Comparisons: NaN differs from everything, complex numbers have no order

eq = nondifferentiable("eq", lax.eq, np.equal, "biufc", result=bool)
ne = nondifferentiable("ne", lax.ne, np.not_equal, "biufc", result=bool)
lt = nondifferentiable("lt", lax.lt, np.less, "biuf", result=bool)
le = nondifferentiable("le", lax.le, np.less_equal, "biuf", result=bool)
gt = nondifferentiable("gt", lax.gt, np.greater, "biuf", result=bool)
ge = nondifferentiable("ge", lax.ge, np.greater_equal, "biuf", result=bool)

# ----- Bits (of booleans: logic)


def _shift_right(x: jax.Array, n: jax.Array) -> jax.Array:
    signed = np.dtype(x.dtype).kind == "i"
    return (hlo.shift_right_arithmetic if signed else hlo.shift_right_logical)(x, n)


and_ = nondifferentiable("and", lax.bitwise_and, np.bitwise_and, "biu")
or_ = nondifferentiable("or", lax.bitwise_or, np.bitwise_or, "biu")
xor = nondifferentiable("xor", lax.bitwise_xor, np.bitwise_xor, "biu")
not_ = nondifferentiable("not", lax.bitwise_not, np.bitwise_not, "biu")
shift_left = nondifferentiable("shift_left", hlo.shift_left, np.left_shift, "iu")
# Keeps the sign of signed integers.
shift_right = nondifferentiable("shift_right", _shift_right, np.right_shift, "iu")

# ----- Selection


def _select_avals(pred: Aval, x: Aval, y: Aval) -> tuple[Aval]:
    require(pred == x.with_dtype(bool) and x == y, f"select: operands are {pred}, {x}, {y}")
    return (x,)


# Cotangents are selected, never multiplied by zero: an unselected NaN does not spread to them.
select: PointwisePrimitive = PointwisePrimitive(
    name="select",
    avals=_select_avals,
    lower=lax.select,
    evaluate=np.where,
    derivative=Linear(
        ((1, 2),),
        (
            None,
            lambda ct, pred, x, y: select(pred, ct, 0),
            lambda ct, pred, x, y: select(pred, 0, ct),
        ),
    ),
)

# ----- Conversion


def _convert(x: np.ndarray, *, dtype: np.dtype) -> np.ndarray:
    if np.iscomplexobj(x) and dtype.kind not in "cb":
        x = np.real(x)  # explicitly: `astype` would warn that it drops the imaginary part
    return np.asarray(x).astype(dtype)


def convert(x: Value, *, dtype: np.dtype) -> Value:
    """`x` in another dtype; `x` itself when it has that dtype. Complex to real: the real part."""
    dtype = np.dtype(dtype)
    return x if x.dtype == dtype else convert_p(x, dtype=dtype)


def _lower_convert(x: jax.Array, *, dtype: np.dtype) -> jax.Array:
    if np.dtype(x.dtype).kind == "c" and dtype.kind not in "cb":
        x = lax.real(x)
    if dtype.kind == "b":
        return x != 0
    if np.dtype(x.dtype).kind == "f" and dtype.kind in "iu":
        return _lower_float_to_integer(x, dtype)
    return lax.convert_element_type(x, dtype)


def _lower_float_to_integer(x: jax.Array, dtype: np.dtype) -> jax.Array:
    """The number of an x86 processor, as NumPy has it: XLA's conversions saturate.

    Narrow integers are the last bits of a wider one. What that cannot hold is its least number.
    """
    wide = np.dtype(np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32)
    if dtype == np.uint64:
        top = lax.full_like(x, 2.0**63)
        is_large = lax.ge(x, top)
        low_bits = _signed_integer(lax.select(is_large, lax.sub(x, top), x), wide)
        offset = lax.select(is_large, lax.full_like(x, -(2**63), wide), lax.full_like(x, 0, wide))
        return lax.convert_element_type(lax.bitwise_xor(low_bits, offset), dtype)
    return lax.convert_element_type(_signed_integer(x, wide), dtype)


def _signed_integer(x: jax.Array, dtype: np.dtype) -> jax.Array:
    """The least number of `dtype` where `x` is NaN or out of range."""
    least = np.iinfo(dtype).min
    fits = lax.lt(x, lax.full_like(x, -float(least)))  # below its range XLA gives the least number
    return lax.select(fits, lax.convert_element_type(x, dtype), lax.full_like(x, least, dtype))


convert_p = PointwisePrimitive(
    name="convert",
    avals=lambda x, *, dtype: (x.with_dtype(dtype),),
    lower=_lower_convert,
    evaluate=_convert,
    derivative=Linear(((0,),), (lambda ct, x, *, dtype: convert(ct, dtype=x.dtype),)),
)

stop_gradient = nondifferentiable("stop_gradient", lambda x: x, lambda x: x, "biufc")
