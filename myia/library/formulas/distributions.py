"""`scipy.stats`: what all methods of distributions have in common, where JAX has other numbers.

norm.pdf(x, 0.0, -1.0)     NaN: so is each result of a parameter that the distribution has not
binom.pmf(1.5, 5, 0.3)     0: there is nothing between the integers
uniform.pdf(nan)           NaN
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax.scipy import stats

import myia.library.formulas.stats  # noqa: F401  # what it registers is framed here
from myia.library.formulas.lookup import COMPOSITIONS

METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")


def _is_count(n: Any) -> Any:
    return (n >= 0) & (n == jnp.floor(n))


def _is_probability(p: Any) -> Any:
    return (p >= 0) & (p <= 1)


# Which parameters a distribution may have, besides its place and its scale: `_argcheck` of SciPy.
PARAMETERS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("cauchy", "expon", "gumbel_l", "gumbel_r", "laplace"), lambda: True),
    **dict.fromkeys(("logistic", "norm", "uniform"), lambda: True),
    **dict.fromkeys(("chi2", "gamma", "gennorm", "pareto", "t"), lambda shape: shape > 0),
    "bernoulli": _is_probability,
    "beta": lambda a, b: (a > 0) & (b > 0),
    "betabinom": lambda n, a, b: _is_count(n) & (a > 0) & (b > 0),
    "binom": lambda n, p: _is_count(n) & _is_probability(p),
    "geom": lambda p: (p > 0) & (p <= 1),
    "nbinom": lambda n, p: (n > 0) & (p > 0) & (p <= 1),
    "poisson": lambda mu: mu >= 0,
    "truncnorm": lambda a, b: a < b,
    "vonmises": lambda kappa: kappa >= 0,
    "wrapcauchy": lambda c: (c > 0) & (c < 1),
}


def _framed(method: str, f: Callable[..., Any], is_valid: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, a method of a distribution, with these parameters."""
    signature = inspect.signature(f)

    @functools.wraps(f)
    def framed(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        x, *shapes = (v for name, v in bound.arguments.items() if name not in ("loc", "scale"))
        loc, scale = bound.arguments["loc"], bound.arguments.get("scale")
        value, y = f(*args, **kwargs), x - loc
        if method in ("pmf", "logpmf"):
            value = jnp.where(y == jnp.floor(y), value, 0 if method == "pmf" else -jnp.inf)
        elif method == "cdf" and scale is None:
            value = jnp.where(y == jnp.inf, 1, value)
        valid = (y == y) & is_valid(*shapes)
        return jnp.where(valid if scale is None else valid & (scale > 0), value, jnp.nan)

    return framed


for _name, _is_valid in PARAMETERS.items():
    for _method in METHODS:
        _full = f"scipy.stats.{_name}.{_method}"
        _of_jax = getattr(getattr(stats, _name), _method, None)
        if (_f := COMPOSITIONS.get(_full, _of_jax)) is not None:
            COMPOSITIONS[_full] = _framed(_method, _f, _is_valid)
