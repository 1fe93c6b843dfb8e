"""Equations of arithmetic."""

from __future__ import annotations

import math

from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation, is_integer, is_real
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import (
    add,
    div,
    integer_pow,
    mul,
    neg,
    sub,
)
from myia.primitives.pointwise.logic import select

# ----- Sums: -0.0 is the neutral element of floating-point addition, 0.0 is not (-0.0 + 0.0 == 0.0)


@equation(add, "x + 0 == x (integers); x + -0.0 == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return match.other_than(0 if is_integer(x) else -0.0, x, y) if is_real(x) else None


@equation(add, "x + 0.0 == x (reassociable sums)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    """The zero at the start of a sum of cotangents is not the user's: -0.0 may stay -0.0."""
    return match.other_than(0.0, x, y) if op.params.get("reassoc") and is_real(x) else None


@equation(add, "select(p, 0, x) + select(p, x, 0) == x + 0")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    """Cotangents that bypass a masked part of an array, plus those that pass through unchanged."""
    left, right = match.defined_by(select, x), match.defined_by(select, y)
    if left is None or right is None or left.operands[0] is not right.operands[0]:
        return None
    _, a, b = left.operands
    crossed = right.operands[1:] == (b, a)
    zero = match.is_number(a, 0) or match.is_number(b, 0)
    return add(a, b) if crossed and zero else None


@equation(add, "x + -y == x - y")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    if op.params.get("reassoc"):
        return None  # `sub` has no `reassoc`: the licence to reorder would be lost
    negated = match.operand_of(neg, y)
    if negated is not None:
        return sub(x, negated)
    negated = match.operand_of(neg, x)
    return None if negated is None else sub(y, negated)


@equation(sub, "x - 0 == x; x - 0.0 == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return x if is_real(x) and match.is_number(y, 0) else None


@equation(sub, "0 - x == -x (integers); -0.0 - x == -x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return neg(y) if is_real(x) and match.is_number(x, 0 if is_integer(x) else -0.0) else None


@equation(sub, "x - -y == x + y")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    negated = match.operand_of(neg, y)
    return None if negated is None else add(x, negated)


@equation(sub, "x - x == 0 (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return constant(0, x.dtype, x.shape) if x is y and is_integer(x) else None


@equation(neg, "--x == x")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return match.operand_of(neg, x)


def _split_offset(match: Matcher, x: Value) -> tuple[int, Value, int] | None:
    """(sign, y, n) such that the integer `x` is `n + sign * y` with a constant n; or None."""
    op = match.defined_by(add, x) or match.defined_by(sub, x)
    if op is None or x.dtype.kind != "i":
        return None
    sign = 1 if op.primitive is add else -1
    y, z = op.operands
    a, b = match.number(y), match.number(z)
    if b is not None:
        return 1, y, sign * b
    return None if a is None else (sign, z, a)


def _merge_offsets(match: Matcher, x: Value, n: int | None, sign: int = 1) -> Value | None:
    """`n + sign * x` as one sum of `y` and a constant if `x` is `m +- y`; else None."""
    found = _split_offset(match, x)
    if found is None or n is None:
        return None
    inner, y, m = found
    bits = 8 * x.dtype.itemsize
    total = (n + sign * m + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    number = constant(total, x.dtype, x.shape)
    return add(y, number) if sign * inner == 1 else sub(number, y)


@equation(add, "(x + a) + b == x + (a + b), (a - x) + b == (a + b) - x (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return _merge_offsets(match, x, match.number(y)) or _merge_offsets(match, y, match.number(x))


@equation(sub, "(x + a) - b == x + (a - b), (a - x) - b == (a - b) - x (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    n = match.number(y)
    return None if n is None else _merge_offsets(match, x, -n)


@equation(sub, "a - (x + b) == (a - b) - x, a - (b - x) == x + (a - b) (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return _merge_offsets(match, y, match.number(x), -1)


# ----- Products


@equation(mul, "x * 1 == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return match.other_than(1, x, y) if is_real(x) else None


@equation(mul, "x * -1 == -x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    if x.dtype.kind not in "if":
        return None
    factor = match.other_than(-1, x, y)
    return None if factor is None else neg(factor)


@equation(mul, "x * 0 == 0 (integers)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    absorbed = is_integer(x) and match.other_than(0, x, y)
    return constant(0, x.dtype, x.shape) if absorbed else None


# ----- Quotients


@equation(div, "x / 1 == x")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    return x if is_real(x) and match.is_number(y, 1) else None


@equation(div, "x / 2^n == x * 2^-n (both are the rounded quotient)")
def _(match: Matcher, op: Op, x: Value, y: Value) -> Value | None:
    number = match.number(y)
    if x.dtype not in ("float32", "float64") or not number or not math.isfinite(number):
        return None
    mantissa, exponent = math.frexp(number)
    if math.fabs(mantissa) != 0.5 or math.fabs(exponent) > 100:
        return None
    return mul(x, constant(1 / number, x.dtype, x.shape))


# ----- Powers


@equation(integer_pow, "x^0 == 1, also where x is NaN")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return constant(1, x.dtype, x.shape) if op.params["y"] == 0 else None


@equation(integer_pow, "x^1 == x")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return x if op.params["y"] == 1 else None


@equation(integer_pow, "x^2 == x * x")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return mul(x, x) if op.params["y"] == 2 else None
