"""Samples of other distributions, of a source of numbers (`sources.py`): gamma, Poisson, ...

Loops draw numbers that do not move with the parameters; what moves is computed of whole arrays.
A sample of the gamma distribution moves with its shape at a fixed quantile: what a sampler accepts
depends on the shape, so its steps cannot be differentiated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from myia.library.random.constants import at_beta_quantile, at_quantile
from myia.library.random.words.pcg64 import count_of
from myia.library.support.from_source import stopped


def positive_unit(source: Any) -> Any:
    """A number in (0, 1)."""
    u = source.unit()
    while u == 0.0:
        u = source.unit()
    return u


def units(source: Any, size: Any) -> Any:
    xs = np.empty(count_of(size))
    for i in range(len(xs)):
        xs[i] = positive_unit(source)
    return gathered(xs, size)


def each(one: Any, source: Any, size: Any, *parameters: Any) -> Any:
    """`one(source, *parameters)` for each element of arrays of this size; flat."""
    xs = np.empty(count_of(size))
    each_of = [flat(x, size) for x in parameters]
    for i in range(len(xs)):
        xs[i] = one(source, *[at(x, i) for x in each_of])
    return xs


def flat(x: Any, size: Any) -> Any:
    """A parameter for arrays of this size: a number, or a flat array."""
    return x if np.ndim(x) == 0 else np.broadcast_to(x, size).reshape(-1)


def at(x: Any, i: Any) -> Any:
    return x if np.ndim(x) == 0 else x[i]


# ----- The gamma distribution (Marsaglia and Tsang, 2000; below 1: Ahrens and Dieter, 1974)


def gammas(source: Any, size: Any, shape: Any) -> Any:
    """Samples for the shape, which move with it."""
    xs = each(gamma, source, size, stopped(shape))
    return gathered(at_quantile(spread(shape, size), xs), size)


def gamma(source: Any, shape: Any) -> Any:
    if shape == 1.0:
        x = source.exponential()
    elif shape == 0.0:
        x = np.float64(0.0)
    elif shape < 1.0:
        x = small_gamma(source, shape)
    else:
        x = large_gamma(source, shape)
    return x


def small_gamma(source: Any, shape: Any) -> Any:
    x, limit = np.float64(1.0), np.float64(0.0)
    while x > limit:
        u = source.unit()
        limit = source.exponential()
        if u <= 1.0 - shape:
            x = u ** (1.0 / shape)
        else:
            y = -np.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            limit = limit + y
    return x


def large_gamma(source: Any, shape: Any) -> Any:
    b = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * b)
    accepted: Any = False
    v: Any = np.float64(0.0)
    while not accepted:
        x, v = np.float64(0.0), np.float64(0.0)
        while v <= 0.0:
            x = source.normal()
            product = c * x
            v = 1.0 + np.where(product == product, product, np.nan)  # rounded as NumPy rounds it
        v = v * v * v
        u = source.unit()
        accepted = u < 1.0 - 0.0331 * (x * x) * (x * x)
        if not accepted:
            accepted = np.log(u) < 0.5 * x * x + b * (1.0 - v + np.log(v))
    return b * v


def gamma_pairs(source: Any, size: Any, first: Any, second: Any) -> Any:
    """Samples for two shapes, drawn in turn; flat."""
    a, b = spread(first, size), spread(second, size)
    xs, ys = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        xs[i] = gamma(source, stopped(a[i]))
        ys[i] = gamma(source, stopped(b[i]))
    return at_quantile(a, xs), at_quantile(b, ys)


def normals_and_gammas(source: Any, size: Any, shape: Any) -> Any:
    a = spread(shape, size)
    xs, ys = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        xs[i] = source.normal()
        ys[i] = gamma(source, stopped(a[i]))
    return xs, at_quantile(a, ys)


def spread(x: Any, size: Any) -> Any:
    """A parameter for each number of an array of this size; flat."""
    return np.broadcast_to(x, 1 if size is None else size).reshape(-1)


def gathered(xs: Any, size: Any) -> Any:
    return float(xs[0]) if size is None else xs.reshape(size)


# ----- The beta distribution: of gamma samples, and where both parameters are at most 1, of powers
# of uniform numbers (Joehnk, 1964)


def betas(source: Any, size: Any, a: Any, b: Any) -> Any:
    xs, ys = np.empty(count_of(size)), np.empty(count_of(size))
    first, second = stopped(flat(a, size)), stopped(flat(b, size))
    for i in range(len(xs)):
        p, q = at(first, i), at(second, i)
        if p <= 1.0 and q <= 1.0:
            xs[i], ys[i] = small_beta(source, p, q), 1.0
        else:
            xs[i], ys[i] = gamma(source, p), gamma(source, q)
    is_small = (a <= 1.0) & (b <= 1.0)
    if np.ndim(is_small) == 0:
        a, b = spread(a, size), spread(b, size)
        if is_small:
            found = at_beta_quantile(a, b, xs)
        else:
            found = quotient(at_quantile(a, xs), at_quantile(b, ys))
    else:
        is_small, a, b = spread(is_small, size), spread(a, size), spread(b, size)
        ones = np.ones(len(xs))
        small = np.where(is_small, a, ones), np.where(is_small, b, ones)
        found = np.where(
            is_small,
            at_beta_quantile(*small, np.where(is_small, xs, 0.5)),
            quotient(at_quantile(a, xs), at_quantile(b, ys)),
        )
    return gathered(found, size)


def quotient(x: Any, y: Any) -> Any:
    return x / (x + y)


def small_beta(source: Any, a: Any, b: Any) -> Any:
    accepted, x, y = False, np.float64(0.0), np.float64(0.0)
    while not accepted:
        u, v = source.unit(), source.unit()
        x, y = u ** (1.0 / a), v ** (1.0 / b)
        accepted = x + y <= 1.0 and u + v > 0.0
        if accepted and x + y == 0.0:  # both too small for a float
            logs = np.log(u) / a, np.log(v) / b
            most = np.maximum(logs[0], logs[1])
            x, y = np.exp(logs[0] - most), np.exp(logs[1] - most)
    return x / (x + y)


# ----- Integers


def poisson(source: Any, mean: Any) -> Any:
    if mean >= 10.0:
        k = large_poisson(source, mean)
    else:
        limit, product, k = np.exp(-mean), np.float64(1.0), np.float64(-1.0)
        while product > limit or k < 0.0:
            k = k + 1.0
            product = product * source.unit() if mean > 0.0 else np.float64(0.0)
    return k


def large_poisson(source: Any, mean: Any) -> Any:
    """Transformed rejection with a squeeze (Hoermann, 1993)."""
    root, logarithm = np.sqrt(mean), np.log(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    accepted, k = False, np.float64(0.0)
    while not accepted:
        u = source.unit() - 0.5
        v = source.unit()
        us = 0.5 - np.abs(u)
        k = np.floor((2.0 * a / us + b) * u + mean + 0.43)
        accepted = us >= 0.07 and v <= squeeze
        if not accepted and k >= 0.0 and not (us < 0.013 and v > us):
            left = np.log(v) + np.log(inverse) - np.log(a / (us * us) + b)
            accepted = left <= -mean + k * logarithm - math.lgamma(k + 1.0)
    return k


def geometric(source: Any, p: Any) -> Any:
    if p >= 1.0 / 3.0:
        k, total, term = np.float64(1.0), p, p
        u = source.unit()
        while u > total:
            term = term * (1.0 - p)
            total = total + term
            k = k + 1.0
    else:
        k = np.ceil(-source.exponential() / np.log1p(-p))
    return k


def legacy_geometric(source: Any, p: Any) -> Any:
    if p >= 1.0 / 3.0:
        return geometric(source, p)
    return np.ceil(-source.exponential() / np.log(1.0 - p))
