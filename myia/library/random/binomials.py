"""Samples of the binomial distribution: inversion, and BTPE where n min(p, 1 - p) is above 30.

(Kachitvichyanukul and Schmeiser: Binomial random variate generation, 1988.) Counts are floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_BY_INVERSION = 30.0


def binomial(source: Any, n: Any, p: Any) -> Any:
    return np.float64(0.0) if n == 0.0 or p == 0.0 else any_binomial(source, n, p)


def any_binomial(source: Any, n: Any, p: Any) -> Any:
    """The same, which draws a number for n = 0, too."""
    rare = p if p <= 0.5 else 1.0 - p
    if n * rare <= MOST_BY_INVERSION:
        k = by_inversion(source, n, rare)
        k = k if p <= 0.5 else n - k
    else:
        k = by_rejection(source, n, rare)
        k = k if p <= 0.5 else n - k
    return k


def by_inversion(source: Any, n: Any, p: Any) -> Any:
    q = 1.0 - p
    first = np.exp(n * np.log1p(-p))
    mean = n * p
    bound = np.floor(np.minimum(n, mean + 10.0 * np.sqrt(mean * q + 1.0)))
    k, term = np.float64(0.0), first
    u = source.unit()
    while u > term:
        k = k + 1.0
        if k > bound:
            k, term = np.float64(0.0), first
            u = source.unit()
        else:
            u = u - term
            term = ((n - k + 1.0) * p * term) / (k * q)
    return k


def by_rejection(source: Any, n: Any, p: Any) -> Any:
    """A triangle, beside it a parallelogram, and exponential tails cover the distribution."""
    q = 1.0 - p
    center = n * p + p
    mode = np.floor(center)
    variance = n * p * q
    half = np.floor(2.195 * np.sqrt(variance) - 4.6 * q) + 0.5
    middle = mode + 0.5
    left, right = middle - half, middle + half
    c = 0.134 + 20.5 / (15.3 + mode)
    slope = (center - left) / (center - left * p)
    left_rate = slope * (1.0 + slope / 2.0)
    slope = (right - center) / (right * q)
    right_rate = slope * (1.0 + slope / 2.0)
    second = half * (1.0 + 2.0 * c)
    third = second + c / left_rate
    fourth = third + c / right_rate
    accepted, y = False, np.float64(0.0)
    while not accepted:
        u = source.unit() * fourth
        v = source.unit()
        if u <= half:
            y = np.floor(middle - half * v + u)
            accepted = True
        else:
            is_inside = True
            if u <= second:
                x = left + (u - half) / c
                v = v * c + 1.0 - np.abs(mode - x + 0.5) / half
                is_inside = v <= 1.0
                y = np.floor(x)
            elif u <= third:
                y = np.floor(left + np.log(v) / left_rate)
                is_inside = y >= 0.0 and v != 0.0
                v = v * (u - second) * left_rate
            else:
                y = np.floor(right - np.log(v) / right_rate)
                is_inside = y <= n and v != 0.0
                v = v * (u - third) * right_rate
            if is_inside:
                accepted = below_density(v, y, n, p, mode, variance)
    return y


def stirling(x: Any) -> Any:
    """A correction of Stirling's formula, with the numbers (and the signs) that NumPy has."""
    square = x * x
    inner = 99.0 - 140.0 / square
    return (13680.0 - (462.0 - (132.0 - inner / square) / square) / square) / x / 166320.0


def below_density(v: Any, y: Any, n: Any, p: Any, mode: Any, variance: Any) -> Any:
    """Is v below the probability of y over that of the mode?"""
    q = 1.0 - p
    k = np.abs(y - mode)
    if k > 20.0 and k < variance / 2.0 - 1.0:
        squeeze = k / variance * ((k * (k / 3.0 + 0.625) + 1.0 / 6.0) / variance + 0.5)
        about = -k * k / (2.0 * variance)
        height = np.log(v)
        found = height < about - squeeze
        if not found and height <= about + squeeze:
            a, b, c, d = mode + 1.0, n + 1.0 - mode, y + 1.0, n - y + 1.0
            exact = (mode + 0.5) * np.log(a / c) + (n - mode + 0.5) * np.log(b / d)
            exact = exact + (y - mode) * np.log(d * p / (c * q))
            found = height <= exact + stirling(a) + stirling(b) + stirling(c) + stirling(d)
        return found
    s = p / q
    a = s * (n + 1.0)
    ratio = np.float64(1.0)
    i = np.minimum(mode, y) + 1.0
    last = np.maximum(mode, y)
    while i <= last:
        factor = a / i - s
        ratio = ratio * factor if mode < y else ratio / factor
        i = i + 1.0
    return v <= ratio
