"""`scipy.stats`: methods of distributions that JAX lacks, or computes otherwise at the ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array
from jax.scipy import special, stats

from myia.library.formulas.lookup import formula
from myia.library.formulas.special import betaln
from myia.primitives.special.normal import log_probability

# ----- Standard distributions that JAX does not shift or scale


def _density(name: str, density: Callable) -> None:
    @formula(f"scipy.stats.{name}.pdf")
    def pdf(x: Any, shape: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return density((x - loc) / scale, shape) / scale


def _log_density(name: str, log_density: Callable) -> None:
    @formula(f"scipy.stats.{name}.logpdf")
    def logpdf(x: Any, shape: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return log_density((x - loc) / scale, shape) - jnp.log(scale)


for _name in ("gennorm", "wrapcauchy"):
    _density(_name, getattr(stats, _name).pdf)
    _log_density(_name, getattr(stats, _name).logpdf)


def _log_vonmises(x: Array, kappa: Array) -> Array:
    """Also at kappa = 0, where the distribution is uniform."""
    return kappa * (jnp.cos(x) - 1) - jnp.log(2 * math.pi * special.i0e(kappa))


_density("vonmises", lambda x, kappa: jnp.exp(_log_vonmises(x, kappa)))
_log_density("vonmises", _log_vonmises)


@formula("scipy.stats.gennorm.cdf")
def _gennorm_cdf(x: Any, beta: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """By the smaller tail, since the larger one is rounded."""
    x = (x - loc) / scale
    tail = special.gammaincc(1 / beta, jnp.abs(x) ** beta) / 2
    return jnp.where(x < 0, tail, 1 - tail)


# ----- The beta function, which JAX computes with few digits


@formula("scipy.stats.beta.logpdf")
def _beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    x = (x - loc) / scale
    inside = (x >= 0) & (x <= 1)
    y = jnp.where(inside, x, 0.5)
    powers = special.xlogy(a - 1, y) + special.xlog1py(b - 1, -y)
    return jnp.where(inside, powers - betaln(a, b) - jnp.log(scale), -jnp.inf)


@formula("scipy.stats.beta.pdf")
def _beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return jnp.exp(_beta_logpdf(x, a, b, loc, scale))


@formula("scipy.stats.betabinom.logpmf")
def _betabinom_logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    k = k - loc
    inside = (k >= 0) & (k <= n)
    k = jnp.where(inside, k, 0)
    ways = -jnp.log1p(n) - betaln(n - k + 1, k + 1)
    return jnp.where(inside, ways + betaln(k + a, n - k + b) - betaln(a, b), -jnp.inf)


@formula("scipy.stats.betabinom.pmf")
def _betabinom_pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    return jnp.exp(_betabinom_logpmf(k, n, a, b, loc))


# ----- Quantiles, at 0 and 1 and beyond


def _within_unit_interval(q: Array, inside: Callable, at_zero: float, at_one: float) -> Array:
    """`inside(q)` for 0 < q < 1, the ends of the support at 0 and 1, and NaN for other numbers."""
    known = (q > 0) & (q < 1)
    ends = jnp.where(q == 0, at_zero, jnp.where(q == 1, at_one, jnp.nan))
    return jnp.where(known, inside(jnp.where(known, q, 0.5)), ends)


def _quantile(name: str, inside: Callable, rising: bool = True) -> None:
    end = jnp.inf if rising else -jnp.inf

    @formula(name)
    def quantile(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return _within_unit_interval(q, lambda q: inside(q, loc, scale), -end, end)


_quantile("scipy.stats.cauchy.ppf", stats.cauchy.ppf)
_quantile("scipy.stats.cauchy.isf", stats.cauchy.isf, rising=False)
_quantile("scipy.stats.gumbel_l.ppf", lambda q, a, s: a + s * jnp.log(-jnp.log1p(-q)))
_quantile("scipy.stats.gumbel_r.ppf", lambda q, a, s: a - s * jnp.log(-jnp.log(q)))


def _log_complement(t: Array) -> Array:
    """log(1 - e^-t) for t > 0 (M. Mächler, Accurately computing log(1 - exp(-|a|)), 2012)."""
    large = t > math.log(2)
    far, near = jnp.where(large, t, 1), jnp.where(large, 1, t)
    return jnp.where(large, jnp.log1p(-jnp.exp(-far)), jnp.log(-jnp.expm1(-near)))


def _log_cauchy(z: Array) -> Array:
    """The logarithm of its distribution function, by the smaller tail."""
    tail = jnp.arctan2(1, jnp.where(z > 0, z, -z)) / math.pi
    return jnp.where(z > 0, jnp.log1p(-tail), jnp.log(tail))


# ----- In one line; probabilities close to 0, and logarithms of those close to 1

_FORMULAS: dict[str, Callable] = {
    "bernoulli.cdf": lambda k, p, loc=0: stats.bernoulli.cdf(k - loc, p),
    "bernoulli.ppf": lambda q, p, loc=0: (
        jnp.where(q == 0, -1, jnp.where(q == 1, 1, stats.bernoulli.ppf(q, p))) + loc
    ),
    "cauchy.cdf": lambda x, loc=0, scale=1: jnp.arctan2(scale, loc - x) / math.pi,
    "cauchy.sf": lambda x, loc=0, scale=1: jnp.arctan2(scale, x - loc) / math.pi,
    "cauchy.logcdf": lambda x, loc=0, scale=1: _log_cauchy((x - loc) / scale),
    "cauchy.logsf": lambda x, loc=0, scale=1: _log_cauchy((loc - x) / scale),
    "gumbel_r.sf": lambda x, loc=0, scale=1: -jnp.expm1(-jnp.exp(-(x - loc) / scale)),
    "gumbel_r.logsf": lambda x, loc=0, scale=1: _log_complement(jnp.exp(-(x - loc) / scale)),
    "gumbel_l.logcdf": lambda x, loc=0, scale=1: _log_complement(jnp.exp((x - loc) / scale)),
    "norm.logcdf": lambda x, loc=0, scale=1: log_probability((x - loc) / scale),
    "norm.logsf": lambda x, loc=0, scale=1: log_probability((loc - x) / scale),
}
for _name, _f in _FORMULAS.items():
    formula(f"scipy.stats.{_name}")(_f)
