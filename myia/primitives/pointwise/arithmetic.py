"""Pointwise arithmetic: sums, products, quotients, remainders, powers, magnitudes, extrema."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import jax
import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit, Formula, Partials
from myia.primitives.core.define import (
    PointwisePrimitive,
    nondifferentiable,
    pointwise,
    require,
    require_kind,
    zeros,
)
from myia.primitives.pointwise import complex_functions
from myia.primitives.pointwise.logic import and_, convert, eq, ge, le, or_, select
from myia.primitives.pointwise.transcendental import conj, log, real, real_dtype

NUMBERS = "iufc"
INEXACT = "fc"

# ----- Sums and products

neg = pointwise("neg", lax.neg, np.negative, partials=[lambda y, x: -1], kinds=NUMBERS)


def _add_jvp(ys: Values, xs: Values, ts: Tangents, **params: Any) -> Tangents:
    tx, ty = ts
    if tx is None or ty is None:
        return (ty if tx is None else tx,)
    return (add(tx, ty, **params),)


def _add_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    for x in op.operands:
        acc.add(x, *cts)


# `reassoc` (LLVM's term) permits reassociation: the additions of a sum may be made in any order.
# Derivatives set it on sums of cotangents. Without it, additions keep the order of the program.
add = pointwise(
    "add",
    lambda x, y, *, reassoc=False: lax.add(x, y),
    lambda x, y, *, reassoc=False: np.add(x, y),
    derivative=Explicit(_add_jvp, _add_vjp),
    kinds=NUMBERS,
)
sub = pointwise(
    "sub", lax.sub, np.subtract, partials=[lambda z, x, y: 1, lambda z, x, y: -1], kinds=NUMBERS
)
mul = pointwise(
    "mul", lax.mul, np.multiply, partials=[lambda z, x, y: y, lambda z, x, y: x], kinds=NUMBERS
)
square = pointwise("square", lax.square, np.square, partials=[lambda y, x: 2 * x], kinds=NUMBERS)

# ----- Quotients

div = pointwise(
    "div",
    lax.div,
    np.divide,
    partials=[lambda z, x, y: 1 / y, lambda z, x, y: -z * (1 / y)],
    kinds=INEXACT,
)
reciprocal = pointwise(
    "reciprocal",
    lambda x: lax.div(lax.full_like(x, 1), x),
    np.reciprocal,
    partials=[lambda y, x: -y * y],
    kinds=INEXACT,
)


def _is_float(x: jax.Array) -> bool:
    return np.dtype(x.dtype).kind == "f"


def _crosses_zero(x: jax.Array, y: jax.Array) -> jax.Array:
    """True where the remainder `x` of a truncated division by `y` has the wrong sign."""
    zero = lax.full_like(x, 0)
    return lax.bitwise_and(lax.ne(x, zero), lax.ne(lax.lt(x, zero), lax.lt(y, zero)))


# XLA's quotient by zero is -1 and the remainder the dividend. Its compiler dies of a division of
# constants by zero, which it must not see.


def _lower_rem(x: jax.Array, y: jax.Array) -> jax.Array:
    if _is_float(x):
        return lax.rem(x, y)
    by_zero, one = lax.eq(y, lax.full_like(y, 0)), lax.full_like(y, 1)
    return lax.select(by_zero, x, lax.rem(x, lax.select(by_zero, one, y)))


def lower_integer_division(x: jax.Array, y: jax.Array) -> jax.Array:
    """The quotient of integers, rounded towards zero."""
    by_zero, one = lax.eq(y, lax.full_like(y, 0)), lax.full_like(y, 1)
    all_bits = lax.bitwise_not(lax.full_like(x, 0))
    return lax.select(by_zero, all_bits, lax.div(x, lax.select(by_zero, one, y)))


def _lower_mod(x: jax.Array, y: jax.Array) -> jax.Array:
    """The remainder with the sign of the divisor, as Python's and NumPy's."""
    rest = _lower_rem(x, y)
    floored = lax.select(_crosses_zero(rest, y), lax.add(rest, y), rest)
    if not _is_float(x):
        return floored
    zero = lax.full_like(x, 0)
    signed_zero = lax.select(lax.lt(y, zero), lax.neg(zero), zero)
    return lax.select(lax.eq(floored, zero), signed_zero, floored)


def _lower_floordiv(x: jax.Array, y: jax.Array) -> jax.Array:
    rest = _lower_rem(x, y)
    one, zero = lax.full_like(x, 1), lax.full_like(x, 0)
    if not _is_float(x):
        quotient = lower_integer_division(x, y)
        return lax.select(_crosses_zero(rest, y), lax.sub(quotient, one), quotient)
    # As in NumPy: from the exact remainder, since floor(x / y) is off by one where x / y rounds up.
    quotient = lax.div(lax.sub(x, rest), y)
    quotient = lax.select(_crosses_zero(rest, y), lax.sub(quotient, one), quotient)
    floored = lax.floor(quotient)
    half = lax.full_like(x, 0.5)
    nearest = lax.select(lax.gt(lax.sub(quotient, floored), half), lax.add(floored, one), floored)
    ratio = lax.div(x, y)
    signed_zero = lax.mul(zero, ratio)
    result = lax.select(lax.eq(quotient, zero), signed_zero, nearest)
    return lax.select(lax.eq(y, zero), ratio, result)


floordiv = nondifferentiable("floordiv", _lower_floordiv, np.floor_divide, "iuf")
mod = pointwise(
    "mod",
    _lower_mod,
    np.remainder,
    partials=[lambda z, x, y: 1, lambda z, x, y: -floordiv(x, y)],
    kinds="iuf",
)


# As in C and XLA: the quotient is rounded towards zero, the remainder has the dividend's sign.
truncdiv = nondifferentiable(
    "truncdiv", lower_integer_division, lambda x, y: np.floor_divide(x - np.fmod(x, y), y), "iu"
)
rem = pointwise(
    "rem",
    _lower_rem,
    np.fmod,
    partials=[lambda z, x, y: 1, lambda z, x, y: (z - x) / y],
    kinds="iuf",
)

# ----- Powers


def _power_by_base(z: Value, x: Value, y: Value) -> Value:
    # y x^(y-1), and 0 where x = y = 0: there x^(y-1) is infinite.
    both_zero = and_(eq(x, zeros(x.aval)), eq(y, zeros(y.aval)))
    return y * pow(x, select(both_zero, 1, y - 1))


def _power_by_exponent(z: Value, x: Value, y: Value) -> Value:
    # log(x) x^y, and 0 where x = 0, or where x is infinite and the power 0.
    without = eq(x, zeros(x.aval))
    if x.dtype.kind == "f":
        without = or_(without, and_(eq(x, math.inf), eq(z, 0)))
    return log(select(without, 1, x)) * z


pow = pointwise(
    "pow",
    complex_functions.lowered(lax.pow, complex_functions.power),
    np.power,
    partials=[_power_by_base, _power_by_exponent],
    kinds=INEXACT,
)


def _integer_pow_avals(x: Aval, *, y: int) -> tuple[Aval]:
    require_kind("integer_pow", x, NUMBERS)
    require(y >= 0 or x.dtype.kind in INEXACT, f"integer_pow: {x} to the negative power {y}")
    return (x,)


def _evaluate_integer_pow(x: np.ndarray, *, y: np.ndarray) -> Any:
    if x.dtype.kind != "c":
        return np.power(x, np.asarray(y).astype(x.dtype))
    # Repeated products: NumPy computes a complex power by logarithms, which is not exact.
    factor = x if y >= 0 else 1 / x
    return functools.reduce(np.multiply, [factor] * builtins.abs(y), np.ones_like(x))


def _integer_pow_partial(z: Value, x: Value, *, y: int) -> Value | int:
    return y * integer_pow(x, y=y - 1) if y not in (0, 1) else y


integer_pow = PointwisePrimitive(
    name="integer_pow",
    avals=_integer_pow_avals,
    lower=lambda x, *, y: lax.integer_pow(x, y),
    evaluate=_evaluate_integer_pow,
    derivative=Partials((_integer_pow_partial,)),
)

# ----- Magnitude and sign


def _abs_partial(y: Value, x: Value) -> Value:
    """The factor f of d|x| = Re(f dx): the sign of x, or its conjugate for complex numbers."""
    return conj(sign(x)) if x.dtype.kind == "c" else sign(x)


def _abs_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    (y,), (x,), (t,) = ys, xs, ts
    product = _abs_partial(y, x) * t
    return (real(product) if x.dtype.kind == "c" else product,)


def _abs_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (x,), (y,), (ct,) = op.operands, op.results, cts
    acc.add(x, convert(ct, dtype=x.dtype) * _abs_partial(y, x))


def _sign_of_complex(y: Value, x: Value) -> Value:
    """1 / 2|x|, and 0 where x = 0."""
    size = abs(x)
    at_zero = eq(size, zeros(size.aval))
    return convert(select(at_zero, 0, 0.5 / select(at_zero, 1, size)), dtype=x.dtype)


# The sign of a complex number is x / |x|: d sign = (dx - sign^2 conj(dx)) / 2|x|.
def _sign_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    (y,), (x,), (t,) = ys, xs, ts
    if x.dtype.kind != "c":
        return (None,)
    return ((t - y * y * conj(t)) * _sign_of_complex(y, x),)


def _lower_abs(x: jax.Array) -> jax.Array:
    return x if np.dtype(x.dtype).kind == "u" else lax.abs(x)


abs = pointwise(
    "abs",
    _lower_abs,
    np.abs,
    derivative=Explicit(_abs_jvp, _abs_vjp),
    result=real_dtype,
    kinds=NUMBERS,
)
sign = pointwise("sign", lax.sign, np.sign, derivative=Explicit(_sign_jvp), kinds=NUMBERS)

# ----- Maximum and minimum: NaN if either is NaN; a tie shares the derivative equally


def _chooser(
    name: str, lower: Formula, evaluate: Formula, may_win: PointwisePrimitive
) -> PointwisePrimitive:
    """The rules select tangents and cotangents: those of the smaller operand may be infinite.

    Two comparisons distinguish the three cases and are all that the reverse sweep reads. For NaN
    both are false, and the derivative is 0.
    """

    def jvp(ys: Values, xs: Values, ts: Tangents) -> Tangents:
        (x, y), (tx, ty) = xs, [zeros(ys[0].aval) if t is None else t for t in ts]
        first, second = may_win(x, y), may_win(y, x)
        one = select(first, tx, select(second, ty, 0))
        return (select(and_(first, second), (tx + ty) * 0.5, one),)

    def vjp(op: Op, cts: Values, acc: Cotangents) -> None:
        (x, y), (ct,) = op.operands, cts
        first, second = may_win(x, y), may_win(y, x)
        for operand, wins, ties in ((x, first, second), (y, second, first)):
            if acc.wants(operand):
                acc.add(operand, select(wins, select(ties, ct * 0.5, ct), 0))

    return pointwise(name, lower, evaluate, derivative=Explicit(jvp, vjp), kinds="biuf")


max = _chooser("max", lax.max, np.maximum, may_win=ge)
min = _chooser("min", lax.min, np.minimum, may_win=le)
