"""`np.pad` with linear ramps, `np.roll` by run-time numbers, `np.repeat` by several numbers.

Of arrays of run-time size: `np.roll`, `np.repeat`, `np.tile`, parts of convolutions.
"""

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


# ----- Arrays of run-time size


def one_axis(a: Array, axis: Axis, name: str) -> Array:
    a = np.ravel(a) if axis is None else np.asarray(a)
    if a.ndim != 1:
        raise NotImplementedError(f"`numpy.{name}` of run-time size, of more than one axis")
    return a


def rolled(a: Array, shift: Array, axis: Axis = None) -> Array:
    a = one_axis(a, -1 if axis is None else axis, "roll")
    start = len(a) - np.sum(shift) % max(len(a), 1)
    return np.concatenate((a[start:], a[:start]))


def repeated(a: Array, repeats: Array, axis: Axis = None) -> Array:
    """By numbers of run time, or of a run-time size."""
    a = np.ravel(a) if axis is None or np.ndim(a) == 0 else np.asarray(a)
    counts = np.ravel(repeats)
    if counts.dtype.kind not in "bi":
        raise TypeError("Cannot cast array data to dtype('int64') according to the rule 'safe'")
    n = a.shape[0 if axis is None else axis]
    if np.size(repeats) != 1 and len(counts) != n:
        raise ValueError("operands could not be broadcast together: they differ in size")
    if np.any(counts < 0):
        raise ValueError("repeats may not contain negative values.")
    if np.size(repeats) == 1:
        count = int(counts[0])
        places = np.arange(n * count) // max(count, 1)
    else:
        ends = np.cumsum(counts)
        places = np.searchsorted(ends, np.arange(np.sum(counts)), "right")
    return a[places] if axis is None or a.ndim == 1 else np.take(a, places, axis)


def tiled(A: Array, reps: Array) -> Array:
    A = one_axis(A, -1, "tile")
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    made = np.concatenate([A] * counts[-1]) if counts[-1] > 0 else A[:0]
    for n in reversed(counts[:-1]):
        made = np.stack([made] * n)
    return made


def part_of_convolution(whole: Array, n: Array, m: Array, mode: str) -> Array:
    less, more = min(n, m), max(n, m)
    if mode == "full":
        return whole
    if mode == "same":
        start = (less - 1) // 2
        return whole[start : start + more]
    if mode == "valid":
        return whole[less - 1 : more]
    raise ValueError("mode must be one of 'full', 'same', or 'valid'")


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
