"""Functions of `scipy.special` as formulas on typed values, where operands need care."""

from __future__ import annotations

import math

from myia.ir.core import Value
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert, select
from myia.primitives.special import exponential_integrals


def expn(n: Value, x: Value) -> Value:
    """The exponential integral of order n >= 0, an integer."""
    n = convert(n, dtype=x.dtype)
    return select(logic.lt(n, 0), math.nan, exponential_integrals.expn(n, x))
