"""Formulas on IR values: functions of NumPy, `math` and `scipy.special` that have no primitive.

Each is differentiable to any order wherever the function is. Values that only scale or select are
held constant, and the unselected branch of a `select` never computes an infinity.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from myia.ir.core import Value
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, bits, logic, transcendental
from myia.primitives.pointwise.logic import convert, select
from myia.primitives.special import exponential_integrals, gamma_bessel

LN2 = math.log(2)


# ----- Properties of numbers


def is_nan(x: Value) -> Value:
    return logic.ne(x, x)


def is_finite(x: Value) -> Value:
    if x.dtype.kind == "c":
        parts = transcendental.real(x), transcendental.imag(x)
        return logic.and_(*map(transcendental.is_finite, parts))
    if x.dtype.kind != "f":
        return constant(True, bool, x.shape)
    return transcendental.is_finite(x)


def is_inf(x: Value) -> Value:
    if x.dtype.kind == "c":
        return logic.or_(is_inf(transcendental.real(x)), is_inf(transcendental.imag(x)))
    if x.dtype.kind != "f":
        return constant(False, bool, x.shape)
    return logic.eq(arithmetic.abs(x), math.inf)


def signbit(x: Value) -> Value:
    """True for negative numbers and -0.0 (the sign of a NaN is ignored)."""
    if x.dtype.kind != "f":
        return logic.lt(x, 0)
    zero = logic.eq(x, 0)
    below = logic.lt(arithmetic.reciprocal(select(zero, x, 1)), 0)
    return logic.or_(logic.lt(x, 0), logic.and_(zero, below))


def truth(x: Value) -> Value:
    """True where `x` is not zero."""
    return x if x.dtype.kind == "b" else logic.ne(x, zeros(x.aval))


# ----- Functions that leave integers and booleans unchanged


def except_integers(f: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """`f` on floats; the identity on integers and booleans."""
    return lambda x: x if x.dtype.kind in "biu" else f(x)


def absolute(x: Value) -> Value:
    return x if x.dtype.kind in "bu" else arithmetic.abs(x)


def conjugate(x: Value) -> Value:
    return transcendental.conj(x) if x.dtype.kind == "c" else x


def fmod(x: Value, y: Value) -> Value:
    """The remainder with the sign of the dividend; zero for integers divided by zero."""
    if x.dtype.kind == "f":
        return arithmetic.rem(x, y)
    by_zero = logic.eq(y, 0)
    return select(by_zero, 0, arithmetic.rem(x, select(by_zero, 1, y)))


# ----- Logarithms and powers


def _log_of_sum(
    x: Value, y: Value, exp: Callable[[Value], Value], log1p: Callable[[Value], Value]
) -> Value:
    """max + log1p(exp(min - max)); for equal infinities that infinity."""
    first = logic.ge(x, y)
    difference = select(first, y - x, x - y)
    alike = logic.and_(logic.eq(x, y), is_inf(x))
    return select(first, x, y) + log1p(exp(select(alike, 0, difference)))


def logaddexp(x: Value, y: Value) -> Value:
    return _log_of_sum(x, y, transcendental.exp, transcendental.log1p)


def logaddexp2(x: Value, y: Value) -> Value:
    return _log_of_sum(x, y, transcendental.exp2, lambda z: transcendental.log1p(z) / LN2)


def safe_sqrt(x: Value) -> Value:
    """The square root, with derivative 0 at 0."""
    at_zero = logic.eq(x, zeros(x.aval))
    return select(at_zero, 0, transcendental.sqrt(select(at_zero, 1, x)))


def hypot(*xs: Value) -> Value:
    """sqrt(x² + y² + ...) without overflow: scaled by a power of two, which is held constant.

    It is that next to the largest: quotients by it are exact.
    """
    sizes = [arithmetic.abs(x) for x in xs]
    scale = _power_of_two_below(functools.reduce(arithmetic.max, sizes))
    usable = logic.and_(transcendental.is_finite(scale), logic.gt(scale, 0))
    scale = logic.stop_gradient(select(usable, scale, 1))
    total = functools.reduce(arithmetic.add, [arithmetic.square(x / scale) for x in xs])
    infinite = functools.reduce(logic.or_, map(is_inf, xs))
    return select(infinite, math.inf, scale * safe_sqrt(select(infinite, 1, total)))


def _power_of_two_below(x: Value) -> Value:
    """The number without the bits of its mantissa."""
    info = np.finfo(x.dtype)
    whole = np.dtype(f"int{info.bits}")
    exponent = (1 << (info.bits - 1)) - (1 << info.nmant)
    read = bits.bitcast(x, dtype=whole)
    return bits.bitcast(logic.and_(read, constant(exponent, whole, x.shape)), dtype=x.dtype)


# ----- Signs


def copysign(x: Value, y: Value) -> Value:
    size = arithmetic.abs(x)
    return select(signbit(y), -size, size)


def heaviside(x: Value, at_zero: Value) -> Value:
    step = select(logic.lt(x, 0), 0, constant(1, x.dtype, x.shape))
    return select(logic.eq(x, 0), at_zero, select(is_nan(x), x, step))


# ----- Maximum and minimum that ignore NaN


def _ignoring_nan(choose: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    def chosen(x: Value, y: Value) -> Value:
        if x.dtype.kind != "f":
            return choose(x, y)
        # A NaN is replaced by the other operand first: no derivative passes through the NaN.
        left, right = select(is_nan(x), y, x), select(is_nan(y), x, y)
        return select(is_nan(x), y, select(is_nan(y), x, choose(left, right)))

    return chosen


fmax = _ignoring_nan(arithmetic.max)
fmin = _ignoring_nan(arithmetic.min)


# ----- Angles


def radians(x: Value) -> Value:
    return x * _quotient(math.pi, 180, x.dtype)


def degrees(x: Value) -> Value:
    return x * _quotient(180, math.pi, x.dtype)


def _quotient(a: float, b: float, dtype: np.dtype) -> float:
    """In the precision of the numbers, as NumPy computes it."""
    if dtype.kind != "f" or dtype.itemsize < 4:
        return a / b
    return float(dtype.type(a) / dtype.type(b))


# ----- The gamma function


def gamma(x: Value) -> Value:
    """exp(log|Γ(x)|) with the sign of Γ: negative between -1 and 0, -3 and -2, ..."""
    half = transcendental.floor(x) * 0.5
    odd = logic.ne(transcendental.floor(half), half)
    size = transcendental.exp(gamma_bessel.lgamma(x))
    return select(logic.and_(logic.lt(x, 0), odd), -size, size)


# ----- The exponential integral


def expn(n: Value, x: Value) -> Value:
    """The exponential integral of order n >= 0, an integer; NaN for a negative order."""
    n = convert(n, dtype=x.dtype)
    return select(logic.lt(n, 0), math.nan, exponential_integrals.expn(n, x))


# ----- Rounding to digits


def rint(x: Value) -> Value:
    return round_to(x, 0)


def round_to(x: Value, digits: int) -> Value:
    """NumPy's `round`: halves to even, of the scaled number."""
    if x.dtype.kind == "c":
        parts = transcendental.real(x), transcendental.imag(x)
        return transcendental.complex(*(round_to(part, digits) for part in parts))
    if digits == 0:
        return transcendental.round(x)
    scale = 10.0 ** abs(digits)
    if digits > 0:
        return transcendental.round(x * scale) / constant(scale, x.dtype, x.shape)
    return transcendental.round(x / constant(scale, x.dtype, x.shape)) * scale


def as_bool(op: Callable[..., Value]) -> Callable[..., Value]:
    """A logical operation on the truth values of numbers."""
    return lambda *xs: op(*map(truth, xs))


def sin_over_x(x: Value) -> Value:
    """sin(x) / x, near 0 by its series, so that derivatives of every order are right."""
    near = logic.lt(arithmetic.abs(x), 0.1)
    square = arithmetic.square(select(near, x, 0))
    series = constant(-1 / math.factorial(11), x.dtype, x.shape)
    for n in (9, 7, 5, 3, 1):
        series = series * square + (-1) ** (n // 2) / math.factorial(n)
    away = select(near, 1, x)
    return select(near, series, transcendental.sin(away) / away)


def modf(x: Value) -> tuple[Value, Value]:
    """The fractional and the whole part, both with the sign of `x`."""
    whole = transcendental.trunc(x)
    rest = select(is_inf(x), zeros(x.aval), arithmetic.sub(x, whole))
    return copysign(rest, x), copysign(whole, x)
