"""Hypergeometric functions by their series, where these converge well (DLMF 13 and 15).

`select` chooses between regions; outside of its region a series gets an argument at which it ends
at once. Where no series here converges, as for 2F1 close to 1, the result is NaN.
"""

from __future__ import annotations

import math

from myia.ir.core import Value
from myia.library.support.value_formulas import gamma
from myia.primitives.pointwise import logic, transcendental
from myia.primitives.pointwise.logic import select
from myia.primitives.pointwise.transcendental import exp, log
from myia.primitives.special.hypergeometric import series_1f1, series_2f0, series_2f1

PLAIN = {"orders": (0, 0, 0)}
FAR = 100


def is_pole(x: Value) -> Value:
    """True at 0, -1, -2, ..., the poles of the gamma function."""
    return logic.and_(logic.le(x, 0), logic.eq(x, transcendental.floor(x)))


def _ends_before(a: Value, b: Value) -> Value:
    """True where (a)_k becomes 0, which ends the series, before (b)_k does, which divides."""
    return logic.and_(is_pole(a), logic.gt(a, b))


def _unless(excluded: Value, x: Value) -> Value:
    return logic.and_(x, logic.not_(excluded))


def hyp1f1(a: Value, b: Value, x: Value) -> Value:
    """M(a, b, x) of DLMF 13.2.2; of negative x by Kummer's M(a, b, x) = e^x M(b - a, b, -x)."""
    pole, ends = is_pole(b), _ends_before(a, b)
    negative = _unless(pole, logic.lt(x, 0))
    a, size = select(negative, b - a, a), select(negative, -x, x)
    far = _unless(logic.or_(pole, is_pole(a)), logic.ge(size, FAR))
    near = series_1f1(a, b, select(far, 0, size), **PLAIN)
    scale = exp(select(negative, x, 0))
    value = select(far, _far_1f1(a, b, size, far, negative), scale * near)
    return select(_unless(ends, pole), math.inf, value)


def _far_1f1(a: Value, b: Value, x: Value, far: Value, scaled: Value) -> Value:
    """M(a, b, x) of large x (e^-x M if `scaled`) by DLMF 13.7.1."""
    x, a, b = select(far, x, FAR), select(far, a, 1), select(far, b, 1)
    factor = exp((a - b) * log(x) + select(scaled, 0, x))
    return gamma(b) / gamma(a) * factor * series_2f0(1 - a, b - a, 1 / x, **PLAIN)


def hyp2f1(a: Value, b: Value, c: Value, x: Value) -> Value:
    """F(a, b; c; x) of DLMF 15.2.1 for x <= 1; above, NaN unless it is a polynomial.

    At 1 the value is Gauss's (DLMF 15.4.20), and the derivative in x is NaN.
    """
    polynomial = logic.or_(is_pole(a), is_pole(b))
    inside = logic.or_(logic.lt(x, 1), polynomial)
    at_one = _unless(inside, logic.eq(x, 1))
    value = _inside_2f1(a, b, c, select(inside, x, 0))
    edge = _gauss(*(select(at_one, p, q) for p, q in ((a, 1), (b, 1), (c, 3))))
    edge = edge + 0 * transcendental.sqrt(select(at_one, 1 - x, 0))
    value = select(inside, value, select(at_one, edge, math.nan))
    ends = logic.or_(_ends_before(a, c), _ends_before(b, c))
    return select(_unless(ends, is_pole(c)), math.inf, value)


def _inside_2f1(a: Value, b: Value, c: Value, x: Value) -> Value:
    """Of negative x by Pfaff's transformation, DLMF 15.8.1, which brings it into [0, 1)."""
    negative = _unless(is_pole(c), logic.lt(x, 0))
    first = logic.le(a, b)
    left, right = select(first, a, b), select(first, b, a)
    rest = select(negative, 1 - x, 1)
    x = select(negative, -x / rest, x)
    right = select(negative, c - right, right)
    return exp(-left * log(rest)) * _euler(left, right, c, x)


def _euler(a: Value, b: Value, c: Value, x: Value) -> Value:
    """Close to 1, Euler's transformation, where it makes the terms fall faster: DLMF 15.8.1."""
    excess = c - a - b
    close = logic.and_(logic.gt(x, 0.5), logic.lt(x, 1))
    turned = _unless(is_pole(c), logic.and_(close, logic.lt(excess, 0)))
    a, b = select(turned, c - a, a), select(turned, c - b, b)
    factor = exp(excess * transcendental.log1p(select(turned, -x, 0)))
    return factor * series_2f1(a, b, c, x, orders=(0, 0, 0, 0))


def _gauss(a: Value, b: Value, c: Value) -> Value:
    excess = c - a - b
    found = gamma(c) * gamma(excess) / (gamma(c - a) * gamma(c - b))
    return select(logic.gt(excess, 0), found, math.inf)
