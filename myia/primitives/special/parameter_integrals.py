"""Derivatives of distribution functions in their parameters, over the density p = F_x.

They are integrals of the density, with l = (log p)_a:

    F_a = integral of l p        F_aa = integral of (l^2 + l_a) p        F_ab = ... (l m + l_b) p

from 0 to x, or from x on with the other sign, since over all numbers they are 0. In the variable
|log (t / x)| the integrand decays at least exponentially, so that a rule with exponential steps is
as accurate as a float (Takahasi and Mori: Double exponential formulas, 1974).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy
from jax import lax

STEPS = np.arange(-56, 76) / 16.0
DISTANCES = np.exp(STEPS - np.exp(-STEPS))
WEIGHTS = DISTANCES * (1.0 + np.exp(-STEPS)) / 16.0
TINY = float(np.finfo(np.float64).tiny)


class Functions(NamedTuple):
    """NumPy's or JAX's."""

    numpy: Any
    digamma: Callable[[Any], Any]
    trigamma: Callable[[Any], Any]


OF_JAX = Functions(jnp, lax.digamma, lambda a: lax.polygamma(jnp.ones_like(a), a))
# Lambdas, since `scipy.special` is read when it is asked for.
OF_NUMPY = Functions(
    np, lambda a: scipy.special.digamma(a), lambda a: scipy.special.polygamma(1, a)
)


def _integral(of: Functions, scale: Any, integrand: Callable[[Any], Any]) -> Any:
    """The integral of a decaying function of positive numbers, for each element of `scale`."""
    return scale * of.numpy.sum(integrand(scale[..., None] * DISTANCES) * WEIGHTS, axis=-1)


def _wide(of: Functions, *xs: Any) -> list[Any]:
    return [of.numpy.asarray(x).astype(np.float64) for x in xs]


def gamma_second(of: Functions, a: Any, x: Any) -> Any:
    """F_aa / p of the gamma distribution."""
    numpy, dtype = of.numpy, x.dtype
    a, x = _wide(of, a, x)
    x = numpy.maximum(x, TINY)
    below, root = x < a, numpy.sqrt(x)
    sign = numpy.where(below, -1.0, 1.0)
    narrow = 1 / numpy.minimum(a, numpy.sqrt(a))
    scale = numpy.where(below, narrow, numpy.minimum(1 / root, 5.0))
    a_, x_, sign_ = a[..., None], x[..., None], sign[..., None]
    center, spread = of.digamma(a)[..., None], of.trigamma(a)[..., None]

    def integrand(u: Any) -> Any:
        v = sign_ * u
        weight = numpy.exp(a_ * v - x_ * numpy.expm1(v))
        return ((numpy.log(x_) + v - center) ** 2 - spread) * weight

    return (-sign * x * _integral(of, scale, integrand)).astype(dtype)


def beta_integral(of: Functions, a: Any, b: Any, x: Any, orders: tuple[int, int]) -> Any:
    """The derivative of these orders in a and b, over p, of the beta distribution."""
    numpy, dtype = of.numpy, x.dtype
    a, b, x = _wide(of, a, b, x)
    below = x * (a + b) < a
    far = 1.0 - x
    near, rest = numpy.where(below, x, far), numpy.where(below, far, x)
    near, rest = numpy.maximum(near, TINY), numpy.maximum(rest, np.finfo(np.float64).eps / 4)
    p, q = numpy.where(below, a, b), numpy.where(below, b, a)
    total = of.digamma(a + b)
    both = of.trigamma(a + b)[..., None]
    center, other = (of.digamma(p) - total)[..., None], (of.digamma(q) - total)[..., None]
    spread = [of.trigamma(p)[..., None] - both, of.trigamma(q)[..., None] - both]
    p_, q_, near_, rest_ = p[..., None], q[..., None], near[..., None], rest[..., None]
    mine, others = orders
    is_first = below[..., None]

    def integrand(u: Any) -> Any:
        log_t = numpy.log(near_) - u
        ratio = numpy.log1p(-near_ * numpy.expm1(-u) / rest_)
        weight = numpy.exp(-p_ * u + (q_ - 1) * ratio)
        l, m = log_t - center, numpy.log(rest_) + ratio - other
        first, second = numpy.where(is_first, l, m), numpy.where(is_first, m, l)
        if orders == (1, 1):
            return (l * m + both) * weight
        of_one = first if mine else second
        if mine + others == 1:
            return of_one * weight
        mine_first = is_first if mine else ~is_first
        return (of_one**2 - numpy.where(mine_first, spread[0], spread[1])) * weight

    scale = 1 / numpy.minimum(p, numpy.sqrt(p))
    sign = numpy.where(below, 1.0, -1.0)
    return (sign * near * _integral(of, scale, integrand)).astype(dtype)
