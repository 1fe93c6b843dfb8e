"""`np.pad` with linear ramps, `np.roll` by run-time numbers, `np.repeat` by several numbers."""

from __future__ import annotations

import numpy as np

from myia.library.numpy.compile_time import evaluate_at_compile_time
from myia.library.source.statistics import axes_of
from myia.library.support.from_source import Array, Axis


def repeat_unevenly(a: Array, counts: Array, axis: Axis) -> Array:
    return np.take(a, repeated_indices(a.shape[axis], counts), axis)


def repeated_indices(n: Array, counts: Array) -> Array:
    return np.repeat(np.arange(n), counts).tolist()


evaluate_at_compile_time(repeated_indices)


def roll_at_run_time(a: Array, shift: Array, axis: Axis) -> Array:
    """A part of the array concatenated with itself."""
    a = np.asarray(a)
    if axis is None:
        return roll_at_run_time(np.ravel(a), shift, 0).reshape(a.shape)
    axes = axes_of(axis, a.ndim)
    for i, n in zip(axes, [shift] * len(axes) if np.ndim(shift) == 0 else shift, strict=True):
        size = a.shape[i]
        start = -int(n) % max(size, 1)
        twice = np.concatenate((a, a), i)
        a = twice[(slice(None),) * i + (slice(start, start + size),)].copy()
    return a


def linear_ramp(x: Array, widths: Array, end_values: Array = 0) -> Array:
    """A linear ramp from the edge to the end value.

    The axes are padded one after another: the padding along the first axis is padded along the
    next.
    """
    x = np.asarray(x)
    for axis in range(x.ndim):
        rows = np.moveaxis(x, axis, 0)
        (before, after), (low, high) = [pair_of(p, axis, x.ndim) for p in (widths, end_values)]
        left = np.linspace(low, rows[0], before, endpoint=False, dtype=x.dtype)
        right = np.linspace(high, rows[-1], after, endpoint=False, dtype=x.dtype)
        x = np.moveaxis(np.concatenate([left, rows, right[::-1]]), 0, axis)
    return x


def pair_of(given: Array, axis: Axis, ndim: Array) -> Array:
    """The pair of one axis; given as `n`, `(before, after)` or one pair for each axis."""
    if np.ndim(given) == 0:
        return given, given
    if np.ndim(given) == 1:
        return given[0], given[-1]
    pair = given[0] if len(given) == 1 else given[axis]
    return pair[0], pair[-1]
