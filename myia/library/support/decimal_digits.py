"""`round(x, n)` of a Python float, which rounds its exact decimal expansion, and half to even.

round(2.675, 2) == 2.67           since 2.675 is 2.67499999999999982236431605997495353221893...
np.round(2.675, 2) == 2.68        since 2.675 * 100 is rounded to 267.5
"""

from __future__ import annotations

import numpy as np

from myia.infer.domain.dtypes import convert
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.pointwise.logic import and_, eq, gt, lt, ne, select

MOST_DIGITS = 10  # 10**10 is an odd number of 24 bits times a power of two


def round_to_digits(x: Value, digits: int) -> Value:
    """`x` to `digits`, from 0 to `MOST_DIGITS`, behind the point; its derivative is zero.

    `x * 10**digits` is computed as the sum of two numbers without a rounding: of `x` one has 24
    bits and the other 29, so that products with 24 bits are exact (Dekker, 1971).
    """
    x = logic.stop_gradient(x)
    scale, nan = constant(10.0**digits, np.float64), constant(np.nan, np.float64)
    # Known to depend on `x`: division by a constant is a product with a rounded reciprocal.
    scale = select(eq(x, x), scale, nan)
    high = convert(convert(x, np.dtype(np.float32)), np.dtype(np.float64))
    product, small = high * scale, (x - high) * scale
    scaled = product + small
    rest = small - (scaled - product)
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
