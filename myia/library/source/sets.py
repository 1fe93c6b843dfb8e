"""Selections and sets, whose results are dynamic arrays: as long as the number of elements found.
Comparisons of whole arrays, and within tolerances.

The bound of a result's length is the number of elements that were searched. Sets are sorted arrays
without repetitions.
"""

from __future__ import annotations

import numpy as np

from myia.library.support.from_source import Array, Axis, from_source

ALL = type(np.unique_all(np.zeros(1)))
COUNTS = type(np.unique_counts(np.zeros(1)))
INVERSE = type(np.unique_inverse(np.zeros(1)))

# ----- Selections


@from_source(np.argwhere)
def argwhere(a: Array) -> Array:
    if np.ndim(a) == 0:
        return np.argwhere(np.ravel(a))[:, :0]
    return np.stack(np.nonzero(a), axis=1)


@from_source(np.flatnonzero)
def flatnonzero(a: Array) -> Array:
    a = np.asarray(a)
    return np.nonzero(a if a.ndim == 1 else np.ravel(a))[0]


@from_source(np.extract)
def extract(condition: Array, arr: Array) -> Array:
    return np.ravel(arr)[np.ravel(condition) != 0]


@from_source(np.compress)
def compress(condition: Array, a: Array, axis: Axis = None, out: Array = None) -> Array:
    a = np.ravel(a) if axis is None else np.asarray(a)
    axis = 0 if axis is None else axis
    mask = np.asarray(condition) != 0
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    before = (slice(None),) * (axis % a.ndim)
    found = a[(*before, slice(len(mask)))][(*before, mask)]
    if out is None:
        return found
    if not np.can_cast(out.dtype, a.dtype, "safe"):
        raise TypeError("Cannot cast array data of `out` according to the rule 'safe'")
    if found.shape != out.shape:
        raise ValueError("output array does not match result of ndarray.take")
    out[...] = found
    return out


@from_source(methods="compress")
def compress_method(a: Array, condition: Array, axis: Axis = None, out: Array = None) -> Array:
    return np.compress(condition, a, axis, out)


def deleted(arr: Array, obj: Array, axis: Axis = None) -> Array:
    """`np.delete`, where the array has a size of run time, or `obj` is not known before."""
    a = _one_axis(arr, axis, "delete")
    n = len(a)
    if np.ndim(obj) == 0:
        return a[np.arange(n) != _from_start(obj, n, n - 1)]
    kept = np.ones(n, bool)
    kept[obj] = False
    return a[kept]


def inserted(arr: Array, obj: Array, values: Array, axis: Axis = None) -> Array:
    """`np.insert`, likewise."""
    a = _one_axis(arr, axis, "insert")
    values = np.ravel(values).astype(a.dtype)
    if np.size(obj) == 1:
        i = _from_start(np.ravel(obj)[0], len(a), len(a))
        return np.concatenate((a[:i], values, a[i:]))
    at = np.asarray(obj)
    if at.dtype == bool:
        raise NotImplementedError("`numpy.insert` by a mask of run time")
    if np.any((at < -len(a)) | (at > len(a))):
        raise IndexError("an index is out of bounds")
    at = np.where(at < 0, at + len(a), at)
    order = np.argsort(at, kind="stable")
    at[order] += np.arange(len(at))
    is_old = np.ones(len(a) + len(at), bool)
    is_old[at] = False
    made = np.zeros(len(a) + len(at), a.dtype)
    made[at] = values
    made[is_old] = a
    return made


def _one_axis(arr: Array, axis: Axis, name: str) -> Array:
    a = np.ravel(arr) if axis is None else np.asarray(arr)
    if a.ndim != 1:
        raise NotImplementedError(f"`numpy.{name}` at run time in an array of more than one axis")
    return a


def _from_start(i: int, n: int, last: int) -> int:
    """An index that may be negative, counted from the start."""
    if i < -n or i > last:
        raise IndexError(f"index {i} is out of bounds for axis 0 with size {n}")
    return i + n if i < 0 else i


@from_source(np.trim_zeros)
def trim_zeros(filt: Array, trim: str = "fb", axis: Axis = None) -> Array:
    filt = np.asarray(filt)
    if filt.ndim != 1:
        raise NotImplementedError("`numpy.trim_zeros` of more than one axis")
    n = len(filt)
    found = filt != 0
    # Where no element is found, the first that is lies beyond them.
    first = np.argmax(np.append(found, True)) if "f" in trim or "F" in trim else 0
    last = n - np.argmax(np.append(found[::-1], True)) if "b" in trim or "B" in trim else n
    return filt[first : max(first, last)]


@from_source(np.piecewise)
def piecewise(x: Array, condlist: Array, funclist: Array, *args: Array, **kw: Array) -> Array:
    x = np.asarray(x)
    # What holds no lists and no arrays is one condition.
    is_one = not isinstance(condlist, (list, tuple)) and np.ndim(condlist) == 0
    if x.ndim and not is_one:
        is_one = not isinstance(condlist[0], (list, np.ndarray))
    conditions = [condlist] if is_one else list(condlist)
    if x.ndim == 0:
        conditions = [np.reshape(condition, 1) for condition in conditions]
        return np.piecewise(np.reshape(x, 1), conditions, funclist, *args, **kw).reshape(())
    y = np.zeros_like(x)
    rest = np.ones(x.shape, bool)
    for condition in conditions:
        rest = rest & ~np.asarray(condition)
    if len(funclist) == len(conditions) + 1:
        conditions.append(rest)
    if len(funclist) != len(conditions):
        raise ValueError("either one function for each condition, or one more, is expected")
    for condition, f in zip(conditions, funclist):
        mask = np.asarray(condition)
        mask = np.broadcast_to(mask, x.shape) if mask.ndim == 0 else mask
        if callable(f):
            y[mask] = f(x[mask], *args, **kw)
        else:
            y[mask] = f
    return y


# ----- Sets


def first_of_equals(x: Array) -> Array:
    """A mask of the elements of a sorted array that differ from the one before; NaN equals NaN."""
    same = (x[1:] == x[:-1]) | ((x[1:] != x[1:]) & (x[:-1] != x[:-1]))
    return np.concatenate((np.ones(min(len(x), 1), bool), ~same))


@from_source(np.unique)
def unique(
    ar: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array:
    if axis is not None:
        raise NotImplementedError("`axis=` of `numpy.unique`")
    if not equal_nan:
        raise NotImplementedError("`equal_nan=False` of `numpy.unique`")
    x = np.ravel(np.asarray(ar))
    if return_index or return_inverse:
        order = np.argsort(x, kind="stable")
        x = x[order]
    else:
        x = np.sort(x)
    first = first_of_equals(x)
    found = [x[first]]
    if return_index:
        found.append(order[first])
    if return_inverse:
        inverse = np.zeros(len(x), int)
        inverse[order] = np.cumsum(first) - 1
        found.append(inverse if np.ndim(ar) == 1 else inverse.reshape(np.shape(ar)))
    if return_counts:
        found.append(np.diff(np.append(np.flatnonzero(first), len(x))))
    return found[0] if len(found) == 1 else (*found,)


@from_source(np.unique_values)
def unique_values(x: Array) -> Array:
    return np.unique(x)


@from_source(np.unique_all)
def unique_all(x: Array) -> Array:
    return ALL(*np.unique(x, True, True, True))


@from_source(np.unique_counts)
def unique_counts(x: Array) -> Array:
    return COUNTS(*np.unique(x, return_counts=True))


@from_source(np.unique_inverse)
def unique_inverse(x: Array) -> Array:
    return INVERSE(*np.unique(x, return_inverse=True))


@from_source(np.union1d)
def union1d(ar1: Array, ar2: Array) -> Array:
    return np.unique(np.concatenate((ar1, ar2), axis=None))


@from_source(np.setdiff1d)
def setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array:
    x = np.ravel(np.asarray(ar1))
    if not assume_unique:
        x = np.sort(x)
        return x[first_of_equals(x) & ~np.isin(x, ar2)]
    return x[~np.isin(x, ar2)]


@from_source(np.intersect1d)
def intersect1d(
    ar1: Array, ar2: Array, assume_unique: bool = False, return_indices: bool = False
) -> Array:
    if return_indices:
        raise NotImplementedError("`return_indices=True` of `numpy.intersect1d`")
    x, y = np.ravel(np.asarray(ar1)), np.ravel(np.asarray(ar2))
    x, y = x.astype(np.result_type(x, y)), y.astype(np.result_type(x, y))
    x = np.sort(x)
    return x[first_of_equals(x) & np.isin(x, y)]


@from_source(np.setxor1d)
def setxor1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array:
    x, y = np.ravel(np.asarray(ar1)), np.ravel(np.asarray(ar2))
    both = np.concatenate((x, y))
    once = np.concatenate((~np.isin(x, y), ~np.isin(y, x)))
    order = np.argsort(both, kind="stable")
    both = both[order]
    return both[first_of_equals(both) & once[order]]


# ----- Comparisons of whole arrays, and within tolerances


@from_source(np.isclose)
def isclose(
    a: Array, b: Array, rtol: Array = 1e-5, atol: Array = 1e-8, equal_nan: bool = False
) -> Array:
    """|a - b| <= atol + rtol |b|, where b is finite; else a == b."""
    a, b = operand(a), operand(b)
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | np.equal(a, b)
    return near | np.isnan(a) & np.isnan(b) if equal_nan else near


def operand(x: Array) -> Array:
    """Python's numbers keep their kind; integers become floats."""
    if isinstance(x, (int, float, complex)):
        return x if isinstance(x, complex) else float(x)
    x = np.asarray(x)
    return x.astype(float) if x.dtype.kind in "biu" else x


@from_source(np.allclose)
def allclose(
    a: Array, b: Array, rtol: Array = 1e-5, atol: Array = 1e-8, equal_nan: bool = False
) -> Array:
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@from_source(np.array_equal)
def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> Array:
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(np.all(same | np.isnan(a1) & np.isnan(a2) if equal_nan else same))
