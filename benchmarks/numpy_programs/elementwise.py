"""Elementwise functions and reductions of two matrices."""

import numpy as np


def arguments(rng):
    """Two float64[64, 32]."""
    return rng.standard_normal((64, 32)), rng.uniform(0.5, 2.0, (64, 32))


def program(x, y):
    a = np.sin(x) * np.cosh(y) + np.tanh(x + y)
    b = np.exp(-np.square(x)) + np.log(y) * np.sqrt(y)
    c = np.maximum(a, b) - np.minimum(x, y)
    d = np.where(x > 0, np.arctan2(y, x), np.hypot(x, y))
    e = np.log1p(y) + np.expm1(0.1 * x) + np.sinh(0.1 * c) + np.arctan(d)
    f = np.clip(e, -2.0, 2.0) * np.abs(x) + np.power(y, 1.5)
    g = np.logaddexp(a, f) + np.arcsinh(b) + np.reciprocal(y) + np.sinc(0.1 * x)
    h = np.mean(g, axis=0) + np.var(f, axis=0) + np.max(e, axis=0) - np.min(d, axis=0)
    i = np.std(c, axis=1) + np.sum(b, axis=1)
    return np.linalg.norm(h) + np.cumsum(i)[-1] + np.prod(y[0])
