"""Python's `math`: results are Python floats and ints.

Compile-time numbers are computed by Python itself. At run time an error is raised for a point
outside of a function's domain where a handler may catch it (`infer/numeric/float_checks.py`); else
the result is NaN or infinite, as in NumPy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import Abstract, Scalar, Static, Tuple
from myia.infer.numeric.constant_methods import evaluated
from myia.infer.numeric.float_checks import check_math, check_quotient
from myia.infer.operators import operators
from myia.infer.registry import function
from myia.ir.core import Value
from myia.library.source.python import integers
from myia.library.support import value_formulas
from myia.library.support.arguments import value_of
from myia.library.support.from_source import call_source, from_source
from myia.library.support.ways import SOURCE, defined_by
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.special import gamma_bessel

F64 = np.dtype(np.float64)


def _float(ctx: Context, x: Abstract) -> Value:
    """`float(x)` as an IR value."""
    return value_of(ctx, ctx.call(Static(float), (x,), {}), F64)


def _register(f: Callable, emit: Callable[..., Value], count: int | None = 1) -> None:
    """A function of `count` numbers (None: of any number of them)."""

    def handler(ctx: Context, *args: Abstract) -> Abstract:
        if (known := evaluated(ctx, f, *args)) is not None:
            return known
        if count not in (None, len(args)):
            message = f"math.{f.__name__}() takes {count} arguments ({len(args)} given)"
            ctx.fail(BadType, message=message)
        numbers = [_float(ctx, x) for x in args]
        found = emit(*numbers)
        check_math(ctx, f.__name__, numbers, found)
        return Scalar(found, weak=True)

    function(f)(handler)


NAMES = {  # of functions that are the same in `math` and here
    transcendental: "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 "
    "log2 log10 log1p sqrt cbrt atan2",
    value_formulas: "gamma copysign fmod",
    gamma_bessel: "erf erfc lgamma",
    arithmetic: "pow",
}
for _module, _names in NAMES.items():
    for _name in _names.split():
        _count = 2 if _name in ("atan2", "copysign", "fmod", "pow") else 1
        _register(getattr(math, _name), getattr(_module, _name), _count)

FORMULAS: dict[Callable[..., Any], Callable[[Value], Value]] = {
    math.fabs: arithmetic.abs,
    math.radians: value_formulas.radians,
    math.degrees: value_formulas.degrees,
    math.isnan: value_formulas.is_nan,
    math.isinf: value_formulas.is_inf,
    math.isfinite: value_formulas.is_finite,
}
for _f, _emit in FORMULAS.items():
    _register(_f, _emit)

_register(math.hypot, value_formulas.hypot, None)


@function(math.log)
def _log(ctx: Context, x: Abstract, base: Abstract | None = None) -> Abstract:
    numbers = [x] if base is None else [x, base]
    if (known := evaluated(ctx, math.log, *numbers)) is not None:
        return known
    given = [_float(ctx, number) for number in numbers]
    logs = [transcendental.log(number) for number in given]
    for number, log in zip(given, logs):
        check_math(ctx, "log", [number], log)
    if base is None:
        return Scalar(logs[0], weak=True)
    check_quotient(ctx, "/", logs[1])
    # XLA divides by what is no constant: a product with the inverse may be no whole number.
    divisor = logic.select(value_formulas.is_nan(given[0]), given[0], logs[1])
    return Scalar(arithmetic.div(logs[0], divisor), weak=True)


# ----- Rounding to Python integers


def _rounding(f: Callable, emit: Callable[[Value], Value]) -> None:
    def handler(ctx: Context, x: Abstract) -> Abstract:
        if (known := evaluated(ctx, f, x)) is not None:
            return known
        if isinstance(x, Scalar) and x.dtype.kind in "biu":
            return ctx.call(Static(int), (x,), {})
        rounded = Scalar(emit(_float(ctx, x)), weak=True)
        return ctx.call(Static(int), (rounded,), {})  # which checks that it fits

    function(f)(handler)


_rounding(math.floor, transcendental.floor)
_rounding(math.ceil, transcendental.ceil)
_rounding(math.trunc, transcendental.trunc)


@function(math.modf)
def _modf(ctx: Context, x: Abstract) -> Abstract:
    """The fractional and the whole part, both with the sign of `x`."""
    if (known := evaluated(ctx, math.modf, x)) is not None:
        return known
    return Tuple(tuple(Scalar(part, weak=True) for part in value_formulas.modf(_float(ctx, x))))


@function(math.ldexp)
def _ldexp(ctx: Context, x: Abstract, i: Abstract) -> Abstract:
    if (known := evaluated(ctx, math.ldexp, x, i)) is not None:
        return known
    number = _float(ctx, x)
    found = ctx.call(Static(np.ldexp), (Scalar(number, weak=True), i), {})
    check_math(ctx, "ldexp", [number], value_of(ctx, found, F64))
    return ctx.call(Static(float), (found,), {})


@from_source(math.frexp)
def frexp(x: Any, /) -> Any:
    mantissa, exponent = np.frexp(float(x))
    return float(mantissa), int(exponent)


@from_source(math.nextafter)
def nextafter(x: Any, y: Any, /) -> Any:
    return float(np.nextafter(float(x), float(y)))


@from_source(math.ulp)
def ulp(x: Any, /) -> Any:
    size = abs(float(x))
    return size if math.isinf(size) else float(np.spacing(size))


@function(math.remainder)
def _remainder(ctx: Context, x: Abstract, y: Abstract) -> Abstract:
    if (known := evaluated(ctx, math.remainder, x, y)) is not None:
        return known
    numbers = [_float(ctx, x), _float(ctx, y)]
    given = tuple(Scalar(number, weak=True) for number in numbers)
    found = call_source(ctx, _nearest_remainder, given, {})
    check_math(ctx, "remainder", numbers, value_of(ctx, found, F64))
    return found


def _nearest_remainder(x: Any, y: Any) -> Any:
    """The difference to the nearest multiple of `y`, to the even one of two (IEEE 754)."""
    if math.isinf(y) and math.isfinite(x):
        return x
    y = abs(y)
    rest = math.fmod(abs(x), y)  # of 0 and y, which is nearer?
    over = y - rest
    if rest == over:
        rest -= 2.0 * math.fmod(0.5 * (abs(x) - rest), y)
    elif rest > over:
        rest = -over
    return math.copysign(1.0, x) * rest


# ----- Sequences of numbers


@function(math.prod)
def _prod(ctx: Context, iterable: Abstract, *, start: Abstract = Static(1)) -> Abstract:
    items = ctx.list_items(iterable)
    return functools.reduce(lambda a, b: operators.binary(ctx, "*", a, b), items, start)


@from_source(math.dist)
def dist(p: Any, q: Any, /) -> Any:
    return math.hypot(*[a - b for a, b in zip(p, q, strict=True)])


@from_source(math.isclose)
def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    a, b = float(a), float(b)
    near = abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
    return bool(a == b or (near and not (math.isinf(a) or math.isinf(b))))


# ----- Integers


def _of_integers(name: str) -> None:
    """Of integers that may be known at run time; in a loop that can be unrolled they are not."""
    f, source = getattr(math, name), getattr(integers, name)

    def handler(ctx: Context, *args: Abstract) -> Abstract:
        if (known := evaluated(ctx, f, *args)) is not None:
            return known
        ctx.prefer_static(f"an argument of `math.{name}`")
        return call_source(ctx, source, args, {})

    function(f)(defined_by(SOURCE, handler))


for _name in ("comb", "factorial", "gcd", "isqrt", "lcm", "perm"):
    _of_integers(_name)
