"""Rows of the sampled table: functions of numbers, each where it is smooth."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from tests.lax.sampled_case import COMPLEXES, INEXACT, pointwise, row, whole, within

WIDE, UNIT, POSITIVE, MODERATE = (-2.0, 2.0), (-0.9, 0.9), (0.2, 3.0), (0.5, 2.5)
ABOVE_ONE = (1.2, 4.0)


def masking(compare: Callable) -> Callable:
    """A function that selects by a comparison, through which no derivative passes."""
    return lambda x, y: jnp.where(compare(x, y), x * x, x * y)


def scaling(step: Callable) -> Callable:
    """A function that multiplies by what `step` gives, whose derivative is zero."""
    return lambda x, *xs: x * step(x, *xs).astype(x.dtype)


ARITHMETIC = [
    *pointwise("neg", lax.neg, WIDE, dtypes=INEXACT),
    *pointwise("add", lax.add, WIDE, WIDE, dtypes=INEXACT),
    *pointwise("sub", lax.sub, WIDE, WIDE, dtypes=INEXACT),
    *pointwise("mul", lax.mul, WIDE, WIDE, dtypes=INEXACT),
    *pointwise("div", lax.div, WIDE, MODERATE, dtypes=INEXACT),
    *pointwise("rem", lax.rem, WIDE, MODERATE),
    *pointwise("pow", lax.pow, MODERATE, WIDE, dtypes=INEXACT),
    *row("pow", lax.pow, within(-2, 2, (2, 3)), whole(-2, 4, (2, 3)), dtypes=INEXACT),
    *pointwise("integer_pow", lambda x: lax.integer_pow(x, 3), WIDE, dtypes=INEXACT),
    *pointwise("integer_pow", lambda x: lax.integer_pow(x, -2), MODERATE, dtypes=INEXACT),
    *pointwise("square", lax.square, WIDE, dtypes=INEXACT),
    *pointwise("abs", lax.abs, WIDE, dtypes=INEXACT),
    *pointwise("max", lax.max, WIDE, UNIT),
    *pointwise("min", lax.min, WIDE, UNIT),
    *pointwise("sign", scaling(lax.sign), WIDE),
]

MATHEMATICS = [
    *pointwise("exp", lax.exp, WIDE, dtypes=INEXACT),
    *pointwise("exp2", lax.exp2, WIDE, dtypes=INEXACT),
    *pointwise("expm1", lax.expm1, WIDE, dtypes=INEXACT),
    *pointwise("log", lax.log, POSITIVE, dtypes=INEXACT),
    *pointwise("log1p", lax.log1p, UNIT, dtypes=INEXACT),
    *pointwise("logistic", lax.logistic, WIDE, dtypes=INEXACT),
    *pointwise("sqrt", lax.sqrt, POSITIVE, dtypes=INEXACT),
    *pointwise("rsqrt", lax.rsqrt, POSITIVE, dtypes=INEXACT),
    *pointwise("cbrt", lax.cbrt, POSITIVE),
    *pointwise("sin", lax.sin, WIDE, dtypes=INEXACT),
    *pointwise("cos", lax.cos, WIDE, dtypes=INEXACT),
    *pointwise("tan", lax.tan, UNIT, dtypes=INEXACT),
    *pointwise("asin", lax.asin, UNIT, dtypes=INEXACT),
    *pointwise("acos", lax.acos, UNIT, dtypes=INEXACT),
    *pointwise("atan", lax.atan, UNIT, dtypes=INEXACT),
    *pointwise("atan2", lax.atan2, WIDE, POSITIVE),
    *pointwise("sinh", lax.sinh, WIDE, dtypes=INEXACT),
    *pointwise("cosh", lax.cosh, WIDE, dtypes=INEXACT),
    *pointwise("tanh", lax.tanh, UNIT, dtypes=INEXACT),
    *pointwise("asinh", lax.asinh, UNIT, dtypes=INEXACT),
    *pointwise("acosh", lax.acosh, ABOVE_ONE, dtypes=INEXACT),
    *pointwise("atanh", lax.atanh, UNIT, dtypes=INEXACT),
]

# Primitives of later versions of JAX.
if jax.__version_info__ >= (0, 11, 2):
    MATHEMATICS += [
        *pointwise("log2", lax.log2, POSITIVE, dtypes=INEXACT),
        *pointwise("one_minus_square", lax.one_minus_square, WIDE, dtypes=INEXACT),
        *pointwise("one_minus_square", lax.one_minus_square, (-1e-3, 1e-3), dtypes=INEXACT),
    ]

ROUNDING = [
    *pointwise("floor", scaling(lax.floor), WIDE),
    *pointwise("ceil", scaling(lax.ceil), WIDE),
    *pointwise("round", scaling(lax.round), WIDE),
    *pointwise("is_finite", scaling(lax.is_finite), WIDE),
    *pointwise("clamp", lax.clamp, UNIT, WIDE, ABOVE_ONE),
    *row("clamp", lambda x: lax.clamp(x.dtype.type(-0.5), x, x.dtype.type(0.75)), (2, 3)),
]

COMPLEX = [
    *pointwise("real", lax.real, WIDE, dtypes=COMPLEXES),
    *pointwise("imag", lax.imag, WIDE, dtypes=COMPLEXES),
    *pointwise("conj", lax.conj, WIDE, dtypes=COMPLEXES),
    *pointwise("complex", lax.complex, WIDE, WIDE),
]

LOGIC = [
    *pointwise("eq", masking(lax.eq), WIDE, WIDE, dtypes=INEXACT),
    *pointwise("ne", masking(lax.ne), WIDE, WIDE, dtypes=INEXACT),
    *pointwise("lt", masking(lax.lt), WIDE, UNIT),
    *pointwise("le", masking(lax.le), WIDE, UNIT),
    *pointwise("gt", masking(lax.gt), WIDE, UNIT),
    *pointwise("ge", masking(lax.ge), WIDE, UNIT),
]

N = whole(0, 100, (2, 3))


def of_integers(f: Callable) -> Callable:
    """A function that multiplies by what becomes of integers, or of flags made of them."""
    return lambda x, *ns: x * f(*ns).astype(x.dtype)


BITS = [
    *row("and", of_integers(lax.bitwise_and), (2, 3), N, N),
    *row("or", of_integers(lax.bitwise_or), (2, 3), N, N),
    *row("xor", of_integers(lax.bitwise_xor), (2, 3), N, N),
    *row("not", of_integers(lax.bitwise_not), (2, 3), N),
    *row("not", of_integers(lambda n: ~(n > 50)), (2, 3), N),
    *row("shift_left", of_integers(lax.shift_left), (2, 3), N, whole(0, 3, (2, 3))),
    *row("shift_right_logical", of_integers(lax.shift_right_logical), (2, 3), N, N),
    *row("shift_right_arithmetic", of_integers(lax.shift_right_arithmetic), (2, 3), N, N),
    *row("mulhi", of_integers(lambda n, m: lax.mulhi(n << 20, m << 20)), (2, 3), N, N),
    *pointwise("eq_to", masking(lax.eq_to_p.bind), WIDE, UNIT),
    *pointwise("le_to", masking(lax.le_to_p.bind), WIDE, UNIT),
    *pointwise("lt_to", masking(lax.lt_to_p.bind), WIDE, UNIT),
]

TABLE = [*ARITHMETIC, *MATHEMATICS, *ROUNDING, *COMPLEX, *LOGIC, *BITS]
