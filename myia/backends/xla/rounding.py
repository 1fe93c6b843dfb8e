"""Operands that XLA must not see through, so that each operation is rounded as the program says.

    (x + 1e16) - 1e16      XLA: x
    (m > 0) * nan          XLA: where(m > 0, nan, 0)
    (x / y) / z            XLA: x / (y * z), which may be infinite
    x / 20.0               XLA: x * 0.05, which rounds twice

XLA's algebra looks through pairs of operations. An operand is hidden from it behind a selection by
a condition which is true, computed so that XLA does not fold it and LLVM does: it costs nothing.

By default only what may change a number by more than its last bits is hidden. `exact` hides all
operands; then a division by a constant stays one.
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
from myia.primitives.core.define import constant_p, literal_p
from myia.primitives.pointwise.arithmetic import add, div, mul, pow, reciprocal, sub
from myia.primitives.pointwise.logic import convert_p
from myia.primitives.pointwise.transcendental import exp, log, rsqrt, sqrt

Array = Any
Hiding = Mapping[int, Callable[[Any], Any]]
_SUMS = (add, sub)
_QUOTIENTS = (div, reciprocal)
_REWRITTEN = {*_SUMS, *_QUOTIENTS, mul, pow, exp, log, sqrt, rsqrt}


def hidden_operands(function: Function, exact: bool) -> dict[Op, Hiding]:
    """The operands to hide, by position, and how."""
    ops = [op for op in walk(function.region) if op.results]
    makers = {x: op for op in ops for x in op.results}
    found: dict[Op, Hiding] = {}
    for op in ops:
        if op.primitive in _REWRITTEN and op.results[0].dtype.kind in "fc":
            hows = (_how(op, i, makers, exact) for i in range(len(op.operands)))
            hiding = {i: how for i, how in enumerate(hows) if how is not None}
            if hiding:
                found[op] = hiding
    return found


def _how(op: Op, i: int, makers: dict[Value, Op], exact: bool) -> Callable[[Array], Array] | None:
    if op.primitive is mul and _is_mask(op.operands[i], makers):
        return _selected
    if not exact and not _loses_numbers(op, i, makers):
        return None
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
    factor, of_inner = _factor(op, makers), _factor(inner, makers)
    if op.primitive is div and i == 1:
        return factor is not None and not _is_normal(factor, op)
    if not factor or not of_inner:
        return False
    product = factor * of_inner
    return product == 0 or not _is_normal(product, op)


def _has_number(op: Op, makers: dict[Value, Op]) -> bool:
    return any(_number(x, makers) is not None for x in op.operands)


def _factor(op: Op, makers: dict[Value, Op]) -> complex | None:
    """By which constant the op multiplies, if by one; 1 / c for a quotient by c."""
    if op.primitive is div:
        number = _number(op.operands[1], makers)
        return number if number is None else 1 / number if number else math.inf
    if op.primitive is not mul:
        return None
    return next((n for x in op.operands if (n := _number(x, makers)) is not None), None)


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
        first_bit = lax.shift_right_logical(index, lax.full_like(index, 8 * wide.itemsize - 1))
        return lax.eq(first_bit, lax.full_like(first_bit, 0))
    one = lax.reshape(lax.slice(lax.iota(np.uint32, 2), (1,), (2,)), ())
    return lax.broadcast(lax.eq(one, np.uint32(1)), shape)
