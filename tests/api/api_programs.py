"""Programs of the tests of the API."""

import math


def power(x, n):
    """A loop on data."""
    y = 1.0
    while y < n:
        y = y * x
    return y


def wave(a, x):
    """A loop over an array that is written to."""
    for i in range(1, a.shape[0]):
        a[i] = math.sin(a[i - 1]) * x + a[i]
    return a[-1]


def smallest(xs):
    """Branches, break, None before a value."""
    best = None
    for x in xs:
        if x < 0.0:
            break
        if best is None or x < best:
            best = x
    return best if best is not None else 0.0


def cubes(x):
    return x**3


def loss(params, x):
    """A dict of parameters."""
    y = params["w"] * x + params["b"]
    return (y * y).sum()
