"""Debug mode: an operation that reads a subnormal number as zero, or whose result becomes zero.

    y = x * x             x is 1e-160 here, 1e-320 in Python: FloatingPointError

The backend has no subnormal numbers, and takes them for zero in comparisons, too, so that operands
are told by their bits. A result is at fault if it is zero where Python has a subnormal number. Both
are found in the IR ops that an operation of the user became.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from myia.infer.domain.context import Context
from myia.ir.avals import Aval
from myia.ir.builder import current_builder
from myia.ir.core import Op, Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, bits, logic, transcendental

R = TypeVar("R")
READ = "a subnormal number is read here, and taken for zero"
FLUSHED = (
    "underflow: the result is smaller than the smallest normal number, and was flushed to zero"
)
# Operators and functions that are one IR op, whose results are checked. Others may underflow in a
# part of their formula that does not matter.
OPERATORS = frozenset({"+", "-", "*", "/", "**"})
FUNCTIONS = (
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.float_power),
    *(np.exp, np.exp2, np.square, np.reciprocal, np.float32, np.ndarray.astype),
    *(math.exp, math.exp2, math.pow),
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow),
)
# These look at bits, or at nothing that is lost.
_EXACT = (np.copysign, math.copysign, np.signbit, np.isinf, math.isinf, int)
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_READERS = frozenset(
    [
        *("add", "sub", "mul", "div", "reciprocal", "square", "integer_pow", "pow"),
        *("floordiv", "mod", "rem", "eq", "ne", "lt", "le", "gt"),
        *("ge", "max", "min", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
        *("sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "asin", "acos"),
        *("atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("sign", "floor", "ceil", "convert", "reduce_sum", "reduce_prod"),
        *("reduce_max", "reduce_min", "cumsum", "cumprod", "cummax", "cummin"),
        *("argmax", "argmin", "sort", "dot_general"),
    ]
)


def check_call(ctx: Context, function: Any, compute: Callable[[], R], results: bool) -> R:
    """`compute()`, a call of `function`, with the checks of the debug mode."""
    if any(function is f for f in _EXACT):
        return compute()
    return check_subnormals(ctx, compute, results and any(function is f for f in FUNCTIONS))


def check_subnormals(ctx: Context, compute: Callable[[], R], results: bool) -> R:
    """`compute()`; in debug mode, checks of its operands, and with `results` of its results."""
    if not ctx.debug:
        return compute()
    builder = current_builder()
    start = len(builder.ops)
    result = compute()
    if current_builder() is builder:
        ops = builder.ops[start:]
        _check(ctx, map(_is_subnormal, _operands(ops)), READ)
        if results:
            flushed = [_FLUSHED[op.primitive.name](op) for op in ops if _is_checked(op)]
            _check(ctx, flushed, FLUSHED)
    return result


def _check(ctx: Context, failures: Iterable[Value], message: str) -> None:
    failed = [ctx.any(x) for x in failures]
    if failed:
        any_failed = functools.reduce(logic.or_, failed)
        ctx.check(any_failed, FloatingPointError, message, is_python=False)


# ----- Operands


def _operands(ops: Sequence[Op]) -> list[Value]:
    """The operands that may be subnormal, each once: not those that arithmetic has made."""
    made = {y for op in ops if op.primitive.name in _READERS for y in op.results}
    found = {x: None for op in ops if _reads(op) for x in op.operands if _is_float(x)}
    return [x for x in found if x not in made]


def _reads(op: Op) -> bool:
    name = op.primitive.name
    if name == "convert":  # an integer part does not change
        return op.results[0].dtype.kind in "bf"
    # `x != x` tells whether x is NaN.
    return name in _READERS and not (name in ("eq", "ne") and op.operands[0] is op.operands[1])


def _is_float(x: Value) -> bool:
    return isinstance(x.aval, Aval) and x.dtype in _FLOATS


def _is_subnormal(x: Value) -> Value:
    """Are the bits of the exponent 0, and those of the mantissa not?"""
    dtype = np.dtype(f"i{x.dtype.itemsize}")
    magnitude = logic.and_(bits.bitcast(x, dtype=dtype), np.iinfo(dtype).max)
    normal = np.finfo(x.dtype).smallest_normal.view(dtype)
    return logic.and_(logic.ne(magnitude, 0), logic.lt(magnitude, normal))


# ----- Results


def _is_checked(op: Op) -> bool:
    return op.primitive.name in _FLUSHED and all(map(_is_float, (*op.operands, *op.results)))


def _zero_where(op: Op, python_is_nonzero: Value) -> Value:
    return logic.and_(logic.eq(op.results[0], 0), python_is_nonzero)


def _exponent_of_zero(dtype: np.dtype) -> int:
    """Up to 2 to this power, a number is rounded to zero."""
    info = np.finfo(dtype)
    return int(info.minexp) - int(info.nmant) - 1


def _scale(dtype: np.dtype) -> int:
    """Of two factors with a subnormal product the smaller one can take this exponent."""
    return 600 if dtype == np.float64 else 80


def _product(op: Op) -> Value:
    x, y = map(arithmetic.abs, (op.operands * 2)[:2])
    exponent = _scale(x.dtype)
    product = arithmetic.mul(arithmetic.min(x, y) * 2.0**exponent, arithmetic.max(x, y))
    return _zero_where(op, logic.gt(product, 2.0 ** (exponent + _exponent_of_zero(x.dtype))))


def _quotient(op: Op) -> Value:
    x, y = map(arithmetic.abs, op.operands)
    half = _scale(x.dtype) // 2
    quotient = arithmetic.div(x * 2.0**half, y * 2.0**-half)
    return _zero_where(op, logic.gt(quotient, 2.0 ** (2 * half + _exponent_of_zero(x.dtype))))


def _exponential(op: Op, base: float) -> Value:
    x = op.operands[0]
    limit = _exponent_of_zero(x.dtype) * math.log(2) / math.log(base)
    return _zero_where(op, logic.gt(x, limit * (1 - 1e-6)))


def _power(op: Op) -> Value:
    base, *exponents = op.operands
    exponent = exponents[0] if exponents else constant(op.params["y"], base.dtype, base.shape)
    logarithm = arithmetic.mul(transcendental.log(arithmetic.abs(base)), exponent)
    limit = _exponent_of_zero(base.dtype) * math.log(2)
    return _zero_where(op, logic.gt(logarithm, limit * (1 - 1e-6)))


def _conversion(op: Op) -> Value:
    size = arithmetic.abs(op.operands[0])
    return _zero_where(op, logic.gt(size, 2.0 ** _exponent_of_zero(op.results[0].dtype)))


_FLUSHED: dict[str, Callable[[Op], Value]] = {
    "mul": _product,
    "square": _product,
    "div": _quotient,
    "reciprocal": lambda op: _zero_where(op, transcendental.is_finite(op.operands[0])),
    "add": lambda op: _zero_where(op, logic.ne(op.operands[0], arithmetic.neg(op.operands[1]))),
    "sub": lambda op: _zero_where(op, logic.ne(*op.operands)),
    "exp": functools.partial(_exponential, base=math.e),
    "exp2": functools.partial(_exponential, base=2.0),
    "pow": _power,
    "integer_pow": _power,
    "convert": _conversion,
}
