"""Python's built-in functions of numbers, and the functions of `operator`."""

from __future__ import annotations

import builtins
import math
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    INT64_MAX,
    PYTHON_DTYPES,
    bounds,
    convert,
    is_number,
    is_weak,
    kind_of,
    number_value,
)
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import (
    FALSE,
    NONE,
    Abstract,
    Scalar,
    Static,
    Tuple,
    is_none,
    is_static_number,
)
from myia.infer.numeric import integer_checks
from myia.infer.numeric.constant_methods import evaluate_constant, evaluated
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.numeric.samples import error_of, fail_without
from myia.infer.operators import operators
from myia.infer.operators.numpy_operands import is_numpys
from myia.infer.operators.truth import truth
from myia.infer.parameters import keeps_none
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.core import Value
from myia.library.source.python import integers
from myia.library.support.decimal_digits import MOST_DIGITS, round_to_digits
from myia.library.support.from_source import call_source
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic, transcendental

MOST_DIGITS_OF_INT = 18  # 10**19 has more than 64 bits


@function(abs)
def _abs(ctx: Context, x: Abstract) -> Abstract:
    if is_static_number(x):
        return Static(abs(x.value))
    if (found := ctx.special_method(x, "__abs__")) is not None:
        return ctx.call(found, (), {})
    if not is_number(x) and not is_numpys(ctx, x):
        _refuse_without(ctx, x, "__abs__", "abs()")
    if not isinstance(x, Scalar) or not x.weak:
        return ctx.call(Static(np.absolute), (x,), {})
    if x.dtype.kind == "b":
        return Scalar(convert(x.value, PYTHON_DTYPES[int]), True, 0, 1)
    if x.dtype.kind != "i":
        return Scalar(arithmetic.abs(x.value), weak=True)
    lo, hi = bounds(x)
    integer_checks.check_negation(ctx, (lo, hi), x.value)
    size = None if lo is None or hi is None else min(max(abs(lo), abs(hi)), INT64_MAX)
    return Scalar(arithmetic.abs(x.value), True, 0, size)


@function(float)
def _float(ctx: Context, x: Abstract = Static(0.0)) -> Abstract:
    if isinstance(x, Static):
        return evaluate_constant(ctx, float, x.value)
    if (found := ctx.special_method(x, "__float__")) is not None:
        return ctx.call(found, (), {})
    return _scalar(ctx, x, PYTHON_DTYPES[float], "float")


@function(complex)
def _complex(ctx: Context, real: Abstract = Static(0), imag: Abstract | None = None) -> Abstract:
    """Of its parts: a sum with `imag * 1j` has NaN for infinities, and no -0.0."""
    if imag is None and isinstance(real, Static):
        return evaluate_constant(ctx, complex, real.value)
    real = _by_method(ctx, real, "__complex__")
    if imag is None:
        re, im = _complex_parts(ctx, real)
        im = constant(0.0, np.float64) if im is None else im
        return Scalar(transcendental.complex(re, im), weak=True)
    imag = _by_method(ctx, imag, "__float__")
    if isinstance(real, Static) and isinstance(imag, Static):
        return evaluate_constant(ctx, complex, real.value, imag.value)
    if isinstance(error := error_of(ctx, complex, (real, imag), {}), TypeError):
        ctx.fail(BadType, message=str(error))
    a, b = _complex_parts(ctx, real), _complex_parts(ctx, imag)
    re = a[0] if b[1] is None else arithmetic.sub(a[0], b[1])
    im = b[0] if a[1] is None else arithmetic.add(b[0], a[1])
    return Scalar(transcendental.complex(re, im), weak=True)


def _by_method(ctx: Context, x: Abstract, name: str) -> Abstract:
    """The number that an object is by its own method; what has none is left alone."""
    found = ctx.special_method(x, name)
    return x if found is None else ctx.call(found, (), {})


def _complex_parts(ctx: Context, x: Abstract) -> tuple[Value, Value | None]:
    """The parts of an argument of `complex`; None: it is a real number."""
    if (is_number(x) or ctx.is_array(x)) and operand_dtype(ctx, x)[0].kind == "c":
        z = _scalar(ctx, x, PYTHON_DTYPES[complex], "complex").value
        return transcendental.real(z), transcendental.imag(z)
    return number_value(_float(ctx, x), PYTHON_DTYPES[float]), None


@function(bool)
@keeps_none
def _bool(ctx: Context, x: Abstract = FALSE) -> Abstract:
    return truth(ctx, x)


@function(int)
def _int(ctx: Context, x: Abstract = Static(0), base: Abstract | None = None) -> Abstract:
    if base is not None:
        text, n = ctx.static(x, "the text of a number"), ctx.static(base, "the base of a number")
        return evaluate_constant(ctx, int, text, n)
    if isinstance(x, Static):
        return evaluate_constant(ctx, int, x.value)
    if (found := ctx.special_method(x, "__int__")) is not None:
        return ctx.call(found, (), {})
    kind = operand_dtype(ctx, x)[0].kind if is_number(x) or ctx.is_array(x) else ""
    if kind == "f":
        wide = _scalar(ctx, x, PYTHON_DTYPES[float], "int").value
        ctx.check(logic.ne(wide, wide), ValueError, "cannot convert float NaN to integer")
        if ctx.handlers.catches(OverflowError):
            infinite = logic.not_(transcendental.is_finite(wide))
            ctx.check(infinite, OverflowError, "cannot convert float infinity to integer")
        outside = logic.not_(logic.lt(arithmetic.abs(wide), constant(2.0**63, np.float64)))
        message = "cannot convert this float to an int"
        ctx.check(outside, OverflowError, message, is_python=False)
        return Scalar(convert(transcendental.trunc(wide), PYTHON_DTYPES[int]), True)
    lo, hi = (0, 1) if kind == "b" else bounds(x) if isinstance(x, Scalar) else (None, None)
    if kind == "u":
        value = _scalar(ctx, x, operand_dtype(ctx, x)[0], "int").value
        value = integer_checks.as_python_int(ctx, value, hi)
        lo = 0 if lo is None else lo
    else:
        value = _scalar(ctx, x, PYTHON_DTYPES[int], "int").value
    return Scalar(value, True, lo, hi)


def _scalar(ctx: Context, x: Abstract, dtype: np.dtype, name: str) -> Scalar:
    """The one number in `x`, as a Python number of `dtype`."""
    if is_number(x):
        value = x.value
    elif ctx.is_array(x) and isinstance(
        error := error_of(ctx, getattr(builtins, name), (x,), {}), TypeError
    ):
        ctx.fail(BadType, message=str(error))
    elif ctx.is_array(x) and int(np.prod(ctx.shape(x))) == 1:
        value = ctx.reshape(ctx.read(x), ())
    else:
        ctx.fail(BadType, message=f"{name}() of {ctx.describe(x)}")
    if value.dtype.kind == "c" and dtype.kind != "c":
        ctx.fail(BadType, message=f"{name}() of a complex number")
    return Scalar(convert(value, dtype), weak=True)


@function(round)
def _round(ctx: Context, x: Abstract, ndigits: Abstract = NONE) -> Abstract:
    if isinstance(x, Static) and isinstance(ndigits, Static):
        return evaluate_constant(ctx, round, x.value, ndigits.value)
    if (found := ctx.special_method(x, "__round__")) is not None:
        return ctx.call(found, () if is_none(ndigits) else (ndigits,), {})
    if isinstance(error := error_of(ctx, round, (x,), {}), TypeError):
        ctx.fail(BadType, message=str(error))
    if not is_number(x):
        ctx.fail(UnsupportedFunction, what=f"`round()` of {ctx.describe(x)}")
    if not is_none(ndigits):
        return _round_to_digits(ctx, x, ndigits)
    if kind_of(x) in "iub":
        return _int(ctx, x)
    rounded = Scalar(
        transcendental.round(_scalar(ctx, x, PYTHON_DTYPES[float], "round").value), True
    )
    return _int(ctx, rounded)


def _round_to_digits(ctx: Context, x: Abstract, ndigits: Abstract) -> Abstract:
    if not is_number(x) or not is_weak(x):
        return ctx.call(Static(np.round), (x, ndigits), {})
    digits: int = ctx.int_of(ndigits, "the number of digits")
    if kind_of(x) in "iub":
        if digits >= 0:
            return operators.unary(ctx, "+", x)
        if digits >= -MOST_DIGITS_OF_INT:
            return call_source(ctx, _rounded_int, (x, Static(10**-digits)), {})
    elif kind_of(x) == "f" and 0 <= digits <= MOST_DIGITS:
        return Scalar(round_to_digits(x.value, digits), weak=True)
    elif kind_of(x) == "f" and -MOST_DIGITS <= digits < 0:
        whole = Scalar(logic.stop_gradient(x.value), weak=True)
        return call_source(ctx, _rounded_float, (whole, Static(10.0**-digits)), {})
    ctx.fail(
        UnsupportedFunction,
        what=f"`round` of a Python number to {digits} digits",
        label_text=f"10**{abs(digits)} is not exact here, and Python rounds the exact number",
        help_text="use `np.round(x, n)`, which rounds `x * 10**n`",
    )


def _rounded_int(n: Any, unit: int) -> Any:
    """`n` to a multiple of `unit`, half to even."""
    count, rest = divmod(n, unit)
    if rest > unit // 2 or (rest == unit // 2 and count % 2 == 1):
        count += 1
    return count * unit


def _rounded_float(x: Any, unit: float) -> Any:
    """The float next to a multiple of `unit`: the remainder is exact, and of half goes to even."""
    if not math.isfinite(x):
        return x
    return math.copysign(x - math.remainder(x, unit), x)


def _refuse_without(ctx: Context, x: Abstract, method: str, name: str) -> NoReturn:
    message = f"bad operand type for {name}: {{}}"
    fail_without(ctx, x, [method], message, f"`{name}` of {ctx.describe(x)}")


@function(divmod)
def _divmod(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    return Tuple((operators.binary(ctx, "//", a, b), operators.binary(ctx, "%", a, b)))


@function(pow)
def _pow(ctx: Context, base: Abstract, exp: Abstract, mod: Abstract = NONE) -> Abstract:
    if is_none(mod):
        return operators.binary(ctx, "**", base, exp)
    if (found := ctx.special_method(base, "__pow__")) is not None:
        return ctx.call(found, (exp, mod), {})
    given = (base, exp, mod)
    if isinstance(error := error_of(ctx, pow, given, {}), TypeError):
        ctx.fail(BadType, message=str(error))
    if (known := evaluated(ctx, pow, *given)) is not None:
        return known
    if not all(is_number(x) and is_weak(x) for x in given):
        ctx.fail(UnsupportedFunction, what="`pow` of three arguments other than ints")
    ctx.prefer_static("an argument of `pow`")
    return call_source(ctx, integers.power_modulo, given, {})
