"""Operands that XLA must not see through, so that each operation is rounded as the program says.

    (x + 1e16) - 1e16      XLA: x
    (m > 0) * nan          XLA: where(m > 0, nan, 0)
    (x / y) / z            XLA: x / (y * z), which may be infinite
    x / 20.0               XLA: x * 0.05, which rounds twice
    (x * 1e200) ** 2       XLA: (x * x) * 1e400
    log(x**2.5)            XLA: 2.5 * log(abs(x)), where x is negative, too

XLA's algebra looks through pairs of operations. An operand is hidden from it behind a selection by
a condition which is true, computed so that XLA does not fold it and LLVM does: it costs nothing.

By default only what may change a number by more than its last bits is hidden. `exact` hides all
operands; then a division by a constant stays one. LLVM, which sees through the selection, may still
make one operation of a product and a sum (FMA), which is rounded once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from myia.ir.core import Function, Op, Value, walk
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import constant_p, literal_p
from myia.primitives.pointwise.arithmetic import (
    add,
    div,
    integer_pow,
    mul,
    pow,
    reciprocal,
    square,
    sub,
)
from myia.primitives.pointwise.logic import convert_p
from myia.primitives.pointwise.transcendental import exp, log, log2, log10, rsqrt, sqrt

Array = Any
Hiding = Mapping[int, Callable[[Any], Any]]
_SUMS = (add, sub)
_QUOTIENTS = (div, reciprocal)
_LOGARITHMS = (log, log2, log10)
_POWERS = (square, integer_pow, pow)
_MOST_FACTORS = 64  # XLA makes products of powers up to a few factors
_REWRITTEN = {*_SUMS, *_QUOTIENTS, *_POWERS, mul, exp, sqrt, rsqrt, *_LOGARITHMS}


def hidden_operands(function: Function, exact: bool) -> dict[Op, Hiding]:
    """The operands to hide, by position, and how."""
    ops = [op for op in walk(function.region) if op.results]
    makers = {x: op for op in ops for x in op.results}
    lossy = _lossy_factors(ops, makers)
    found: dict[Op, Hiding] = {}
    for op in ops:
        if op.primitive in _REWRITTEN and op.results[0].dtype.kind in "fc":
            loses = {i for i in range(len(op.operands)) if exact or _loses_numbers(op, i, makers)}
            hows = {i: _how(op, i, makers) for i in range(len(op.operands))}
            masks = {i for i, how in hows.items() if how is _selected}
            hiding = {i: hows[i] for i in sorted(loses | lossy.get(op, set()) | masks)}
            if hiding:
                found[op] = hiding
    return found


def _how(op: Op, i: int, makers: dict[Value, Op]) -> Callable[[Array], Array]:
    if op.primitive is mul and _is_mask(op.operands[i], makers):
        return _selected
    return _hidden_by_element if op.primitive is div and i == 1 else _hidden


def _is_mask(x: Value, makers: dict[Value, Op]) -> bool:
    """Is it an array of booleans as ones and zeros?"""
    op = makers.get(x)
    return op is not None and op.primitive is convert_p and op.operands[0].dtype.kind == "b"


def _loses_numbers(op: Op, i: int, makers: dict[Value, Op]) -> bool:
    """Would XLA combine the op with that of operand `i` so that numbers vanish or overflow?"""
    inner = makers.get(op.operands[i])
    if inner is None:
        return False
    if op.primitive in _QUOTIENTS and inner.primitive in _QUOTIENTS:
        return True
    if op.primitive in _SUMS and inner.primitive in _SUMS:
        return _has_number(op, makers) and _has_number(inner, makers)
    if op.primitive is div and i == 1:
        number = _number(op.operands[1], makers)
        if number is not None:
            return not _is_normal(_inverse(number), op)
        return inner.primitive is pow or _both(op, exp, makers)
    if op.primitive is mul:
        return _both(op, exp, makers)
    if op.primitive in _LOGARITHMS:
        return inner.primitive in (exp, pow)
    if op.primitive is pow:
        return inner.primitive is exp and i == 0
    return op.primitive is sqrt and _is_square(inner)


def _both(op: Op, primitive: Any, makers: dict[Value, Op]) -> bool:
    """Are both operands made by the primitive?"""
    return all(x in makers and makers[x].primitive is primitive for x in op.operands)


def _is_square(op: Op) -> bool:
    if op.primitive is mul:
        return op.operands[0] is op.operands[1]
    return op.primitive is square or (op.primitive is integer_pow and op.params["y"] == 2)


def _has_number(op: Op, makers: dict[Value, Op]) -> bool:
    return any(_number(x, makers) is not None for x in op.operands)


# ----- Constant factors


def _lossy_factors(ops: Sequence[Op], makers: dict[Value, Op]) -> dict[Op, set[int]]:
    """The operands whose constant factors XLA would multiply with others, and lose numbers.

    Of `(x * c) * (y * d)` it makes `(x * y) * (c * d)`.
    """
    moved: dict[Value, complex] = {}  # the factor that XLA can move out of a value
    found: dict[Op, set[int]] = {}
    for op in ops:
        factors = _factors(op, moved, makers)
        known = [x for x in factors if x != 1]
        if len(known) > 1 and not all(_is_mild(x, op) for x in (*known, math.prod(known))):
            found[op] = {i for i, x in enumerate(op.operands) if moved.get(x, 1) != 1}
            factors = _factors(op, {}, makers)
        if len(known) > 1 or any(_number(x, makers) is not None for x in op.operands):
            moved[op.results[0]] = math.prod(factors)
    return found


def _factors(op: Op, moved: dict[Value, complex], makers: dict[Value, Op]) -> list[complex]:
    """The constant factors of the op's operands, as the result has them; 1: none."""
    if op.primitive not in (mul, div, *_POWERS) or op.results[0].dtype.kind not in "fc":
        return []
    numbers = [_number(x, makers) for x in op.operands]
    if op.primitive is div:
        divisor = numbers[1]
        return [moved.get(op.operands[0], 1), 1 if divisor is None else _inverse(divisor)]
    if op.primitive is mul:
        return [moved.get(x, 1) if n is None else n for x, n in zip(op.operands, numbers)]
    base = moved.get(op.operands[0], 1)
    exponent = numbers[1] if op.primitive is pow else op.params.get("y", 2)
    if base == 1 or exponent is None or exponent not in range(-_MOST_FACTORS, _MOST_FACTORS + 1):
        return []
    n = int(exponent.real)
    return [base if n > 0 else _inverse(base)] * abs(n)


def _inverse(x: complex) -> complex:
    return 1 / x if x else math.inf


def _number(x: Value, makers: dict[Value, Op]) -> complex | None:
    """The constant that `x` is; NaN for an array of several."""
    op = makers.get(x)
    if op is None or op.primitive not in (constant_p, literal_p):
        return None
    return op.params["value"] if op.primitive is constant_p else math.nan


def _is_normal(factor: complex, op: Op) -> bool:
    """Is the factor neither infinite nor subnormal, in the dtype of the op?"""
    info = np.finfo(op.results[0].dtype)
    return factor == 0 or bool(info.tiny <= np.abs(factor) <= info.max)


def _is_mild(factor: complex, op: Op) -> bool:
    """Is the factor so near to 1 that it matters only to the largest and smallest numbers?"""
    bound = math.ldexp(1.0, int(np.finfo(op.results[0].dtype).maxexp) // 8)
    return bool(1 / bound <= np.abs(factor) <= bound)


# ----- Hiding


def hide(hiding: Hiding, operands: Sequence[Array]) -> list[Array]:
    """The operands, some of them hidden."""
    return [hiding[i](jnp.asarray(x)) if i in hiding else x for i, x in enumerate(operands)]


def _selected(mask: Array) -> Array:
    """A mask of ones and zeros, in which XLA does not see the booleans."""
    one, zero = lax.full_like(mask, 1), lax.full_like(mask, 0)
    return lax.select(lax.ne(mask, zero), one, zero)


def _hidden(x: Array, by_element: bool = False) -> Array:
    """A selection, which JAX's derivatives pass."""
    if x.size == 0:
        return x
    return lax.select(_true(x.shape, by_element), x, lax.full_like(x, 0))


def _hidden_by_element(x: Array) -> Array:
    """A divisor: XLA inverts what is the same for all elements."""
    return _hidden(x, True)


def _true(shape: tuple[int, ...], by_element: bool) -> Array:
    """True, which XLA does not know: that the first bit of an index is zero."""
    axes = [axis for axis, n in enumerate(shape) if n > 1]
    if by_element and axes:  # of all indices, or XLA inverts what is the same along an axis
        wide = np.dtype(np.uint32 if max(shape) < 2**31 else np.uint64)
        indices = (lax.broadcasted_iota(wide, shape, axis) for axis in axes)
        index = functools.reduce(lax.bitwise_or, indices)
        first_bit = hlo.shift_right_logical(index, lax.full_like(index, 8 * wide.itemsize - 1))
        return lax.eq(first_bit, lax.full_like(first_bit, 0))
    one = lax.reshape(lax.slice(lax.iota(np.uint32, 2), (1,), (2,)), ())
    return lax.broadcast(lax.eq(one, np.uint32(1)), shape)
