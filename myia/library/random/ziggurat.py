"""The tables of the ziggurat method: layers of equal area under a decreasing density.

Layer i has the width x[i], which falls from the base (i = 255, beside the tail) to the top (i = 1):

    x[255] = r,  f(x[i - 1]) = f(x[i]) + area / x[i],  x[0] = 0

A sample in layer i is `u w[i]`, for an integer u of so many bits; where u is below `k[i]` it is
inside of the layer above, and the density need not be computed. `f[i]` is the density at x[i];
i = 0 stands for the base with the tail. (Marsaglia and Tsang: The ziggurat method for generating
random variables, 2000.)

A word that falls between two roundings of k[i] is taken by one and refused by the other, so that
all later draws differ. So each table is rounded as NumPy's is: those of 64 bits of the normal
distribution are a recursion in float64, the others are computed with 40 digits, and some kept to
nine. What NumPy's tables have beyond that is stated here: an area, and the last bit of a density.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

LAYERS = 256
DIGITS = 40
NORMAL_TAIL = "3.6541528853610087963519472518"
NORMAL_AREA = 0.004928673233974652
ROUNDED_UP = 38  # the layer whose density is one unit in the last place above the nearest number
EXPONENTIAL_TAIL = "7.697117470131049714044628048"


class Tables(NamedTuple):
    """w, k and f of the layers."""

    width: np.ndarray
    limit: np.ndarray
    density: np.ndarray


@functools.cache
def normal() -> Tables:
    """The half of exp(-x**2 / 2) at positive x, for integers of 52 bits."""
    r, scale = float(NORMAL_TAIL), 2.0**52
    x, f = [0.0] * LAYERS, [1.0] * LAYERS
    x[-1], f[-1] = r, _exp(-0.5 * r * r)
    for i in range(LAYERS - 2, 0, -1):
        x[i] = math.sqrt(-2.0 * _log(NORMAL_AREA / x[i + 1] + f[i + 1]))
        f[i] = _exp(-0.5 * x[i] * x[i])
        if i == ROUNDED_UP:
            f[i] = math.nextafter(f[i], 1.0)
    base = NORMAL_AREA / f[-1]
    limits = [int(r * f[-1] / NORMAL_AREA * scale), 0]
    limits += [round(a / b * scale) for a, b in itertools.pairwise(x[1:])]
    width = [base / scale, *(v / scale for v in x[1:])]
    return Tables(np.array(width), np.array(limits, np.uint64), np.array(f))


def _exp(x: float) -> float:
    """Rounded to the nearest number, on every machine."""
    with localcontext() as context:
        context.prec = DIGITS
        return float(Decimal(x).exp())


def _log(x: float) -> float:
    with localcontext() as context:
        context.prec = DIGITS
        return float(Decimal(x).ln())


@functools.cache
def normal_float32() -> Tables:
    """The same for integers of 23 bits."""
    with localcontext() as context:
        context.prec = DIGITS
        r = Decimal(NORMAL_TAIL)
        area = r * _half_normal(r) + _half_normal(r) * _mills_ratio(r)
        x = _layers(r, area, _half_normal, lambda y: (-2 * y.ln()).sqrt())
        base = area / _half_normal(r)
        width = [float(v / 2**23) for v in (base, *x[1:])]
        density = [float(_half_normal(v)) for v in x]
        return _in_float32(width, _limits_float32(x, base), density)


@functools.cache
def exponential() -> Tables:
    """exp(-x), for integers of 53 bits."""
    with localcontext() as context:
        context.prec = DIGITS
        x, base = _exponential_layers()
        width = [float(v / 2**53) for v in (base, *x[1:])]
        limits = [2 * int(v * 2**52) for v in _ratios(x, base)]
        density = [float((-v).exp()) for v in x]
        return Tables(np.array(width), np.array(limits, np.uint64), np.array(density))


@functools.cache
def exponential_float32() -> Tables:
    """The same for integers of 23 bits."""
    with localcontext() as context:
        context.prec = DIGITS
        x, base = _exponential_layers()
        width = [_nine_digits(v / 2**23) for v in (base, *x[1:])]
        density = [_nine_digits((-v).exp()) for v in x]
        return _in_float32(width, _limits_float32(x, base), density)


def _exponential_layers() -> tuple[list[Decimal], Decimal]:
    r = Decimal(EXPONENTIAL_TAIL)
    area = (r + 1) * (-r).exp()
    return _layers(r, area, lambda v: (-v).exp(), lambda y: -y.ln()), r + 1


Curve = Callable[[Decimal], Decimal]


def _half_normal(x: Decimal) -> Decimal:
    return (-x * x / 2).exp()


def _mills_ratio(x: Decimal) -> Decimal:
    """The area of the tail beyond x over the density at x, as a continued fraction."""
    found = x
    for k in range(400, 0, -1):
        found = x + k / found
    return 1 / found


def _layers(r: Decimal, area: Decimal, density: Curve, inverse: Curve) -> list[Decimal]:
    """x[0], ..., x[255] = r"""
    x = [r]
    while len(x) < LAYERS - 1:
        x.append(inverse(area / x[-1] + density(x[-1])))
    return [Decimal(0), *reversed(x)]


def _ratios(x: Sequence[Decimal], base: Decimal) -> list[Decimal]:
    """The part of each layer that is inside of the next; `base`: the width of a rectangle of the
    area of the base and the tail."""
    return [x[-1] / base, *(a / b for a, b in itertools.pairwise(x))]


def _limits_float32(x: Sequence[Decimal], base: Decimal) -> list[int]:
    return [int(v * 2**23 + Decimal("0.5")) for v in _ratios(x, base)]


def _nine_digits(x: Decimal) -> float:
    return float(f"{x:.8e}")


def _in_float32(width: list[float], limits: list[int], density: list[float]) -> Tables:
    w, f = np.array(width, np.float32), np.array(density, np.float32)
    return Tables(w, np.array(limits, np.uint32), f)
