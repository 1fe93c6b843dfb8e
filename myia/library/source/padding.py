"""`np.pad` with linear ramps, from NumPy source.

It takes the array and, for each axis, the pad widths before and after. The axes are padded one
after another: the padding along the first axis is padded along the next.
"""

from __future__ import annotations

import numpy as np

from myia.library.support.from_source import Array, Axis


def pair_of(given: Array, axis: Axis, ndim: Array) -> Array:
    """The widths of one axis; given as `n`, `(before, after)` or one pair for each axis."""
    if np.ndim(given) == 0:
        return given, given
    if np.ndim(given) == 1:
        return given[0], given[-1]
    pair = given[0] if len(given) == 1 else given[axis]
    return pair[0], pair[-1]


def linear_ramp(x: Array, widths: Array, end_values: Array = 0) -> Array:
    """A linear ramp from the edge to the end value."""
    for axis in range(np.ndim(x)):
        rows = np.moveaxis(x, axis, 0)
        low, high = pair_of(end_values, axis, np.ndim(x))
        before = np.linspace(low, rows[0], widths[axis][0], endpoint=False, dtype=x.dtype)
        after = np.linspace(high, rows[-1], widths[axis][1], endpoint=False, dtype=x.dtype)
        x = np.moveaxis(np.concatenate([before, rows, after[::-1]]), 0, axis)
    return x
