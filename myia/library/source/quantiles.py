"""Quantiles: elements of sorted rows, or points between two of them (Hyndman and Fan, 1996).

The steps are NumPy's, since each is rounded: the position of a quantile, a number from 0 to n - 1,
the samples around it, the point between them. Some methods take a sample, in the array's dtype.
"""

from __future__ import annotations

import numpy as np

from myia.library.source.statistics import along, axes_of, merged, stored
from myia.library.support.from_source import Array, Axis, from_source

# method: alpha, beta of the position n q + alpha + q (1 - alpha - beta), counted from 1
PLOTTING_POSITIONS = {
    "weibull": (0, 0),
    "hazen": (0.5, 0.5),
    "interpolated_inverted_cdf": (0, 1),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


@from_source(np.quantile)
def quantile(
    a: Array,
    q: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array = None,
) -> Array:
    check_range(q, 1, "Quantiles must be in the range [0, 1]")
    weak = type(q) in (int, float)
    return quantiles(a, np.asarray(q), weak, axis, out, method, keepdims, weights, False)


@from_source(np.percentile)
def percentile(
    a: Array,
    q: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array = None,
) -> Array:
    check_range(q, 100, "Percentiles must be in the range [0, 100]")
    weak = type(q) in (int, float)
    return quantiles(a, hundredth(q), weak, axis, out, method, keepdims, weights, False)


@from_source(np.nanquantile)
def nanquantile(
    a: Array,
    q: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array = None,
) -> Array:
    check_range(q, 1, "Quantiles must be in the range [0, 1]")
    weak = type(q) in (int, float)
    return quantiles(a, np.asarray(q), weak, axis, out, method, keepdims, weights, True)


@from_source(np.nanpercentile)
def nanpercentile(
    a: Array,
    q: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array = None,
) -> Array:
    check_range(q, 100, "Percentiles must be in the range [0, 100]")
    weak = type(q) in (int, float)
    return quantiles(a, hundredth(q), weak, axis, out, method, keepdims, weights, True)


def check_range(q: Array, end: int, message: str) -> None:
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= end)):
        raise ValueError(message)


def hundredth(q: Array) -> Array:
    """`q / 100` for numbers up to 100, by a divisor that XLA does not make a factor of 0.01.

    That would be rounded otherwise, and the sample may be another.
    """
    q = np.asarray(q)
    return np.true_divide(q, np.where(q <= 100, 100, 1).astype(q.dtype))


def quantiles(
    a: Array,
    q: Array,
    weak: bool,
    axis: Axis,
    out: Array,
    method: str,
    keepdims: bool,
    weights: Array,
    skips_nan: bool,
) -> Array:
    """`weak`: `q` is a Python number, whose dtype has no part in the result's."""
    a = np.asarray(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if np.ndim(q) > 2:
        raise ValueError("q must be a scalar or 1d")
    if skips_nan and a.size == 0:
        return np.nanmean(a, axis, out=out, keepdims=keepdims)
    axes = axes_of(axis, a.ndim)
    skips_nan = skips_nan and a.dtype.kind == "f"
    if weights is None:
        rows = np.sort(merged(a, axes), -1)
        found = of_sorted(rows, q, weak, method, skips_nan)
    else:
        if method != "inverted_cdf":
            raise ValueError("Only method 'inverted_cdf' supports weights.")
        weights = along(np.asarray(weights), a, axis)
        found = of_weighted(merged(a, axes), merged(weights, axes), q, skips_nan)
    count = np.ndim(q)
    if count and found.ndim > count:
        found = np.moveaxis(found, tuple(range(-count, 0)), tuple(range(count)))
    if keepdims:
        found = np.expand_dims(found, tuple([count + i for i in axes]))
    return stored(found, out)


def of_sorted(rows: Array, q: Array, weak: bool, method: str, skips_nan: bool) -> Array:
    """The quantiles of each sorted row, in which NaN is last."""
    n = rows.shape[-1]
    if skips_nan:
        valid = np.sum(~np.isnan(rows), -1)
        n = valid.astype(q.dtype if q.dtype.kind == "f" else float)
        n = n.reshape(n.shape + (1,) * np.ndim(q)) if np.ndim(q) else n
    place = index_of_method(n, q, method)
    if place is not None:
        found = taken(rows, place, skips_nan)
    elif method == "linear" and q.dtype.kind in "iu":
        found = taken(rows, ((n - 1) * q).astype(int), skips_nan)
    else:
        position = position_of_method(n, q, method)
        low = np.floor(position)
        high = low + 1
        above, below = position >= n - 1, position < 0
        low = np.where(above, n - 1, np.where(below, 0, low))
        high = np.where(above, n - 1, np.where(below, 0, high))
        part = part_of_method(position, np.where(above, position + 1, position - low), method)
        first = taken(rows, low.astype(int), skips_nan)
        second = taken(rows, high.astype(int), skips_nan)
        found = between(first, second, part, weak)
    if rows.dtype.kind != "f":
        return found
    if skips_nan:
        return np.where(n == 0, np.nan, found)[()]
    last = rows[..., -1]
    last = last.reshape(last.shape + (1,) * np.ndim(q)) if np.ndim(q) else last
    return np.where(np.isnan(last), last, found)[()]


def taken(rows: Array, place: Array, each: bool) -> Array:
    """The elements of each row at these places; `each`: at those of its own."""
    if not each:
        return rows[..., place][()]
    kept = rows.ndim - 1
    places = place.reshape((*place.shape[:kept], -1))
    return np.take_along_axis(rows, np.maximum(places, 0), -1).reshape(place.shape)[()]


def index_of_method(n: Array, q: Array, method: str) -> Array:
    """The index of the sample that a method takes; None if it takes points between samples."""
    if method == "lower":
        return np.floor((n - 1) * q).astype(int)
    if method == "higher":
        return np.ceil((n - 1) * q).astype(int)
    if method == "nearest":
        return np.around((n - 1) * q).astype(int)
    if method == "inverted_cdf":
        position = rounded_product(n, q) - 1
        before = np.floor(position)
        return np.maximum(np.where(position == before, before, before + 1).astype(int), 0)
    if method == "closest_observation":
        position = rounded_product(n, q) - 1 - 0.5
        before = np.floor(position)
        is_before = (position == before) & (before % 2 == 1)
        return np.maximum(np.where(is_before, before, before + 1).astype(int), 0)
    return None


def rounded_product(n: Array, q: Array) -> Array:
    """`n * q`, which does not become one operation with a sum that follows (FMA)."""
    return np.maximum(n * q, 0)


def position_of_method(n: Array, q: Array, method: str) -> Array:
    if method == "linear":
        return (n - 1) * q
    if method == "midpoint":
        return 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q))
    if method == "averaged_inverted_cdf":
        return rounded_product(n, q) - 1
    if method not in PLOTTING_POSITIONS:
        raise ValueError(f"{method!r} is not a valid method.")
    alpha, beta = PLOTTING_POSITIONS[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def part_of_method(position: Array, part: Array, method: str) -> Array:
    """How far between its samples the point is, from 0 to 1."""
    if method == "midpoint":
        return np.where(position % 1 == 0, 0.0, 0.5).astype(part.dtype)
    if method == "averaged_inverted_cdf":
        return np.where(part == 0, 0.5, 1.0).astype(part.dtype)
    return part


def between(first: Array, second: Array, part: Array, weak: bool) -> Array:
    """The point from the nearer one of two samples, so that it is exact at both."""
    difference = second - first
    if weak:
        part = part.astype(difference.dtype if difference.dtype.kind == "f" else float)
    from_first, from_second = first + difference * part, second - difference * (1 - part)
    return np.where(part >= 0.5, from_second, from_first)[()]


def of_weighted(rows: Array, weights: Array, q: Array, skips_nan: bool) -> Array:
    """The first sample whose share, with the smaller ones, of the whole weight is `q`."""
    if np.any(weights < 0):
        raise ValueError("Weights must be non-negative.")
    order = np.argsort(rows, -1, kind="stable")
    rows = np.take_along_axis(rows, order, -1)
    weights = np.take_along_axis(weights, order, -1).astype(float)
    valid = ~np.isnan(rows)
    if skips_nan:
        weights = np.where(valid, weights, 0.0)
    share = np.cumsum(weights, -1)
    share = share / share[..., -1:]
    some = np.any(valid, -1)
    if np.any(np.isnan(share[..., -1]) & (some | (not skips_nan))):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        share = share.astype(q.dtype)
    share = np.where(share == 0, -1, share)
    places = np.sum(share[..., None] < np.ravel(q), -2)
    places = np.minimum(places, rows.shape[-1] - 1)
    found = np.take_along_axis(rows, places, -1).reshape(rows.shape[:-1] + np.shape(q))
    failed = ~some if skips_nan else np.isnan(rows[..., -1])
    failed = failed.reshape(failed.shape + (1,) * np.ndim(q)) if np.ndim(q) else failed
    return np.where(failed, rows.dtype.type(np.nan), found)[()] if rows.dtype.kind == "f" else found
