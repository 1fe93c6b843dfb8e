"""Errors of Python's floats and of `math`, where a handler may catch them.

    try:
        y = 1 / x                       check x == 0: ZeroDivisionError
    except ZeroDivisionError:    ->
        y = 0.0

Elsewhere floats that Python refuses to compute are infinite or NaN, as NumPy's (`docs/python.md`):
nothing is checked that nobody waits for.
"""

from __future__ import annotations

import errno
import math
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce

from myia.infer.domain.checks import check_of
from myia.infer.domain.context import Context
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic, transcendental

QUOTIENTS: dict[str, Callable] = {
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
DOMAIN, RANGE = ValueError("math domain error"), OverflowError("math range error")
LARGE_POWER = OverflowError(errno.ERANGE, os.strerror(errno.ERANGE))

# Functions of `math` whose results may be too large.
OVERFLOWING = {"exp", "exp2", "expm1", "sinh", "cosh", "pow", "gamma", "lgamma", "ldexp"}
# Of these, such that are infinite at poles, too: where is an infinite result one of a pole?
POLES = {"pow": logic.eq, "gamma": logic.le, "lgamma": logic.le}
TOTAL = {"erf", "erfc", "atan2", "copysign", "fabs", "radians", "degrees", "hypot", "cbrt"}
TOTAL |= {"isnan", "isinf", "isfinite"}


def raise_where(ctx: Context, failed: Value, error: Exception) -> None:
    """At run time, where `failed` holds, this error."""
    ctx.add_check(failed, check_of(error))


def check_quotient(ctx: Context, op: str, y: Value) -> None:
    """`x op y` of Python's floats or complex numbers."""
    if op in QUOTIENTS and ctx.handlers.catches(ZeroDivisionError):
        raise_where(ctx, logic.eq(y, constant(0, y.dtype)), by_zero(op, y.dtype.kind))


@cache
def by_zero(op: str, kind: str) -> ZeroDivisionError:
    """Python's error, whose text depends on its version."""
    one = {"c": 1j, "f": 1.0}.get(kind, 1)
    try:
        operator.pow(0 * one, -one) if op == "**" else QUOTIENTS[op](one, 0 * one)
    except ZeroDivisionError as error:
        return ZeroDivisionError(*error.args)
    raise AssertionError(op)


def check_power(ctx: Context, x: Value, y: Value, result: Value) -> None:
    """`x ** y` of Python's floats."""
    if not ctx.handlers.catches(ZeroDivisionError, OverflowError) or x.dtype.kind != "f":
        return
    zero, negative = logic.eq(x, constant(0, x.dtype)), logic.lt(y, constant(0, y.dtype))
    raise_where(ctx, logic.and_(zero, negative), by_zero("**", "f"))
    infinite = logic.and_(_is_infinite(result), _all(map(transcendental.is_finite, (x, y))))
    raise_where(ctx, logic.and_(infinite, logic.not_(zero)), LARGE_POWER)


def check_math(ctx: Context, name: str, xs: Sequence[Value], result: Value) -> None:
    """`math.name(*xs)`"""
    if name in TOTAL or not ctx.handlers.catches(ValueError, OverflowError):
        return
    is_nan = logic.ne(result, result)
    raise_where(ctx, logic.and_(is_nan, _all(logic.eq(x, x) for x in xs)), DOMAIN)
    infinite = logic.and_(_is_infinite(result), _all(map(transcendental.is_finite, xs)))
    if name not in OVERFLOWING:
        raise_where(ctx, infinite, DOMAIN)
        return
    if name in POLES:
        pole = POLES[name](xs[0], constant(0, xs[0].dtype))
        raise_where(ctx, logic.and_(infinite, pole), DOMAIN)
    if name == "gamma":
        raise_where(ctx, logic.eq(xs[0], constant(-math.inf, xs[0].dtype)), DOMAIN)
    raise_where(ctx, infinite, RANGE)


def check_complex(ctx: Context, name: str, z: Value, result: Value) -> None:
    """`cmath.name(z)`: infinite only at poles, and where it is too large."""
    if ctx.handlers.catches(ValueError, OverflowError):
        error = DOMAIN if name in ("log", "log10", "atan", "atanh") else RANGE
        lost = logic.not_(_is_finite_complex(result))
        raise_where(ctx, logic.and_(lost, _is_finite_complex(z)), error)


def _is_finite_complex(z: Value) -> Value:
    parts = (transcendental.real(z), transcendental.imag(z))
    return _all(map(transcendental.is_finite, parts))


def _is_infinite(x: Value) -> Value:
    return logic.and_(logic.eq(x, x), logic.not_(transcendental.is_finite(x)))


def _all(tests: Iterable[Value]) -> Value:
    return reduce(logic.and_, tests)
