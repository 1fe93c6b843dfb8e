"""Modes of `np.pad` from NumPy source: ramps, statistics of the edges, odd reflection.

Each function takes the array and, for each axis, the pad widths before and after. The axes are
padded one after another: the padding along the first axis is padded along the next.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def pair_of(given, axis, ndim):
    """The widths of one axis; given as `n`, `(before, after)` or one pair for each axis."""
    if np.ndim(given) == 0:
        return given, given
    if np.ndim(given) == 1:
        return given[0], given[-1]
    pair = given[0] if len(given) == 1 else given[axis]
    return pair[0], pair[-1]


def linear_ramp(x, widths, end_values=0):
    """A linear ramp from the edge to the end value."""
    for axis in range(np.ndim(x)):
        rows = np.moveaxis(x, axis, 0)
        low, high = pair_of(end_values, axis, np.ndim(x))
        before = np.linspace(low, rows[0], widths[axis][0], endpoint=False, dtype=x.dtype)
        after = np.linspace(high, rows[-1], widths[axis][1], endpoint=False, dtype=x.dtype)
        x = np.moveaxis(np.concatenate([before, rows, after[::-1]]), 0, axis)
    return x


def by_statistic(statistic: Callable) -> Callable:
    """Padding by a statistic of the `stat_length` elements next to each edge."""

    def padded(x, widths, stat_length=None):
        for axis in range(np.ndim(x)):
            n = x.shape[axis]
            lengths = (n, n) if stat_length is None else pair_of(stat_length, axis, np.ndim(x))
            rows = np.moveaxis(x, axis, 0)
            first, last = min(lengths[0], n), min(lengths[1], n)
            before = repeated(of_edge(rows[:first], x.dtype), widths[axis][0])
            after = repeated(of_edge(rows[n - last :], x.dtype), widths[axis][1])
            x = np.moveaxis(np.concatenate([before, rows, after]), 0, axis)
        return x

    def of_edge(rows, dtype):
        found = statistic(rows, axis=0, keepdims=True)
        if dtype.kind in "iu" and found.dtype.kind == "f":
            found = np.round(found)
        return found.astype(dtype)

    return padded


def repeated(row, count):
    return np.repeat(row, count, axis=0)


def odd(x, widths, mode):
    """The reflection of odd parity: 2 edge - image."""
    for axis in range(np.ndim(x)):
        rows = np.moveaxis(x, axis, 0)
        low, high = widths[axis]
        if max(low, high) > len(rows) - (mode == "reflect"):
            raise NotImplementedError("`np.pad` in an odd mode by more than the array holds")
        whole = np.pad(rows, ((low, high),) + ((0, 0),) * (np.ndim(x) - 1), mode)
        before = 2 * rows[:1] - whole[:low]
        after = 2 * rows[-1:] - whole[low + len(rows) :]
        x = np.moveaxis(np.concatenate([before, rows, after]), 0, axis)
    return x
