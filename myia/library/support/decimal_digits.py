"""`round(x, n)` of a Python float, which rounds its exact decimal expansion, and half to even.

round(2.675, 2) == 2.67           since 2.675 is 2.67499999999999982236431605997495353221893...
np.round(2.675, 2) == 2.68        since 2.675 * 100 is rounded to 267.5
"""

from __future__ import annotations

import functools

import numpy as np

from myia.infer.domain.dtypes import convert
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.pointwise.logic import and_, eq, gt, lt, ne, select

MOST_DIGITS = 22  # 10**22 is a number of 53 bits, 10**23 is none


def round_to_digits(x: Value, digits: int) -> Value:
    """`x` to `digits`, from 0 to `MOST_DIGITS`, behind the point; its derivative is zero.

    `x * 10**digits` is computed as the sum of two numbers without a rounding.
    """
    x = logic.stop_gradient(x)
    scale, nan = constant(10.0**digits, np.float64), constant(np.nan, np.float64)
    # Known to depend on `x`: division by a constant is a product with a rounded reciprocal.
    scale = select(eq(x, x), scale, nan)
    scaled, rest = _product(x, 10.0**digits)
    whole = transcendental.round(scaled)  # half to even
    part = scaled - whole
    zero = constant(0.0, np.float64)
    up = and_(eq(part, constant(0.5, np.float64)), gt(rest, zero))
    down = and_(eq(part, constant(-0.5, np.float64)), lt(rest, zero))
    one = constant(1.0, np.float64)
    whole = select(up, whole + one, select(down, whole - one, whole))
    rounded = select(ne(whole, zero), whole / scale, x * zero)  # zero has the sign of `x`
    # Beyond these numbers `x` is its own nearest decimal.
    is_small = lt(arithmetic.abs(x), constant(2.0**53 / 10.0**digits, np.float64))
    return select(is_small, rounded, x)


def _product(x: Value, scale: float) -> tuple[Value, Value]:
    """`x * scale` as a sum of two numbers, of which the second is at most half a unit of the first.

    The parts have so few bits that their products are exact (Dekker, 1971), also where a product
    and a sum are one operation (FMA).
    """
    scale_high = float(np.float32(scale))
    high = _first_bits(x)
    parts = [high, x - high]
    if scale != scale_high:  # 29 bits times 24 are exact, but not times 29
        middle = _first_bits(parts[1])
        parts[1:] = [middle, parts[1] - middle]
    of_scale = [c for c in (scale_high, scale - scale_high) if c != 0.0]
    first, *others = [part * constant(c, np.float64) for part in parts for c in of_scale]
    total, errors = first, []
    for term in others:
        total, error = _exact_sum(total, term)
        errors.append(error)
    return _exact_sum(total, functools.reduce(arithmetic.add, errors))


def _first_bits(x: Value) -> Value:
    """24 bits of a number."""
    return convert(convert(x, np.dtype(np.float32)), np.dtype(np.float64))


def _exact_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """`a + b` and its error (Knuth, 1969)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)
