"""Order of axes, differences, blocks, functions along axes, flat indices, aliases of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from myia.library.source.statistics import axes_of, stored
from myia.library.support.from_source import Array, Axis, Dtype, from_source


@from_source(np.flip)
def flip(m: Array, axis: Axis = None) -> Array:
    m = np.asarray(m)
    axes = axes_of(axis, m.ndim)
    return m[tuple([slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim)])]


@from_source(np.flipud)
def flipud(m: Array) -> Array:
    return np.asarray(m)[::-1]


@from_source(np.fliplr)
def fliplr(m: Array) -> Array:
    return np.asarray(m)[:, ::-1]


@from_source(np.rot90)
def rot90(m: Array, k: Array = 1, axes: Axis = (0, 1)) -> Array:
    m = np.asarray(m)
    if k % 4 == 0:
        return m[:]
    if k % 4 == 2:
        return np.flip(m, axes)
    if k % 4 == 1:
        return np.swapaxes(np.flip(m, axes[1]), axes[0], axes[1])
    return np.flip(np.swapaxes(m, axes[0], axes[1]), axes[1])


@from_source(np.rollaxis)
def rollaxis(a: Array, axis: Axis, start: Array = 0) -> Array:
    axis = axis + np.ndim(a) if axis < 0 else axis
    start = start + np.ndim(a) if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@from_source(np.unstack)
def unstack(x: Array, /, *, axis: Axis = 0) -> Array:
    rows = np.moveaxis(x, axis, 0)
    return tuple([rows[i] for i in range(rows.shape[0])])


@from_source(np.diagflat)
def diagflat(v: Array, k: Array = 0) -> Array:
    return np.diag(np.ravel(v), k)


@from_source(np.append)
def append(arr: Array, values: Array, axis: Axis = None) -> Array:
    parts = (np.ravel(arr), np.ravel(values)) if axis is None else (arr, values)
    return np.concatenate(parts, 0 if axis is None else axis)


@from_source(np.block)
def block(arrays: Array) -> Array:
    return joined(arrays, depth(arrays))


def depth(arrays: Array) -> Array:
    return 1 + depth(arrays[0]) if isinstance(arrays, list) else 0


def joined(arrays: Array, levels: Array) -> Array:
    """Concatenate lists at the innermost level along the last axis, and so on outwards."""
    if not isinstance(arrays, list):
        return np.array(arrays, ndmin=levels)
    parts = [joined(part, max(levels, 1)) for part in arrays]
    ndim = max([part.ndim for part in parts])
    return np.concatenate([np.array(p, ndmin=ndim) for p in parts], axis=-depth(arrays))


@from_source(np.meshgrid)
def meshgrid(*xi: Array, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Array:
    if not copy:
        raise NotImplementedError("`copy=False` of `numpy.meshgrid`")
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    grids: Any = []
    for i, x in enumerate(xi):
        axis = 1 - i if indexing == "xy" and ndim > 1 and i < 2 else i
        grids.append(np.reshape(x, (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)))
    if not sparse:
        grids = np.broadcast_arrays(*grids)
    return tuple([x.copy() for x in grids])


@from_source(np.ix_)
def ix_(*args: Array) -> Array:
    count = len(args)
    places = []
    for i, x in enumerate(args):
        x = np.asarray(x)
        if x.dtype == bool:
            raise TypeError("a mask makes an index of a length that is not known")
        places.append(x.reshape((1,) * i + (len(x),) + (1,) * (count - i - 1)))
    return tuple(places)


@from_source(np.fromfunction)
def fromfunction(
    function: Callable[..., Any],
    shape: Array,
    *,
    dtype: Array = float,
    like: Array = None,
    **kwargs: Array,
) -> Array:
    return function(*np.indices(shape, dtype=dtype), **kwargs)


@from_source(np.apply_along_axis)
def apply_along_axis(
    func1d: Callable[..., Any], axis: Axis, arr: Array, *args: Array, **kwargs: Array
) -> Array:
    moved = np.moveaxis(np.asarray(arr), axis, -1)
    lead = moved.shape[:-1]
    rows = moved.reshape(-1, moved.shape[-1])
    found = np.array([func1d(row, *args, **kwargs) for row in rows])
    extra = found.ndim - 1
    axis = axis + np.ndim(arr) if axis < 0 else axis
    made = found.reshape(lead + found.shape[1:])
    last = tuple(range(len(lead), len(lead) + extra))
    return np.moveaxis(made, last, tuple(range(axis, axis + extra)))


@from_source(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: Array, axes: Axis) -> Array:
    a = np.asarray(a)
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        axis = axis + a.ndim if axis < 0 else axis
        made = func(a, axis)
        a = made if made.ndim == a.ndim else np.expand_dims(made, axis)
    return a


@from_source(np.array_equiv)
def array_equiv(a1: Array, a2: Array) -> Array:
    for n, m in zip(np.shape(a1)[::-1], np.shape(a2)[::-1]):
        if n != m and n != 1 and m != 1:
            return False
    return bool(np.all(np.equal(a1, a2)))


def as_indices(x: Array) -> Array:
    """Indices as int64: the length of an axis need not fit in a smaller dtype of theirs."""
    x = np.asarray(x)
    if x.dtype.kind not in "biu":
        raise TypeError("only int indices permitted")
    return x.astype(np.int64)


@from_source(np.unravel_index)
def unravel_index(indices: Array, shape: Array, order: str = "C") -> Array:
    rest = as_indices(indices)
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    if np.any((rest < 0) | (rest >= np.prod(shape, dtype=int))):
        raise ValueError("index is out of bounds for array")
    parts = []
    for n in reversed(shape) if order == "C" else shape:
        parts.append(rest % n)
        rest = rest // n
    return tuple(reversed(parts)) if order == "C" else tuple(parts)


@from_source(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: Array, dims: Array, mode: str = "raise", order: str = "C"
) -> Array:
    indices = np.broadcast_arrays(*multi_index)
    place = np.zeros(indices[0].shape, int)
    axes = range(len(dims))
    for i in axes if order == "C" else reversed(axes):
        n, at = dims[i], as_indices(indices[i])
        how = mode if isinstance(mode, str) else mode[i]
        if how == "wrap":
            at = at % n
        elif how == "clip":
            at = np.clip(at, 0, n - 1)
        elif np.any((at < 0) | (at >= n)):
            raise ValueError("invalid entry in coordinates array")
        place = place * n + at
    return place[()]


@from_source(np.linalg.diagonal)
def diagonal(x: Array, /, *, offset: Array = 0) -> Array:
    return np.diagonal(x, offset, -2, -1)


@from_source(np.linalg.trace)
def trace(x: Array, /, *, offset: Array = 0, dtype: Dtype = None) -> Array:
    return np.trace(x, offset, -2, -1, dtype)


@from_source(np.take, methods="take")
def take(
    a: Array, indices: Array, axis: Axis = None, out: Array = None, mode: str = "raise"
) -> Array:
    a = np.ravel(a) if axis is None or np.ndim(a) == 0 else np.asarray(a)
    (axis,) = axes_of(0 if axis is None else axis, a.ndim)
    if mode == "clip":
        indices = np.clip(indices, 0, a.shape[axis] - 1)
    elif mode == "wrap":
        indices = np.remainder(as_indices(indices), a.shape[axis])
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    found = a[(slice(None),) * axis + (np.asarray(indices),)]
    return stored(found.copy(), out)


# ----- Differences


@from_source(np.diff)
def diff(
    a: Array, n: Array = 1, axis: Axis = -1, prepend: Array = None, append: Array = None
) -> Array:
    a = np.asarray(a)
    (axis,) = axes_of(axis, a.ndim)
    before = (slice(None),) * axis
    ends = [end_row(a, end, axis) for end in (prepend, append)]
    if prepend is not None or append is not None:
        a = np.concatenate([*ends[0], a, *ends[1]], axis)
    for _ in range(n):
        left, right = a[(*before, slice(None, -1))], a[(*before, slice(1, None))]
        a = right != left if a.dtype == bool else right - left
    return a


def end_row(a: Array, end: Array, axis: Axis) -> Array:
    """An argument `prepend` or `append`; a number fills one row."""
    if end is None:
        return []
    if np.ndim(end):
        return [end]
    return [np.broadcast_to(end, [1 if i == axis else n for i, n in enumerate(a.shape)])]


# ----- Aliases and conversions


@from_source(np.fix)
def fix(x: Array, out: Array = None) -> Array:
    return np.trunc(x, out)


@from_source(np.astype)
def astype(x: Array, dtype: Dtype, /, *, copy: bool = True, device: Array = None) -> Array:
    return x.astype(dtype, copy=copy)


@from_source(np.asarray_chkfinite)
def asarray_chkfinite(a: Array, dtype: Dtype = None, order: Array = None) -> Array:
    a = np.asarray(a, dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


@from_source(np.ndenumerate)
def ndenumerate(arr: Array) -> Array:
    return _with_places(np.asarray(arr))


def _with_places(arr: Array) -> Iterator[Array]:
    for place in np.ndindex(arr.shape):
        yield place, arr[place]
