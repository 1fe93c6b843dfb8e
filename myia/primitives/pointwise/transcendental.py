"""Elementary functions, pointwise. On complex numbers their derivatives are holomorphic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from jax import lax

from myia.ir.core import Value
from myia.ir.primitive import Formula, Linear
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import PointwisePrimitive, nondifferentiable, pointwise
from myia.primitives.pointwise import complex_functions, exact_powers
from myia.primitives.pointwise.logic import gt, lt, select


def _inexact(name: str, lower: Formula, evaluate: Formula, partial: Formula) -> PointwisePrimitive:
    """A function of real and complex numbers."""
    return pointwise(name, lower, evaluate, partials=[partial], kinds="fc")


def _branching(
    name: str, lower: Formula, evaluate: Formula, partial: Formula
) -> PointwisePrimitive:
    """The same, with a formula of ours for complex numbers."""
    lower = complex_functions.lowered(lower, getattr(complex_functions, name))
    return _inexact(name, lower, evaluate, partial)


def _exact_at_powers(name: str, partial: Formula) -> PointwisePrimitive:
    """The same, of real numbers exact where the result is a whole number, or the operand is."""
    lower = complex_functions.lowered(getattr(exact_powers, name), getattr(complex_functions, name))
    return _inexact(name, lower, getattr(np, name), partial)


def _floating(
    name: str, lower: Formula, evaluate: Formula, *partials: Formula
) -> PointwisePrimitive:
    """A function of real numbers only."""
    return pointwise(name, lower, evaluate, partials=partials, kinds="f")


# ----- Exponentials and logarithms

exp = _inexact("exp", lax.exp, np.exp, lambda y, x: y)
exp2 = _exact_at_powers("exp2", lambda y, x: math.log(2) * y)
expm1 = _branching("expm1", lax.expm1, np.expm1, lambda y, x: exp(x))
log = _inexact("log", lax.log, np.log, lambda y, x: 1 / x)
log2 = _exact_at_powers("log2", lambda y, x: 1 / math.log(2) / x)
log10 = _exact_at_powers("log10", lambda y, x: 1 / math.log(10) / x)
log1p = _branching("log1p", lax.log1p, np.log1p, lambda y, x: 1 / (1 + x))


def _evaluate_logistic(x: np.ndarray) -> Any:
    # exp(-|x|) cannot overflow; complex numbers have no such order.
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    z = np.exp(-np.abs(x))
    return np.where(x < 0, z, 1) / (1 + z)


logistic = _inexact("logistic", lax.logistic, _evaluate_logistic, lambda y, x: y * (1 - y))

# ----- Roots

sqrt = _branching("sqrt", lax.sqrt, np.sqrt, lambda y, x: 0.5 / y)
rsqrt = _inexact("rsqrt", lax.rsqrt, lambda x: 1 / np.sqrt(x), lambda y, x: -0.5 * y / x)
cbrt = _floating("cbrt", lax.cbrt, np.cbrt, lambda y, x: 1 / (3 * y * y))

# ----- Trigonometric functions and their inverses

sin = _branching("sin", lax.sin, np.sin, lambda y, x: cos(x))
cos: PointwisePrimitive = _branching("cos", lax.cos, np.cos, lambda y, x: -sin(x))
tan = _branching("tan", lax.tan, np.tan, lambda y, x: 1 + y * y)
asin = _branching("asin", lax.asin, np.arcsin, lambda y, x: _root_of_one_minus_square(x))
acos = _branching("acos", lax.acos, np.arccos, lambda y, x: -_root_of_one_minus_square(x))
atan = _branching("atan", lax.atan, np.arctan, lambda y, x: 1 / _one_plus_square(x))
atan2 = _floating(
    "atan2",
    lax.atan2,
    np.arctan2,
    lambda z, y, x: _parts_of_inverse(x, y)[0],
    lambda z, y, x: -_parts_of_inverse(x, y)[1],
)

# ----- Hyperbolic functions and their inverses

sinh = _branching("sinh", lax.sinh, np.sinh, lambda y, x: cosh(x))
cosh: PointwisePrimitive = _branching("cosh", lax.cosh, np.cosh, lambda y, x: sinh(x))
tanh = _branching("tanh", lax.tanh, np.tanh, lambda y, x: 1 - y * y)
asinh = _branching("asinh", lax.asinh, np.arcsinh, lambda y, x: _root_of_one_plus_square(x))
acosh = _branching("acosh", lax.acosh, np.arccosh, lambda y, x: rsqrt(x - 1) * rsqrt(_one_plus(x)))
atanh = _branching("atanh", lax.atanh, np.arctanh, lambda y, x: 1 / ((1 - x) * (1 + x)))


def _size(x: Value) -> Value:
    return select(lt(x, 0), -x, x)


def _parts_of_inverse(x: Value, y: Value) -> tuple[Value, Value]:
    """(x, y) / (x^2 + y^2), by the quotient of the smaller and the larger: no square overflows."""
    x_is_larger = gt(_size(x), _size(y))
    larger = select(x_is_larger, x, y)
    ratio = select(x_is_larger, y, x) / larger
    of_larger = 1 / (larger * (1 + ratio * ratio))
    of_smaller = ratio * of_larger
    return select(x_is_larger, of_larger, of_smaller), select(x_is_larger, of_smaller, of_larger)


# The derivatives of the inverses. Two roots of one factor each are exact near +-1; on the branch
# cuts of complex numbers the sign of a zero must stay: that of -0.0 + 0.0 is lost.


def _one_plus(x: Value) -> Value:
    return x - (-1) if x.dtype.kind == "c" else 1 + x


def _root_of_one_minus_square(x: Value) -> Value:
    return rsqrt(-(x - 1) if x.dtype.kind == "c" else 1 - x) * rsqrt(_one_plus(x))


def _times_i(x: Value) -> Value:
    return complex(-imag(x), real(x))


def _root_of_one_plus_square(x: Value) -> Value:
    """1 / sqrt(1 + x^2), of real numbers by a quotient of at most 1, whose square is finite."""
    if x.dtype.kind == "c":
        return _root_of_one_minus_square(_times_i(x))
    size = _size(x)
    is_large = gt(size, 1)
    ratio = select(is_large, 1 / select(is_large, size, 1), x)
    root = rsqrt(1 + ratio * ratio)
    return select(is_large, ratio * root, root)


def _one_plus_square(x: Value) -> Value:
    """1 + x^2, of complex numbers by factors that vanish at the poles."""
    if x.dtype.kind != "c":
        return 1 + x * x
    turned = _times_i(x)
    return (1 - turned) * (1 + turned)


# ----- Step functions

floor = nondifferentiable("floor", lax.floor, np.floor, "f")
ceil = nondifferentiable("ceil", lax.ceil, np.ceil, "f")
trunc = nondifferentiable(
    "trunc",
    lambda x: lax.select(lax.lt(x, lax.full_like(x, 0)), lax.ceil(x), lax.floor(x)),
    np.trunc,
    "f",
)
# Rounds half to even.
round = nondifferentiable(
    "round", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), np.rint, "f"
)
is_finite = nondifferentiable("is_finite", hlo.is_finite, np.isfinite, "f", result=bool)

# ----- Complex numbers: linear over the reals, <ct, x> = Re(ct x)


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the magnitude of numbers of `dtype`."""
    return np.zeros((), dtype).real.dtype


def _complex_dtype(dtype: np.dtype) -> np.dtype:
    return np.result_type(dtype, np.complex64)


def _evaluate_complex(x: np.ndarray, y: np.ndarray) -> Any:
    z = np.empty(np.shape(x), _complex_dtype(x.dtype))
    z.real, z.imag = x, y
    return z


def _part(name: str, lower: Formula, evaluate: Formula, transpose: Formula) -> PointwisePrimitive:
    return pointwise(
        name,
        lower,
        evaluate,
        derivative=Linear(((0,),), (transpose,)),
        result=real_dtype,
        kinds="c",
    )


real = _part("real", lax.real, np.real, lambda ct, x: complex(ct, 0))
imag = _part("imag", lax.imag, np.imag, lambda ct, x: complex(0, -ct))
conj: PointwisePrimitive = pointwise(
    "conj",
    lax.conj,
    np.conj,
    derivative=Linear(((0,),), (lambda ct, x: conj(ct),)),
    kinds="c",
)
complex: PointwisePrimitive = pointwise(
    "complex",
    lax.complex,
    _evaluate_complex,
    derivative=Linear(((0, 1),), (lambda ct, x, y: real(ct), lambda ct, x, y: -imag(ct))),
    result=_complex_dtype,
    kinds="f",
)
