"""Functions of `statistics` that sum fractions in Python: here a sum carries its rounding errors.

The others (`fmean`, `median`, `geometric_mean`, ...) are Python's own source, compiled.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from myia.infer.registry import when_imported
from myia.library.support.from_source import from_source, stopped


@from_source(math.fsum, known_by_python=True)
def exact_sum(iterable: Any, /) -> Any:
    """The sum of floats as if of twice the precision (Neumaier, 1974)."""
    total, rest = 0.0, 0.0
    for item in iterable:
        x = float(item)
        after = total + x
        of_x = after - total
        rest += stopped((total - (after - of_x)) + (x - of_x))
        total = after
    return total + rest if math.isfinite(total) else total


def quotient(total: Any, n: Any) -> Any:
    """`total / n`, rounded once: a quotient by a constant is a product with its inverse."""
    return total / (n if total == total else math.nan)


@when_imported("statistics")
def _register(statistics: ModuleType) -> None:
    fails: Any = statistics.StatisticsError

    def private(name: str) -> list[Any]:
        """A function that Python's own source calls, in the versions that have it."""
        return [vars(statistics)[name]] if hasattr(statistics, name) else []

    def items(data: Any, name: str, least: int, points: str) -> Any:
        xs = list(data)
        if len(xs) < least:
            raise fails(f"{name} requires at least {points}")
        if issubclass(type(sum(xs)), (int, np.integer)):
            raise NotImplementedError(
                f"`statistics.{name}` of ints known at run time: Python's result is an int or a "
                "float, as their values are; use floats, or `statistics.fmean`"
            )
        return xs

    @from_source(statistics.mean, known_by_python=True)
    def mean(data: Any) -> Any:
        xs = items(data, "mean", 1, "one data point")
        return type(sum(xs))(quotient(exact_sum(xs), len(xs)))

    def squares(xs: Any, c: Any) -> Any:
        """The sum of squared distances to `c`; None: to the mean."""
        if c is not None:
            return exact_sum([(float(x) - float(c)) ** 2 for x in xs])
        middle = quotient(exact_sum(xs), len(xs))
        distances = [float(x) - middle for x in xs]
        off = quotient(exact_sum(distances), len(xs))  # since the mean is rounded
        return exact_sum([(d - off) ** 2 for d in distances])

    @from_source(statistics.variance, known_by_python=True)
    def variance(data: Any, xbar: Any = None) -> Any:
        xs = items(data, "variance", 2, "two data points")
        return type(sum(xs))(quotient(squares(xs, xbar), len(xs) - 1))

    @from_source(statistics.pvariance, known_by_python=True)
    def pvariance(data: Any, mu: Any = None) -> Any:
        xs = items(data, "pvariance", 1, "one data point")
        return type(sum(xs))(quotient(squares(xs, mu), len(xs)))

    @from_source(statistics.stdev, known_by_python=True)
    def stdev(data: Any, xbar: Any = None) -> Any:
        xs = items(data, "stdev", 2, "two data points")
        return math.sqrt(quotient(squares(xs, xbar), len(xs) - 1))

    @from_source(statistics.pstdev, known_by_python=True)
    def pstdev(data: Any, mu: Any = None) -> Any:
        xs = items(data, "pstdev", 1, "one data point")
        return math.sqrt(quotient(squares(xs, mu), len(xs)))

    @from_source(*private("_mean_stdev"))
    def mean_and_stdev(data: Any) -> Any:
        xs = items(data, "stdev", 2, "two data points")
        return float(mean(xs)), stdev(xs)

    @from_source(statistics.harmonic_mean, known_by_python=True)
    def harmonic_mean(data: Any, weights: Any = None) -> Any:
        xs = items(data, "harmonic_mean", 1, "one data point")
        ws = [1.0 for _ in xs] if weights is None else list(weights)
        if len(ws) != len(xs):
            raise fails("Number of weights does not match data size")
        for x, w in zip(xs, ws):
            if x < 0.0 or w < 0.0:
                raise fails("harmonic mean does not support negative values")
        for x, w in zip(xs, ws):
            if x == 0.0 and w != 0.0:
                return type(sum(xs))(0.0)
        total = exact_sum([w / x if w != 0.0 else 0.0 for x, w in zip(xs, ws)])
        if total <= 0.0:
            raise fails("Weighted sum must be positive")
        return type(sum(xs))(exact_sum(ws) / total)

    @from_source(*private("_normal_dist_inv_cdf"))
    def quantile(p: Any, mu: Any, sigma: Any, /) -> Any:
        return mu + float(scipy.special.ndtri(p)) * sigma
