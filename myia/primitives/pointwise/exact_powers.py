"""log2, log10 and exp2 of real numbers, exact at powers of two and ten, as in NumPy.

XLA computes `log(x) / log(2)` and `exp(x * log(2))`, which miss whole numbers by a few units in the
last place: `int(log2(8.0))` would be 2.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from jax import lax

Array = Any

# By the bytes of a float: up to which n is 10**n one of them?
_EXACT_POWERS_OF_TEN = {2: 4, 4: 10, 8: 22}


def _whole(x: Array) -> Array:
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


def _like(x: Array, number: float) -> Array:
    return lax.full_like(x, number)


def _bits(x: Array) -> Array:
    return lax.bitcast_convert_type(x, f"int{8 * x.dtype.itemsize}")


def log2(x: Array) -> Array:
    found = lax.mul(lax.log(x), _like(x, 1 / math.log(2)))
    power = _nearest_power_of_two(x)
    is_near = _is_near(found, _whole(found), _like(x, 2))
    return _corrected(found, is_near, lax.div(lax.sub(x, power), power), 2)


def _is_near(found: Array, n: Array, units: Array) -> Array:
    room = lax.mul(lax.mul(lax.abs(n), units), _like(n, float(np.finfo(n.dtype).eps)))
    return lax.le(lax.abs(lax.sub(found, n)), room)


def _corrected(found: Array, is_near: Array, distance: Array, base: int) -> Array:
    """The logarithm; next to a whole number n its series at base**n, of which x is so far away.

    `distance` is relative. The sum is exact to the last bit.
    """
    n = _whole(found)
    is_near = lax.bitwise_and(is_near, lax.lt(lax.abs(distance), _like(n, 0.1)))  # no overflow
    series = lax.add(n, lax.mul(distance, _like(n, 1 / math.log(base))))
    return lax.select(is_near, series, found)


def _nearest_power_of_two(x: Array) -> Array:
    """Of a float its exponent, rounded by the first bit of the mantissa."""
    bits, unit = _bits(x), 1 << np.finfo(x.dtype).nmant
    rounded = lax.bitwise_and(lax.add(bits, _like(bits, unit // 2)), _like(bits, -unit))
    return lax.bitcast_convert_type(rounded, x.dtype)


def log10(x: Array) -> Array:
    """Where 10**n is no float, `x` counts as 10**n next to it.

    There are so many floats with the logarithm n that rounding does no harm.
    """
    found = _inaccurate_log10(x)
    n = _whole(found)
    size = lax.abs(n)
    has_float = lax.le(size, _like(x, _EXACT_POWERS_OF_TEN[x.dtype.itemsize]))
    power = _power_of_ten(lax.select(has_float, size, _like(x, 0)))
    inverse = lax.div(_like(x, 1), power)
    below_1 = lax.lt(n, _like(x, 0))
    difference = lax.sub(x, lax.select(below_1, inverse, power))
    distance = lax.mul(difference, lax.select(below_1, power, inverse))
    is_near = _is_near(found, n, lax.select(has_float, _like(x, 4), _like(x, 1)))
    return _corrected(found, is_near, lax.select(has_float, distance, _like(x, 0)), 10)


def _inaccurate_log10(x: Array) -> Array:
    """log(x) / log(10), by the inverse in two parts."""
    inverse = 1 / Decimal(10).ln()
    first = x.dtype.type(float(inverse))
    if Decimal(float(first)) > inverse:  # else infinity less infinity
        first = np.nextafter(first, x.dtype.type(0))
    rest = float(inverse - Decimal(float(first)))
    found = lax.log(x)
    return lax.add(lax.mul(found, _like(x, first)), lax.mul(found, _like(x, rest)))


def _power_of_ten(n: Array) -> Array:
    """10**n by the bits of n: every product is exact."""
    bits = lax.convert_element_type(n, np.int32)
    power = _like(n, 1)
    for i in range(_EXACT_POWERS_OF_TEN[n.dtype.itemsize].bit_length()):
        is_set = lax.ne(lax.bitwise_and(bits, _like(bits, 1 << i)), _like(bits, 0))
        power = lax.select(is_set, lax.mul(power, _like(n, 10.0 ** (1 << i))), power)
    return power


def exp2(x: Array) -> Array:
    """2**n exp(log(2) (x - n)) for the whole number n next to x; 2**n by its bits.

    In two factors: 2**n may be too large or too small for a float where 2**x is not.
    """
    info = np.finfo(x.dtype)
    most = min(info.maxexp + info.nmant + 10, 2 * (info.maxexp - 2))
    x = lax.clamp(_like(x, -most), x, _like(x, most))
    n = _whole(x)
    rest = lax.exp(lax.mul(lax.sub(x, n), _like(x, math.log(2))))
    half = lax.floor(lax.mul(n, _like(n, 0.5)))
    return lax.mul(lax.mul(rest, _power_of_two(half)), _power_of_two(lax.sub(n, half)))


def _power_of_two(n: Array) -> Array:
    """By the bits of the exponent. Vectors have conversions to int32, not to int64."""
    info = np.finfo(n.dtype)
    exponent = lax.convert_element_type(lax.convert_element_type(n, np.int32), f"int{info.bits}")
    biased = lax.add(exponent, _like(exponent, info.maxexp - 1))
    return lax.bitcast_convert_type(lax.mul(biased, _like(biased, 1 << info.nmant)), n.dtype)
