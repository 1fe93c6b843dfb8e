"""Functional style: reduce, partial, compositions, decorators, and functions in tables."""

from __future__ import annotations

import math
import operator
from functools import partial, reduce, wraps
from itertools import accumulate, chain, pairwise, product, takewhile

import numpy as np


def compose(*fs):
    return reduce(lambda f, g: lambda x: g(f(x)), fs, lambda x: x)


def curry(f):
    return lambda x: lambda y: f(x, y)


def iterate(f, x):
    while True:
        yield x
        x = f(x)


def trace(f):
    @wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def clamp(lo, hi, x):
    return max(lo, min(hi, x))


def twice(f):
    @wraps(f)
    def g(*args, **kwargs):
        return f(f(*args, **kwargs))

    return g


@twice
def smooth(xs):
    return np.convolve(xs, [0.25, 0.5, 0.25], mode="same")


PIPELINE = compose(partial(map, lambda x: x * 1.5), partial(filter, lambda x: x > 0.2), list)

OPERATIONS = {
    "+": operator.add,
    "*": operator.mul,
    "max": max,
    "hyp": lambda x, y: math.sqrt(x * x + y * y),
}


def fold(name, xs):
    return reduce(OPERATIONS[name], xs)


def horner(coefficients, x):
    return reduce(lambda acc, c: acc * x + c, coefficients, 0.0)


def newton(f, df, x0, tol=1e-10):
    step = lambda x: x - f(x) / df(x)
    previous = x0
    for x in iterate(step, step(x0)):
        if abs(x - previous) < tol:
            return x
        previous = x


def kth_root(a, k):
    return newton(lambda x: x**k - a, lambda x: k * x ** (k - 1), 1.0 + a / k)


def report(xs):
    """Many small things of a list of numbers."""
    doubled = PIPELINE(xs)
    clamped = list(map(partial(clamp, -0.5, 0.5), xs))
    increases = sum(b > a for a, b in pairwise(xs))
    running = list(accumulate(xs, operator.mul))
    grid = sum(math.cos(a * b) for a, b in product(xs, repeat=2))
    front = sum(takewhile(lambda x: x > 0, xs))
    both = sorted(chain(xs, clamped), key=abs, reverse=True)
    return sum(doubled), clamped, increases, running[-1], grid, front, both[0]


def total(xs):
    folded = [fold(name, xs) for name in OPERATIONS]
    smoothed = compose(np.array, smooth, curry(np.multiply)(2.0), np.sum)(xs)
    return sum(folded) + float(smoothed) + sum(report(xs)[3:5]) + horner(xs, 0.3)
