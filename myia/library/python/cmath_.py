"""Python's `cmath`: NumPy's functions, whose results are Python complex numbers.

Where a handler may catch it, a finite point with an infinite result raises Python's error; else the
result is infinite or NaN, as in NumPy.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Scalar, Static
from myia.infer.numeric.constant_methods import evaluated
from myia.infer.numeric.float_checks import check_complex
from myia.infer.operators import operators
from myia.infer.registry import function
from myia.library.support.from_source import from_source

NAMES = "exp log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"


def _evaluate(ctx: Context, name: str, x: Abstract) -> Abstract:
    if (known := evaluated(ctx, getattr(cmath, name), x)) is not None:
        return known
    z = ctx.call(Static(complex), (x,), {})
    found = ctx.call(Static(getattr(np, name)), (z,), {})
    assert isinstance(z, Scalar) and isinstance(found, Scalar)
    check_complex(ctx, name, z.value, found.value)
    return ctx.call(Static(complex), (found,), {})


def _register(name: str) -> None:
    @function(getattr(cmath, name))
    def handler(ctx: Context, z: Abstract, /) -> Abstract:
        return _evaluate(ctx, name, z)


for _name in NAMES.split():
    _register(_name)


@function(cmath.log)
def _log(ctx: Context, z: Abstract, base: Abstract | None = None, /) -> Abstract:
    if base is None:
        return _evaluate(ctx, "log", z)
    if (known := evaluated(ctx, cmath.log, z, base)) is not None:
        return known
    logs = [_evaluate(ctx, "log", x) for x in (z, base)]
    return operators.binary(ctx, "/", *logs)


@from_source(cmath.phase)
def phase(z: Any, /) -> Any:
    z = complex(z)
    return math.atan2(z.imag, z.real)


@from_source(cmath.polar)
def polar(z: Any, /) -> Any:
    z = complex(z)
    return abs(z), math.atan2(z.imag, z.real)


@from_source(cmath.rect)
def rect(r: Any, phi: Any, /) -> Any:
    return complex(r * math.cos(phi), r * math.sin(phi))


@from_source(cmath.isnan)
def isnan(z: Any, /) -> Any:
    z = complex(z)
    return math.isnan(z.real) or math.isnan(z.imag)


@from_source(cmath.isinf)
def isinf(z: Any, /) -> Any:
    z = complex(z)
    return math.isinf(z.real) or math.isinf(z.imag)


@from_source(cmath.isfinite)
def isfinite(z: Any, /) -> Any:
    z = complex(z)
    return math.isfinite(z.real) and math.isfinite(z.imag)


@from_source(cmath.isclose)
def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    a, b = complex(a), complex(b)
    near = abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
    return a == b or (near and not (cmath.isinf(a) or cmath.isinf(b)))
