"""Exponential integrals, the dilogarithm, and inverses of the error functions.

Formulas are from the Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import scipy.special
from jax.scipy import special as jax_special

from myia.ir.core import Value
from myia.primitives import arithmetic, logic
from myia.primitives.define import constant
from myia.primitives.elementwise import exp, log
from myia.primitives.special import real_function

# ----- Inverses: y' = 1 / f'(y)

# The quantile of the normal distribution.
ndtri = real_function(
    "ndtri",
    jax_special.ndtri,
    scipy.special.ndtri,
    lambda y, x: math.sqrt(2 * math.pi) * exp(0.5 * y * y),
)
erfc_inv = real_function(
    "erfc_inv",
    lambda x: -jax_special.ndtri(x / 2) / math.sqrt(2),
    scipy.special.erfcinv,
    lambda y, x: -math.sqrt(math.pi) / 2 * exp(y * y),
)

# ----- Exponential integrals, DLMF 6.2


def _exp1(x):
    return jnp.where(x == 0, jnp.inf, jnp.where(x < 0, jnp.nan, -jax_special.expi(-x)))


expi = real_function("expi", jax_special.expi, scipy.special.expi, lambda y, x: exp(x) / x)
exp1 = real_function("exp1", _exp1, scipy.special.exp1, lambda y, x: -exp(-x) / x)

# ----- The dilogarithm Li2(1 - x), DLMF 25.12.2

_NEAR = 0.125
_TERMS = 20  # of a series in powers of _NEAR


def log_ratio(x: Value) -> Value:
    """log(x) / (1 - x), near 1 by its series: derivatives of all orders hold."""
    near = logic.lt(arithmetic.abs(x - 1), _NEAR)
    u = logic.select(near, 1 - x, 0)
    series = constant(0, x.dtype, x.shape)
    for k in reversed(range(1, _TERMS + 1)):
        series = series * u - 1 / k
    away = logic.select(near, 2, x)
    return logic.select(near, series, log(away) / (1 - away))


spence = real_function(
    "spence", jax_special.spence, scipy.special.spence, lambda y, x: log_ratio(x)
)
