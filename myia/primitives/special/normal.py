"""The normal distribution: quantile function and logarithm of the cumulative probability.

Formulas are from the Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special as jax_special

from myia.ir.core import Value
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.transcendental import exp
from myia.primitives.special.gamma_bessel import real_function

_LOG_SQRT_TWO_PI = math.log(2 * math.pi) / 2

ndtri = real_function(
    "ndtri",
    jax_special.ndtri,
    "ndtri",
    lambda y, x: math.sqrt(2 * math.pi) * exp(0.5 * y * y),
)


def _least(dtype: np.dtype) -> float:
    """Below this argument the probability loses precision: its asymptotic series is used."""
    return -20.0 if dtype == np.float64 else -10.0


def _series(u: Any) -> Any:
    """P(X < x) |x| / φ(x) - 1 as a series in u = 1 / x²; DLMF 7.12.1."""
    return -u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u * (1 - 11 * u)))))


def log_probability(x: jax.Array) -> jax.Array:
    """log P(X < x) of jnp arrays, by the smaller of the two tails, in the whole range of `x`."""
    far = x < _least(x.dtype)
    near = jnp.where(far, 0, x)
    right = near > 0
    tail = jax_special.erfc(jnp.where(right, near, -near) * math.sqrt(0.5)) / 2
    left = jnp.log(jnp.where(right, 1, tail))  # keeps the derivative finite at a tail of zero
    z = jnp.where(far, x, -1)
    tiny = jnp.log1p(_series(1 / (z * z))) - z * z / 2 - jnp.log(-z) - _LOG_SQRT_TWO_PI
    return jnp.where(far, tiny, jnp.where(right, jnp.log1p(-tail), left))


def _hazard(y: Value, x: Value) -> Value:
    """φ(x) / P(X < x), with y the logarithm of that probability."""
    far = logic.lt(x, _least(x.dtype))
    near = logic.select(far, 0, x)
    z = logic.select(far, x, -1)
    ratio = exp(-near * near / 2 - _LOG_SQRT_TWO_PI - logic.select(far, 0, y))
    return logic.select(far, -z / (1 + _series(1 / (z * z))), ratio)


log_ndtr = real_function("log_ndtr", log_probability, "log_ndtr", _hazard)
