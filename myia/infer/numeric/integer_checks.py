"""Integer arithmetic with run-time checks: Python's integers are exact, so overflow is an error.

    n * n    ->    %y = mul %n %n, and a check `OverflowError` unless the ranges exclude overflow

A check of overflow or division by zero is emitted only where the known ranges of the operands do
not prove it needless. NumPy's integers wrap around, and dividing them by zero gives zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import INT64_MAX, INT64_MIN, bounds, is_number
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import Abstract, Number, Scalar, Static, is_static_int
from myia.infer.numeric.integer_elements import check_python_integer
from myia.infer.numeric.promotion import PRIMITIVES, broadcast_shapes, operand, result
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import convert

MAX_STATIC_BITS = 1 << 16  # of a compile-time integer

Range = tuple[int | None, int | None]

OVERFLOW = "integer overflow beyond 64 bits"
NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


def binary(
    ctx: Context, op: str, a: Abstract, b: Abstract, dtype: np.dtype, weak: bool
) -> Abstract:
    """An operator on integers of `dtype`; `weak`: they are Python's integers."""
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    x, y = operand(ctx, a, aval), operand(ctx, b, aval)
    if op in ("//", "%"):
        value = _divide(ctx, op, a, b, x, y, weak)
    else:
        if weak and op in ("<<", ">>"):
            _check_shift(ctx, b, y)
        value = PRIMITIVES[op](x, y)
    if not weak:
        return result(ctx, value, False)
    lo, hi = _result_range(op, bounds(a), bounds(b))
    if op in _OVERFLOW_TESTS and not _fits_int64(lo, hi):
        ctx.check(_OVERFLOW_TESTS[op](x, y, value), OverflowError, OVERFLOW, of_int64=True)
        lo, hi = _clip_int64(lo), _clip_int64(hi)
    return Scalar(value, True, lo, hi, _linear_form(op, a, b))


def _linear_form(op: str, a: Abstract, b: Abstract) -> tuple[Value, int, int] | None:
    """The linear form (base, scale, offset) of a result: (i, 2, 3) for `2 * i + 3`."""
    if op in ("+", "*") and is_static_int(a):
        a, b = b, a
    if op == "-" and is_static_int(a) and isinstance(b, Scalar):
        base, scale, offset = b.linear_form
        return base, -scale, int(a.value) - offset
    if op not in ("+", "-", "*") or not isinstance(a, Scalar) or not is_static_int(b):
        return None
    base, scale, offset = a.linear_form
    n = int(b.value)
    if op == "*":
        return base, scale * n, offset * n
    return base, scale, offset + (n if op == "+" else -n)


def as_python_int(ctx: Context, x: Value, hi: int | None = None) -> Value:
    """An integer, at most `hi` if that is known, as Python's int."""
    if x.dtype == np.uint64 and (hi is None or hi > INT64_MAX):
        too_large = logic.gt(x, constant(INT64_MAX, x.dtype, x.shape))
        ctx.check(too_large, OverflowError, OVERFLOW, of_int64=True)
    return convert(x, dtype=np.dtype(np.int64))


def as_index(ctx: Context, x: Number) -> Number:
    """`operator.index(x)`: an integer of any dtype as Python's int."""
    if isinstance(x, Static):
        return Static(int(x.value))
    if x.weak and x.dtype == np.int64:
        return x
    lo, hi = bounds(x)
    return Scalar(as_python_int(ctx, x.value, hi), True, lo, _clip_int64(hi))


def _fits_int64(lo: int | None, hi: int | None) -> bool:
    return lo is not None and hi is not None and lo >= INT64_MIN and hi <= INT64_MAX


def _clip_int64(x: int | None) -> int | None:
    return None if x is None else min(max(x, INT64_MIN), INT64_MAX)


def _result_range(op: str, a: Range, b: Range) -> Range:
    """The range of a result, from the ranges of the operands."""
    if op in ("+", "-"):
        low, high = (b[0], b[1]) if op == "+" else (_negate_bound(b[1]), _negate_bound(b[0]))
        return _add_bounds(a[0], low), _add_bounds(a[1], high)
    if op == "*":
        products = [p * q for p in a for q in b if p is not None and q is not None]
        return (min(products), max(products)) if len(products) == 4 else (None, None)
    if op == "%" and b[0] is not None and b[0] > 0:
        return 0, None if b[1] is None else b[1] - 1
    if op == "//" and b[0] is not None and b[0] > 0:
        if a[0] is not None and a[0] >= 0:
            return 0, None if a[1] is None else a[1] // b[0]
        # Division by 1 keeps both bounds; by more, a negative number comes nearer to -1.
        known = a[0] is not None and a[1] is not None and b[1] is not None
        return (a[0], max(a[1] or 0, -1)) if known else (None, None)
    return None, None


def _add_bounds(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _negate_bound(a: int | None) -> int | None:
    return None if a is None else -a


def _add_overflows(x: Value, y: Value, r: Value) -> Value:
    """x + y wraps when the sign of the result differs from both operands'."""
    return logic.lt(logic.and_(logic.xor(x, r), logic.xor(y, r)), 0)


def _sub_overflows(x: Value, y: Value, r: Value) -> Value:
    return logic.lt(logic.and_(logic.xor(x, y), logic.xor(x, r)), 0)


def _mul_overflows(x: Value, y: Value, r: Value) -> Value:
    """Test the product in floating point, whose relative error is at most 2**-52."""
    # Three roundings, but only two matter: if both operands were above 2**53, where conversions
    # round, the product would be far above the limit.
    product = arithmetic.mul(convert(x, dtype=np.dtype(float)), convert(y, dtype=np.dtype(float)))
    return logic.ge(arithmetic.abs(product), 2.0**63 * (1 - 2.0**-51))


def _shift_overflows(x: Value, y: Value, r: Value) -> Value:
    """A shift overflows when shifting back gives another number."""
    return logic.ne(logic.shift_right(r, y), x)


_OVERFLOW_TESTS: dict[str, Callable[[Value, Value, Value], Value]] = {
    "+": _add_overflows,
    "-": _sub_overflows,
    "*": _mul_overflows,
    "<<": _shift_overflows,
}


def _check_shift(ctx: Context, b: Abstract, y: Value) -> None:
    lo, _ = bounds(b)
    if lo is None or lo < 0:
        ctx.check(logic.lt(y, 0), ValueError, "negative shift count")


def _divide(
    ctx: Context, op: str, a: Abstract, b: Abstract, x: Value, y: Value, weak: bool
) -> Value:
    primitive = PRIMITIVES[op]
    if weak:
        check_divisor(ctx, op, b, x.dtype)
        if op == "//" and _may_be(bounds(b), -1) and _may_be(bounds(a), INT64_MIN):
            failed = logic.and_(logic.eq(x, INT64_MIN), logic.eq(y, -1))
            ctx.check(failed, OverflowError, OVERFLOW, of_int64=True)
        return primitive(x, y)
    if is_number(b) and not _may_be(bounds(b), 0):
        return primitive(x, y)
    by_zero = logic.eq(y, 0)
    return logic.select(by_zero, 0, primitive(x, logic.select(by_zero, 1, y)))


def _may_be(known: Range, n: int) -> bool:
    """Does the range hold n?"""
    lo, hi = known
    return (lo is None or lo <= n) and (hi is None or n <= hi)


def check_divisor(ctx: Context, op: str, b: Abstract, dtype: np.dtype) -> None:
    """ZeroDivisionError at run time, unless the divisor's range excludes 0."""
    check_not_zero(ctx, b, dtype, ZeroDivisionError, _by_zero(op))


def check_not_zero(
    ctx: Context, b: Abstract, dtype: np.dtype, error: type[Exception], message: str
) -> None:
    if is_static_int(b) and b.value == 0:
        ctx.fail(BadValue, message=message, exception=error.__name__)
    if _may_be(bounds(b), 0):
        ctx.check(logic.eq(operand(ctx, b, Aval(dtype)), 0), error, message)


DIVISIONS: dict[str, Callable[[int], float]] = {
    "/": lambda x: x / 0,
    "//": lambda x: x // 0,
    "%": lambda x: x % 0,
    "**": lambda x: (x - x) ** -x,
}


@functools.cache
def _by_zero(op: str) -> str:
    """Python's message of a division by zero, which depends on its version."""
    try:
        DIVISIONS[op](1)
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError(op)


def check_negation(ctx: Context, known: Range, value: Value) -> None:
    """OverflowError at run time for the one number whose negative has more than 64 bits."""
    if _may_be(known, INT64_MIN):
        ctx.check(logic.eq(value, INT64_MIN), OverflowError, OVERFLOW, of_int64=True)


def negative(ctx: Context, x: Abstract, value: Value) -> Abstract:
    lo, hi = bounds(x)
    check_negation(ctx, (lo, hi), value)
    linear = _linear_form("-", Static(0), x)
    low, high = _negate_bound(hi), _clip_int64(_negate_bound(lo))
    return Scalar(arithmetic.neg(value), True, low, high, linear)


def power(ctx: Context, a: Abstract, b: Abstract, dtype: np.dtype, weak: bool) -> Abstract:
    """A power of integers: a negative exponent gives a float in Python, an error in NumPy."""
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    x = operand(ctx, a, aval)
    if is_static_int(b):
        n = int(b.value)
        if n < 0 and weak:
            check_divisor(ctx, "**", a, dtype)
            wide = convert(x, dtype=np.dtype(float))
            return result(ctx, arithmetic.integer_pow(wide, y=n), True)
        if n < 0:
            ctx.fail(BadValue, message=NEGATIVE_POWER)
        if not weak:
            check_python_integer(ctx, b, dtype)
        value = arithmetic.integer_pow(x, y=n)
        if weak:
            _check_power(ctx, bounds(a), x, constant(n, np.float64), n)
        lo = 0 if n % 2 == 0 else None
        return result(ctx, value, weak, lo) if weak else result(ctx, value, False)
    y = operand(ctx, b, aval)
    negative = ctx.any(logic.lt(y, 0))
    if not weak:
        ctx.check(negative, ValueError, NEGATIVE_POWER)
        return result(ctx, _square_and_multiply(ctx, x, y), False)
    message = "an integer to a negative power is a float in Python: convert one to float"
    ctx.check(negative, ValueError, message, of_int64=True)
    _check_power(ctx, (None, None), x, convert(y, dtype=np.dtype(float)), None)
    return result(ctx, _square_and_multiply(ctx, x, y), True)


def _check_power(ctx: Context, known: Range, x: Value, n: Value, static: int | None) -> None:
    lo, hi = known
    proved = static is not None and lo is not None and hi is not None
    if proved and max(abs(lo or 0), abs(hi or 0)) ** (static or 0) <= INT64_MAX:
        return
    size = arithmetic.abs(convert(x, dtype=np.dtype(float)))
    # The margin covers the error of `pow`. Powers just below 2**63 are refused as well.
    failed = logic.ge(arithmetic.pow(size, n), 2.0**63 * (1 - 2.0**-40))
    ctx.check(failed, OverflowError, OVERFLOW, of_int64=True)


def _square_and_multiply(ctx: Context, x: Value, n: Value) -> Value:
    """x ** n for n >= 0, elementwise, in log2(the greatest n) steps."""

    def step(_: Value, power: Value, square: Value, n: Value) -> list[Value]:
        odd = logic.eq(logic.and_(n, 1), 1)
        power = logic.select(odd, arithmetic.mul(power, square), power)
        return [power, arithmetic.mul(square, square), logic.shift_right(n, 1)]

    start = constant(1, x.dtype, x.shape)
    more = lambda k, power, square, n: ctx.any(logic.gt(n, 0))  # noqa: E731
    return loop([start, x, n], step, cond=more, bound=64)[0]


# ----- Compile-time integers


def check_size(ctx: Context, op: str, a: Any, b: Any) -> None:
    """No integer that an operator makes of two others is too large to compute with.

    A recursion under a run-time condition squares its argument in more calls than will be made.
    """
    if isinstance(a, int) and isinstance(b, int) and _greatest_bits(op, a, b) > MAX_STATIC_BITS:
        ctx.fail(BadValue, message="this integer is too large", exception="OverflowError")


def _greatest_bits(op: str, a: int, b: int) -> int:
    """How many bits the result may have; 0 if few more than they have."""
    if op == "**":
        return a.bit_length() * b
    if op == "*":
        return a.bit_length() + b.bit_length()
    return a.bit_length() + b if op == "<<" else 0
