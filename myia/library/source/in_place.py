"""Functions that write into their first argument: `put`, `place`, `fill_diagonal`."""

from __future__ import annotations

import numpy as np

from myia.library.source.shapes import as_indices
from myia.library.support.from_source import Array, Axis, from_source


@from_source(np.put, methods="put")
def put(a: Array, ind: Array, v: Array, mode: str = "raise") -> None:
    ind = as_indices(np.ravel(ind))
    if mode == "wrap":
        ind = ind % a.size
    elif mode == "clip":
        ind = np.clip(ind, 0, a.size - 1)
    else:
        ind = np.arange(a.size)[ind]
    a[np.unravel_index(ind, a.shape)] = np.resize(np.asarray(v, a.dtype), ind.shape)


@from_source(np.putmask)
def putmask(a: Array, /, mask: Array, values: Array) -> None:
    require_safe_cast(values, a)
    a[...] = np.where(mask, np.resize(np.asarray(values, a.dtype), a.shape), a)


@from_source(np.place)
def place(arr: Array, mask: Array, vals: Array) -> None:
    mask = np.asarray(mask) != 0
    require_safe_cast(vals, arr)
    vals = np.ravel(np.asarray(vals, arr.dtype))
    which = (np.cumsum(mask.ravel()) - 1) % len(vals)
    arr[...] = np.where(mask, vals[which].reshape(arr.shape), arr)


@from_source(np.put_along_axis)
def put_along_axis(arr: Array, indices: Array, values: Array, axis: Axis) -> None:
    if axis is None:
        np.put(arr, indices, np.broadcast_to(values, np.shape(indices)))
    else:
        axis = axis + arr.ndim if axis < 0 else axis
        at = []
        for i in range(arr.ndim):
            shape = [1] * arr.ndim
            shape[i] = arr.shape[i]
            at.append(indices if i == axis else np.arange(arr.shape[i]).reshape(tuple(shape)))
        arr[tuple(at)] = values


@from_source(np.fill_diagonal)
def fill_diagonal(a: Array, val: Array, wrap: bool = False) -> None:
    if wrap:
        raise NotImplementedError("`wrap=True` of `numpy.fill_diagonal`")
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and min(a.shape) != max(a.shape):
        raise ValueError("All dimensions of input must be of equal length")
    n = min(a.shape)
    i = np.arange(n)
    a[(i,) * a.ndim] = np.resize(np.asarray(val, a.dtype), n)


def require_safe_cast(values: Array, a: Array) -> None:
    """The dtype of `a` must hold that of an array of values."""
    is_array = isinstance(values, np.ndarray) and np.ndim(values)
    if is_array and not np.can_cast(values.dtype, a.dtype, "safe"):
        raise TypeError("Cannot cast array data according to the rule 'safe'")
