"""Operations on the bits of numbers: counts, bit casts, reduced precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Linear
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import (
    CallablePrimitive,
    PointwisePrimitive,
    nondifferentiable,
    pointwise,
    require,
    require_kind,
)


def _unsigned(x: np.ndarray) -> np.ndarray:
    return np.asarray(x).view(f"u{x.dtype.itemsize}")


# ----- Counting


def _count_ones(x: np.ndarray) -> np.ndarray:
    # NumPy counts the bits of the magnitude of a negative number.
    return np.bitwise_count(_unsigned(x)).astype(x.dtype)


def _count_leading_zeros(x: np.ndarray) -> np.ndarray:
    smeared = _unsigned(x)
    shift = 1
    while shift < 8 * x.dtype.itemsize:
        smeared = smeared | smeared >> shift
        shift *= 2
    return np.bitwise_count(~smeared).astype(x.dtype)


population_count = nondifferentiable("population_count", lax.population_count, _count_ones, "iu")
clz = nondifferentiable("clz", lax.clz, _count_leading_zeros, "iu")


def _high_word(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    product = x.astype(object) * y.astype(object)
    return np.asarray(product >> 8 * x.dtype.itemsize).astype(x.dtype)


# The upper half of the product.
mulhi = nondifferentiable("mulhi", lax.mulhi, _high_word, "iu")

# ----- Bit casts


def _bitcast_avals(x: Aval, *, dtype: np.dtype) -> tuple[Aval]:
    """A smaller dtype adds a last axis; a larger one removes it."""
    require_kind("bitcast", x, "iuf")
    require_kind("bitcast", x.with_dtype(dtype), "iuf")
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return (x.with_dtype(dtype),)
    if old > new:
        return (Aval(dtype, (*x.shape, old // new)),)
    require(x.ndim > 0 and x.shape[-1] == new // old, f"bitcast: {x} as {dtype}")
    return (Aval(dtype, x.shape[:-1]),)


def _evaluate_bitcast(x: np.ndarray, *, dtype: np.dtype) -> Any:
    # `view` divides or multiplies the last axis.
    (y,) = _bitcast_avals(Aval(x.dtype, x.shape), dtype=dtype)
    x = np.ascontiguousarray(x)
    return np.frombuffer(x.tobytes(), dtype).reshape(y.shape).copy()


bitcast_p = CallablePrimitive(
    name="bitcast",
    avals=_bitcast_avals,
    lower=lambda x, *, dtype: lax.bitcast_convert_type(x, dtype),
    evaluate=_evaluate_bitcast,
    derivative=NONDIFFERENTIABLE,
)


def bitcast(x: Value, *, dtype: np.dtype) -> Value:
    """The bits of `x` read in another dtype; `x` itself when it has that dtype."""
    dtype = np.dtype(dtype)
    return x if x.dtype == dtype else bitcast_p(x, dtype=dtype)


# The adjacent floating number of `x` in the direction of `y`: its derivative in `x` is 1.
nextafter = pointwise(
    "nextafter", lax.nextafter, np.nextafter, partials=[lambda z, x, y: 1, None], kinds="f"
)

# ----- Precision


def _evaluate_reduce_precision(x: np.ndarray, *, exponent_bits: int, mantissa_bits: int) -> Any:
    """Rounds half to even; overflows to infinity, underflows to zero."""
    info = np.finfo(x.dtype)
    dropped = info.nmant - mantissa_bits
    y = np.array(x)
    if dropped > 0:
        bits = _unsigned(x)
        one = bits.dtype.type(1)
        last_kept = bits >> bits.dtype.type(dropped) & one
        rounded = bits + (one << bits.dtype.type(dropped - 1)) - one + last_kept
        mask = ~((one << bits.dtype.type(dropped)) - one)
        y = np.where(np.isfinite(x), (rounded & mask).view(x.dtype), x)
    if exponent_bits < info.nexp:
        bias = 2 ** (exponent_bits - 1) - 1
        y = np.where(np.abs(y) >= 2.0 ** (bias + 1), np.copysign(np.inf, y), y)
        y = np.where(np.abs(y) < 2.0 ** (1 - bias), np.copysign(0, y), y)
        y = np.where(np.isnan(x), x, y)
    return y.astype(x.dtype)


def _reduce_precision_avals(x: Aval, *, exponent_bits: int, mantissa_bits: int) -> tuple[Aval]:
    require_kind("reduce_precision", x, "f")
    require(exponent_bits >= 1 and mantissa_bits >= 0, "reduce_precision: too few bits")
    return (x,)


# Rounding to a format of fewer bits. Its derivative is the identity, rounded in the same way.
reduce_precision: PointwisePrimitive = PointwisePrimitive(
    name="reduce_precision",
    avals=_reduce_precision_avals,
    lower=hlo.reduce_precision,
    evaluate=_evaluate_reduce_precision,
    derivative=Linear(((0,),), (lambda ct, x, **bits: reduce_precision(ct, **bits),)),
)
