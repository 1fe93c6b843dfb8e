"""`scipy.stats`: distributions with their parameters, `norm(loc, scale)`, from source.

rv = norm(loc, scale)
rv.logpdf(x)                is         norm.logpdf(x, loc, scale)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from myia.infer.registry import when_imported
from myia.infer.unsupported import PYTHON_PAGE
from myia.library.guests.classes import compiled_methods, replaces
from myia.library.scipy.traced_table import DISTRIBUTIONS
from myia.library.support.from_source import Array, from_source

INSTEAD = f"use a density, a probability or a quantile: {PYTHON_PAGE}"
UNKNOWN = "a distribution that is none of `scipy.stats`"
MULTIVARIATE = ("dirichlet", "multinomial", "multivariate_normal")


@compiled_methods
class Frozen:
    """A distribution of one variable: its name, and the parameters given."""

    _name: str | None
    args: tuple[Array, ...]
    kwds: dict[str, Array]

    def __init__(self, name: str | None, args: Any, kwds: Any) -> None:
        self._name, self.args, self.kwds = name, args, kwds

    def _of(self) -> Any:
        if self._name is None:
            raise NotImplementedError(UNKNOWN)
        return getattr(scipy.stats, self._name)

    def cdf(self, x: Array) -> Array:
        return self._of().cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Array) -> Array:
        return self._of().logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Array) -> Array:
        return self._of().sf(x, *self.args, **self.kwds)

    def logsf(self, x: Array) -> Array:
        return self._of().logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Array) -> Array:
        return self._of().ppf(q, *self.args, **self.kwds)

    def isf(self, q: Array) -> Array:
        return self._of().isf(q, *self.args, **self.kwds)


def _given(x: Any) -> tuple[Any, ...]:
    return x.args, x.kwds


def _name(x: Any) -> tuple[Any, ...]:
    """The name by which `scipy.stats` has the distribution; None: it has not."""
    name = x.dist.name
    public = getattr(sys.modules["scipy.stats"], str(name), None)
    return (name if type(public) is type(x.dist) else None,)


def _frozen(state: Mapping[str, Any]) -> Any:
    return getattr(sys.modules["scipy.stats"], state["_name"])(*state["args"], **state["kwds"])


@replaces(
    "scipy",
    "rv_continuous_frozen",
    parts=("args", "kwds"),
    take_parts=_given,
    values=("_name",),
    take_values=_name,
    rebuilt=_frozen,
    instead=INSTEAD,
)
class Continuous(Frozen):
    def pdf(self, x: Array) -> Array:
        return self._of().pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Array) -> Array:
        return self._of().logpdf(x, *self.args, **self.kwds)


@replaces(
    "scipy",
    "rv_discrete_frozen",
    parts=("args", "kwds"),
    take_parts=_given,
    values=("_name",),
    take_values=_name,
    rebuilt=_frozen,
    instead=INSTEAD,
)
class Discrete(Frozen):
    def pmf(self, k: Array) -> Array:
        return self._of().pmf(k, *self.args, **self.kwds)

    def logpmf(self, k: Array) -> Array:
        return self._of().logpmf(k, *self.args, **self.kwds)


# ----- Several variables


def _mean_and_covariance(x: Any) -> tuple[Any, ...]:
    return x.mean, x.cov


@replaces(
    "scipy",
    "multivariate_normal_frozen",
    parts=("mean", "cov"),
    take_parts=_mean_and_covariance,
    values=("allow_singular",),
    instead=f"{INSTEAD}; give a mean and a covariance, and return them",
)
class MultivariateNormal:
    def __init__(self, mean: Array, cov: Array, allow_singular: bool = False) -> None:
        self.mean, self.cov, self.allow_singular = mean, cov, allow_singular

    def pdf(self, x: Array) -> Array:
        if self.allow_singular:
            raise NotImplementedError("`allow_singular`")
        return scipy.stats.multivariate_normal.pdf(x, self.mean, self.cov)

    def logpdf(self, x: Array) -> Array:
        if self.allow_singular:
            raise NotImplementedError("`allow_singular`")
        return scipy.stats.multivariate_normal.logpdf(x, self.mean, self.cov)


def multivariate_normal(
    mean: Array = None, cov: Array = 1, allow_singular: bool = False, seed: None = None
) -> Any:
    covariance = np.asarray(cov, np.float64)
    if covariance.ndim == 1:
        covariance = np.diag(covariance)
    if mean is None:
        mean = np.zeros(1 if covariance.ndim == 0 else covariance.shape[0])
    center = np.asarray(mean, np.float64).reshape(-1)
    if covariance.ndim == 0:
        covariance = covariance * np.eye(center.shape[0])
    return MultivariateNormal(center, covariance, allow_singular)


# ----- Calls of distributions


@when_imported("scipy.stats")
def _stats(module: ModuleType) -> None:
    for name in DISTRIBUTIONS:
        if name not in MULTIVARIATE:
            distribution = getattr(module, name)
            discrete = isinstance(distribution, module.rv_discrete)
            from_source(distribution)(_freezing(name, Discrete if discrete else Continuous))
    from_source(module.multivariate_normal)(multivariate_normal)


def _freezing(name: str, cls: Any) -> Any:
    def freeze(*args: Array, **kwds: Array) -> Any:
        return cls(name, args, kwds)

    return freeze
