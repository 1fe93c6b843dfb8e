"""Samples of other distributions of `np.random.Generator`: gamma, beta, Poisson, binomial, ...

Loops draw numbers that do not move with the parameters; what moves is computed of whole arrays.
A sample of the gamma distribution moves with its shape at a fixed quantile: what a sampler accepts
depends on the shape, so its steps cannot be differentiated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from myia.library.random.constants import at_quantile, stopped
from myia.library.random.pcg64 import count_of
from myia.library.random.ziggurat_draws import exponential_attempt, normal_attempt


def normal(bits: Any) -> Any:
    accepted, x = False, np.float64(0.0)
    while not accepted:
        accepted, x = normal_attempt(bits)
    return x


def exponential(bits: Any) -> Any:
    accepted, x = False, np.float64(0.0)
    while not accepted:
        accepted, x = exponential_attempt(bits)
    return x


def positive_unit(bits: Any) -> Any:
    """A number in (0, 1)."""
    u = bits.unit()
    while u == 0.0:
        u = bits.unit()
    return u


def units(bits: Any, size: Any) -> Any:
    xs = np.empty(count_of(size))
    for i in range(len(xs)):
        xs[i] = positive_unit(bits)
    return gathered(xs, size)


def each(one: Any, bits: Any, size: Any, *parameters: Any) -> Any:
    """`one(bits, *parameters)` for each element of arrays of this size; flat."""
    xs = np.empty(count_of(size))
    flat = [x if np.ndim(x) == 0 else np.broadcast_to(x, size).reshape(-1) for x in parameters]
    for i in range(len(xs)):
        xs[i] = one(bits, *[x if np.ndim(x) == 0 else x[i] for x in flat])
    return xs


# ----- The gamma distribution (Marsaglia and Tsang, 2000; below 1: Ahrens and Dieter, 1974)


def gammas(bits: Any, size: Any, shape: Any) -> Any:
    """Samples for the shape, which move with it."""
    xs = each(gamma, bits, size, stopped(shape))
    return gathered(at_quantile(spread(shape, size), xs), size)


def gamma(bits: Any, shape: Any) -> Any:
    if shape == 1.0:
        x = exponential(bits)
    elif shape == 0.0:
        x = np.float64(0.0)
    elif shape < 1.0:
        x = small_gamma(bits, shape)
    else:
        x = large_gamma(bits, shape)
    return x


def small_gamma(bits: Any, shape: Any) -> Any:
    x, limit = np.float64(1.0), np.float64(0.0)
    while x > limit:
        u = bits.unit()
        limit = exponential(bits)
        if u <= 1.0 - shape:
            x = u ** (1.0 / shape)
        else:
            y = -np.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            limit = limit + y
    return x


def large_gamma(bits: Any, shape: Any) -> Any:
    b = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * b)
    accepted: Any = False
    v: Any = np.float64(0.0)
    while not accepted:
        x, v = np.float64(0.0), np.float64(0.0)
        while v <= 0.0:
            x = normal(bits)
            product = c * x
            v = 1.0 + np.where(product == product, product, np.nan)  # rounded as NumPy rounds it
        v = v * v * v
        u = bits.unit()
        accepted = u < 1.0 - 0.0331 * (x * x) * (x * x)
        if not accepted:
            accepted = np.log(u) < 0.5 * x * x + b * (1.0 - v + np.log(v))
    return b * v


def gamma_pairs(bits: Any, size: Any, first: Any, second: Any) -> Any:
    """Samples for two shapes, drawn in turn; flat."""
    a, b = spread(first, size), spread(second, size)
    xs, ys = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        xs[i] = gamma(bits, stopped(a[i]))
        ys[i] = gamma(bits, stopped(b[i]))
    return at_quantile(a, xs), at_quantile(b, ys)


def normals_and_gammas(bits: Any, size: Any, shape: Any) -> Any:
    a = spread(shape, size)
    xs, ys = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        xs[i] = normal(bits)
        ys[i] = gamma(bits, stopped(a[i]))
    return xs, at_quantile(a, ys)


def spread(x: Any, size: Any) -> Any:
    """A parameter for each number of an array of this size; flat."""
    return np.broadcast_to(x, 1 if size is None else size).reshape(-1)


def gathered(xs: Any, size: Any) -> Any:
    return float(xs[0]) if size is None else xs.reshape(size)


# ----- Integers


def poisson(bits: Any, mean: Any) -> Any:
    if mean >= 10.0:
        k = large_poisson(bits, mean)
    else:
        limit, product, k = np.exp(-mean), np.float64(1.0), np.float64(-1.0)
        while product > limit or k < 0.0:
            k = k + 1.0
            product = product * bits.unit() if mean > 0.0 else np.float64(0.0)
    return k


def large_poisson(bits: Any, mean: Any) -> Any:
    """Transformed rejection with a squeeze (Hoermann, 1993)."""
    root, logarithm = np.sqrt(mean), np.log(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    accepted, k = False, np.float64(0.0)
    while not accepted:
        u = bits.unit() - 0.5
        v = bits.unit()
        us = 0.5 - np.abs(u)
        k = np.floor((2.0 * a / us + b) * u + mean + 0.43)
        accepted = us >= 0.07 and v <= squeeze
        if not accepted and k >= 0.0 and not (us < 0.013 and v > us):
            left = np.log(v) + np.log(inverse) - np.log(a / (us * us) + b)
            accepted = left <= -mean + k * logarithm - math.lgamma(k + 1.0)
    return k


def geometric(bits: Any, p: Any) -> Any:
    if p >= 1.0 / 3.0:
        k, total, term = np.float64(1.0), p, p
        u = bits.unit()
        while u > total:
            term = term * (1.0 - p)
            total = total + term
            k = k + 1.0
    else:
        k = np.ceil(-exponential(bits) / np.log1p(-p))
    return k
