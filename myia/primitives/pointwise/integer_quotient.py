"""The quotient of two integers of 64 bits as the nearest float: Python's `m / n`.

Floats hold the integers up to 2**53 only: `float(m) / float(n)` rounds three times.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import nondifferentiable
from myia.primitives.pointwise.arithmetic import lower_integer_division

_HALF_BITS, _HALF_MASK = np.uint64(32), np.uint64(2**32 - 1)


def _evaluate(x: np.ndarray, y: np.ndarray) -> Any:
    def quotient(m: int, n: int) -> float:
        return m / n if n else np.float64(m) / np.float64(n)

    with np.errstate(all="ignore"):
        return np.vectorize(quotient, otypes=[float])(x.astype(object), y.astype(object))


def _magnitude(x: jax.Array) -> jax.Array:
    return lax.convert_element_type(lax.abs(x), np.uint64)  # also of the least integer


def _times_power_of_two(x: jax.Array, exponent: jax.Array) -> jax.Array:
    """x 2**exponent, a normal number."""
    bits = hlo.shift_left(lax.add(exponent, np.int64(1023)), lax.full_like(exponent, 52))
    return lax.mul(x, lax.bitcast_convert_type(bits, np.float64))


def _digit(
    high: jax.Array, low: jax.Array, divisor: jax.Array, high_half: jax.Array, low_half: jax.Array
) -> tuple[jax.Array, ...]:
    """A digit to base 2**32 of (2**32 high + low) / divisor, and the rest (Knuth's algorithm D).

    The quotient by the upper half of the divisor is too large by two at most.
    """
    digit = lower_integer_division(high, high_half)
    rest = lax.sub(high, lax.mul(digit, high_half))
    bits = lax.full_like(high, _HALF_BITS)
    for _ in range(2):
        room = lax.bitwise_or(hlo.shift_left(rest, bits), low)
        excess = lax.bitwise_or(digit > _HALF_MASK, lax.mul(digit, low_half) > room)
        excess = lax.bitwise_and(excess, rest <= _HALF_MASK)
        one = lax.convert_element_type(excess, np.uint64)
        digit, rest = lax.sub(digit, one), lax.add(rest, lax.mul(one, high_half))
    rest = lax.add(hlo.shift_left(high, bits), low) - lax.mul(digit, divisor)
    return digit, rest


def _lower(x: jax.Array, y: jax.Array) -> jax.Array:
    """64 bits of the quotient of the scaled magnitudes; the last one stands for all after it."""
    m, n = _magnitude(x), _magnitude(y)
    m_shift, n_shift = lax.clz(m), lax.clz(n)
    m, n = hlo.shift_left(m, m_shift), hlo.shift_left(n, n_shift)
    bits, one, zero = (lax.full_like(m, k) for k in (_HALF_BITS, 1, 0))
    halves = hlo.shift_right_logical(n, bits), lax.bitwise_and(n, _HALF_MASK)
    last = hlo.shift_left(lax.bitwise_and(m, one), lax.full_like(m, 31))
    high, rest = _digit(hlo.shift_right_logical(m, one), last, n, *halves)
    low, rest = _digit(rest, zero, n, *halves)
    quotient = lax.bitwise_or(hlo.shift_left(high, bits), low)
    quotient = lax.bitwise_or(quotient, lax.convert_element_type(rest != zero, np.uint64))
    exponent = lax.convert_element_type(n_shift, np.int64) - lax.convert_element_type(
        m_shift, np.int64
    )
    size = lax.convert_element_type(quotient, np.float64)
    size = _times_power_of_two(size, exponent - lax.full_like(exponent, 63))
    size = lax.select(lax.ne((x < 0), (y < 0)), lax.neg(size), size)
    by_zero = lax.div(*(lax.convert_element_type(v, np.float64) for v in (x, y)))
    return lax.select(lax.eq(y, lax.full_like(y, 0)), by_zero, size)


integer_quotient = nondifferentiable("integer_quotient", _lower, _evaluate, "i", result=np.float64)
