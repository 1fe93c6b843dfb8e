"""Exponential integrals, the dilogarithm, and inverses of the error functions.

Formulas are from the Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import lax
from jax.scipy import special as jax_special

from myia.ir.core import Value
from myia.primitives.core.define import PointwisePrimitive, constant
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.transcendental import exp, log
from myia.primitives.special.gamma_bessel import real_function, undefined_partial
from myia.primitives.special.hypergeometric import python_while

# ----- Inverses: y' = 1 / f'(y)

erfc_inv = real_function(
    "erfc_inv",
    lambda x: -jax_special.ndtri(x / 2) / math.sqrt(2),
    "erfcinv",
    lambda y, x: -math.sqrt(math.pi) / 2 * exp(y * y),
)

# ----- Exponential integrals, DLMF 6.2


def _exp1(x: jax.Array) -> jax.Array:
    return jnp.where(x == 0, jnp.inf, jnp.where(x < 0, jnp.nan, -jax_special.expi(-x)))


expi = real_function("expi", jax_special.expi, "expi", lambda y, x: exp(x) / x)
exp1 = real_function("exp1", _exp1, "exp1", lambda y, x: -exp(-x) / x)

# E_n(x) for integers n, DLMF 8.19. Derivatives need negative n: E_n' = -E_(n-1).

_SERIES_TERMS = 25  # of powers of x <= 1
_FRACTION_TERMS = 100  # of a continued fraction at x >= 1


def _en_series(n: jax.Array, x: jax.Array) -> jax.Array:
    """DLMF 8.19.8, for 0 < x <= 1 and n >= 1."""
    total, power = jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(_SERIES_TERMS):
        pole = n == k + 1
        total = total - jnp.where(pole, 0, power / jnp.where(pole, 1, k + 1 - n))
        power = power * -x / (k + 1)
    size = jnp.exp((n - 1) * jnp.log(x) - jax_special.gammaln(n))
    sign = jnp.where(n % 2 == 0, -1, 1)
    return total + sign * size * (jax_special.digamma(n) - jnp.log(x))


def _en_fraction(n: jax.Array, x: jax.Array) -> jax.Array:
    """DLMF 8.19.17, evaluated from its last term, for x >= 1."""

    def outwards(i: int, f: jax.Array) -> jax.Array:
        k = _FRACTION_TERMS - i
        return x + n + 2 * (k - 1) - k * (n + k - 1) / f

    f = lax.fori_loop(0, _FRACTION_TERMS, outwards, x + n + 2 * _FRACTION_TERMS)
    return jnp.exp(-x) / f


def _en_negative(numpy: Any, while_: Any, n: Any, x: Any) -> Any:
    """x E_n = e^-x - n E_(n+1) from E_0 on (DLMF 8.19.12), for n <= 0."""
    start = numpy.exp(-x) / x

    def step(state: Any) -> tuple[Any, ...]:
        i, e = state
        return i + 1, numpy.where(i <= -n, (numpy.exp(-x) + i * e) / x, e)

    most = numpy.max(-n) if n.size else 0
    return while_(lambda state: state[0] <= most, step, (n.dtype.type(1), start))[1]


def _expn(n: jax.Array, x: jax.Array) -> jax.Array:
    n = jnp.floor(n)
    order = jnp.maximum(n, 1)
    series = _en_series(order, jnp.where((x > 0) & (x <= 1), x, 1))
    fraction = _en_fraction(order, jnp.where(x > 1, x, 1))
    positive = jnp.where(x > 1, fraction, series)
    negative = _en_negative(jnp, lax.while_loop, jnp.minimum(n, 0), jnp.where(x > 0, x, 1))
    at_zero = jnp.where(n > 1, 1 / jnp.where(n > 1, n - 1, 1), jnp.inf)
    found = jnp.where(x == 0, at_zero, jnp.where(n > 0, positive, negative))
    return jnp.where(x < 0, jnp.nan, jnp.where(x == jnp.inf, 0, found))


def _evaluate_expn(n: np.ndarray, x: np.ndarray) -> Any:
    n, x = np.floor(np.asarray(n, np.float64)), np.asarray(x, np.float64)
    positive = scipy.special.expn(np.maximum(n, 0).astype(int), x)
    negative = _en_negative(np, python_while, np.minimum(n, 0), x)
    return np.where((n > 0) | (x < 0), positive, negative)


expn: PointwisePrimitive = real_function(
    "expn",
    _expn,
    _evaluate_expn,
    undefined_partial("expn", "its order"),
    lambda y, n, x: -expn(n - 1, x),
)

# ----- The dilogarithm Li2(1 - x), DLMF 25.12.2

_NEAR = 0.125
_TERMS = 20  # of a series in powers of _NEAR


def log_ratio(x: Value) -> Value:
    """log(x) / (1 - x), near 1 by its series, so that derivatives of all orders are accurate."""
    near = logic.lt(arithmetic.abs(x - 1), _NEAR)
    u = logic.select(near, 1 - x, 0)
    series = constant(0, x.dtype, x.shape)
    for k in reversed(range(1, _TERMS + 1)):
        series = series * u - 1 / k
    away = logic.select(near, 2, x)
    return logic.select(near, series, log(away) / (1 - away))


spence = real_function("spence", jax_special.spence, "spence", lambda y, x: log_ratio(x))
