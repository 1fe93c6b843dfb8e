"""Histograms and bins, choices among arrays, partitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from myia.library.support.from_source import Array, Axis, Dtype, from_source


@from_source(np.bincount)
def bincount(x: Array, /, weights: Array = None, minlength: Array = 0) -> Array:
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array")
    if x.dtype.kind not in "biu" and x.size > 0:
        raise TypeError("Cannot cast array data to dtype('int64') according to the rule 'safe'")
    x = x.astype(int)
    if np.any(x < 0):
        raise ValueError("'list' argument must have no negative elements")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None and len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    n = minlength
    if minlength == 0:
        n = int(np.max(x, initial=-1)) + 1
    elif np.any(x >= minlength):
        raise ValueError("`minlength` bounds the result here: an element is not below it")
    counts = np.zeros(n, np.int64 if weights is None else np.float64)
    np.add.at(counts, x, 1 if weights is None else weights)
    return counts


@from_source(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Array:
    x, bins = np.asarray(x), np.asarray(bins)
    if len(bins) == 0:
        return np.zeros(np.shape(x), int)[()]
    other = bins[np.argmax(bins != bins[0])]  # the first that differs
    is_falling = (bins[0] != other) & ~(bins[0] < other)
    ordered = np.where(is_falling, bins[::-1], bins)  # NaN is the last: elsewhere it has no bin
    if not np.all((ordered[:-1] <= ordered[1:]) | np.isnan(ordered[1:])):
        raise ValueError("bins must be monotonically increasing or decreasing")
    side: Any = "left" if right else "right"
    falling = len(bins) - np.searchsorted(bins[::-1], x, side)
    rising: Array = np.searchsorted(bins, x, side)
    return np.where(is_falling, falling, rising)[()]


@from_source(np.histogram_bin_edges)
def histogram_bin_edges(
    a: Array, bins: Array = 10, range: Array = None, weights: Array = None
) -> Array:
    a = np.asarray(a)
    a = a.astype(np.uint8) if a.dtype == bool else a
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif a.size == 0:
        low, high = 0, 1
    else:
        low, high = np.min(a), np.max(a)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    is_point = low == high
    low, high = np.where(is_point, low - 0.5, low)[()], np.where(is_point, high + 0.5, high)[()]
    dtype = np.result_type(low, high, a)
    if np.issubdtype(dtype, np.integer):
        dtype = np.result_type(dtype, float)
    return np.linspace(low, high, bins + 1, dtype=dtype)


def bins_of(x: Array, edges: Array) -> Array:
    """The bin of each element; the last bin is closed, and one more bin is for outside elements."""
    n = len(edges) - 1
    place: Array = np.searchsorted(edges, x, "right") - 1
    place = np.where(x == edges[-1], n - 1, place)
    return np.where(place < 0, n, place)


@from_source(np.histogram)
def histogram(
    a: Array, bins: Array = 10, range: Array = None, density: Array = None, weights: Array = None
) -> Array:
    a = np.ravel(np.asarray(a))
    edges = np.histogram_bin_edges(a, bins, range)
    weights = np.ones((), int) if weights is None else np.ravel(np.asarray(weights))
    is_mask = weights.dtype == bool
    if is_mask and np.ndim(bins):
        raise TypeError("Cannot cast ufunc 'add' output from dtype('int64') to dtype('bool')")
    counts = np.zeros(len(edges), int if is_mask else weights.dtype)
    np.add.at(counts, bins_of(a, edges), weights)
    counts = counts[:-1].astype(weights.dtype, copy=False)
    if density:
        counts = counts / np.diff(edges).astype(float) / np.sum(counts)
    return counts, edges


@from_source(np.histogram2d)
def histogram2d(
    x: Array,
    y: Array,
    bins: Array = 10,
    range: Array = None,
    density: Array = None,
    weights: Array = None,
) -> Array:
    both = isinstance(bins, (list, tuple)) and len(bins) == 2
    bins = bins if both else [bins, bins]
    ranges: Any = [None, None] if range is None else range
    counts, edges = np.histogramdd((x, y), bins, ranges, density, weights)
    return counts, edges[0], edges[1]


@from_source(np.histogramdd)
def histogramdd(
    sample: Array,
    bins: Array = 10,
    range: Array = None,
    density: Array = None,
    weights: Array = None,
) -> Array:
    columns = list(sample) if isinstance(sample, (list, tuple)) else list(np.asarray(sample).T)
    columns = [np.asarray(x) for x in columns]
    dtype = np.result_type(*columns)
    count = len(columns)
    bins = bins if isinstance(bins, (list, tuple)) else [bins] * count
    ranges = [None] * count if range is None else range
    edges, places, sizes = [], 0, []
    for i, (x, n, limits) in enumerate(zip(columns, bins, ranges)):
        x = x.astype(dtype)
        if np.ndim(n) == 1 and np.any(np.asarray(n)[:-1] > np.asarray(n)[1:]):
            message = f"`bins[{i}]` must be monotonically increasing, when an array"
            raise ValueError(message)
        # Limits that are no elements are Python's numbers: so are the edges between them.
        of = x.astype(float) if limits is not None or len(x) == 0 else x
        at = np.histogram_bin_edges(of, n, limits)
        places = places * len(at) + bins_of(x, at)
        edges.append(at)
        sizes.append(len(at))
    counts = np.zeros(math.prod(sizes))
    np.add.at(counts, places, 1.0 if weights is None else weights)
    counts = counts.reshape(tuple(sizes))[tuple([slice(-1)] * count)]
    if density:
        total = np.sum(counts)
        for i, at in enumerate(edges):
            shape = [1] * count
            shape[i] = len(at) - 1
            counts = counts / np.diff(at).reshape(tuple(shape))
        counts = counts / total
    return counts, edges


@from_source(np.choose, methods="choose")
def choose(a: Array, choices: Array, out: Array = None, mode: str = "raise") -> Array:
    a = np.asarray(a)
    count = len(choices)
    if mode == "raise":
        if np.any((a < 0) | (a >= count)):
            raise ValueError("invalid entry in choice array")
    else:
        a = np.clip(a, 0, count - 1) if mode == "clip" else a % count
    chosen = np.where(a == 0, choices[0], choices[0])
    for k in range(1, count):
        chosen = np.where(a == k, choices[k], chosen)
    if out is not None:
        out[...] = chosen
        return out
    return chosen


@from_source(np.sort_complex)
def sort_complex(a: Array) -> Array:
    a = np.asarray(a)
    if not np.iscomplexobj(a):
        return np.sort(a).astype(np.complex64 if a.dtype.char in "bhBH" else np.complex128)
    order = np.argsort(a.imag, kind="stable")
    a = np.take_along_axis(a, order, -1)
    return np.take_along_axis(a, np.argsort(a.real, kind="stable"), -1)


@from_source(np.partition)
def partition(
    a: Array, kth: Array, axis: Axis = -1, kind: str = "introselect", order: Array = None
) -> Array:
    """A sort: NumPy does not specify the order within the partitions."""
    return np.sort(a, axis=axis)


@from_source(np.argpartition, methods="argpartition")
def argpartition(
    a: Array, kth: Array, axis: Axis = -1, kind: str = "introselect", order: Array = None
) -> Array:
    return np.argsort(a, axis=axis)


@from_source(np.corrcoef)
def corrcoef(x: Array, y: Array = None, rowvar: bool = True, *, dtype: Dtype = None) -> Array:
    c = np.cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviations = np.sqrt(np.diag(c).real)
    c = c / deviations[:, None] / deviations[None, :]
    if np.iscomplexobj(c):
        return np.clip(c.real, -1, 1) + 1j * np.clip(c.imag, -1, 1)
    return np.clip(c, -1, 1)
