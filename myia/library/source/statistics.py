"""Means, variances, medians and norms of arrays; differences between their ends."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Static
from myia.infer.registry import function
from myia.library.numpy.compile_time import evaluate_at_compile_time
from myia.library.support.from_source import Array, Axis, Dtype, from_source


def axes_of(axis: Axis, ndim: Array) -> Array:
    """The axes that `axis` names, counted from the front; None names all."""
    return normalize_axis_tuple(range(ndim) if axis is None else axis, ndim)


def merged_last(shape: Array, axes: Axis) -> Array:
    """The order of axes in which these are the last, and the shape in which they are one."""
    kept = [i for i in range(len(shape)) if i not in axes]
    sizes = [math.prod(shape[i] for i in axes)]
    return (*kept, *axes), tuple([shape[i] for i in kept] + sizes)


def order_of_matrix_norm(ord: Array) -> Array:
    """The order, which says along which axes a matrix is reduced."""


@function(order_of_matrix_norm)
def _order_of_matrix_norm(ctx: Context, ord: Abstract) -> Abstract:
    return Static(ctx.static(ord, "the order of the norm of a matrix"))


evaluate_at_compile_time(axes_of, merged_last)


def stored(result: Array, out: Array) -> Array:
    """`out=`: the result is written into that array, which is returned."""
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
    if np.shape(result) != np.shape(out):
        raise ValueError("output parameter has the wrong shape")
    np.copyto(out, result)
    return out


def divided(total: Array, n: Array, out: Array) -> Array:
    """`total / n`; with `out=`, which holds the total then, in its dtype."""
    if out is None:
        return total / n
    np.copyto(total, total / n, casting="unsafe")
    return total


def inexact(a: Array, dtype: Dtype = None) -> Array:
    """`a` in the dtype that means are computed in: float64 for integers."""
    a = np.asarray(a)
    if dtype is None:
        dtype = np.float64 if a.dtype.kind in "biu" else a.dtype
    if np.dtype(dtype).kind in "biu":
        raise NotImplementedError("an integer `dtype=` of a mean or a variance")
    return a if a.dtype == dtype else a.astype(dtype)


def count(
    a: Array, axis: Axis, where: Array = True, dtype: Dtype = None, keepdims: bool = False
) -> Array:
    """The number of elements that are reduced into one."""
    axes = axes_of(axis, a.ndim)
    if where is not True:
        return np.sum(np.broadcast_to(where, a.shape), axes, dtype, keepdims=keepdims)
    n = 1
    for i in axes:
        n = n * a.shape[i]
    return n


# ----- Means and variances


@from_source(np.mean, methods="mean")
def mean(
    a: Array,
    axis: Axis = None,
    dtype: Dtype = None,
    out: Array = None,
    keepdims: bool = False,
    *,
    where: Array = True,
) -> Array:
    """Half precision is summed in single precision, as in NumPy."""
    x = inexact(a, dtype)
    wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    n = count(x, axis, where, wide, keepdims)
    if out is not None:
        dtype = None if dtype is None and wide == x.dtype else wide
        return divided(np.sum(x, axis, dtype, out, keepdims, where=where), n, out)
    total = np.sum(x, axis, wide, keepdims=keepdims, where=where)
    return (total / n).astype(x.dtype, copy=False)


@from_source(np.var, methods="var")
def var(
    a: Array, axis: Axis = None, dtype: Dtype = None, out: Array = None, *args: Array, **how: Array
) -> Array:
    return variance(a, axis, dtype, out, *args, **how)


@from_source(np.std, methods="std")
def std(
    a: Array, axis: Axis = None, dtype: Dtype = None, out: Array = None, *args: Array, **how: Array
) -> Array:
    """Where all elements are equal the derivative is 0, as that of a norm of zeros."""
    return stored(root(variance(a, axis, dtype, out, *args, **how)), out)


def variance(
    a: Array,
    axis: Axis,
    dtype: Dtype,
    out: Array,
    ddof: Array = 0,
    keepdims: bool = False,
    *,
    where: Array = True,
    mean: Array = None,
    correction: Array = None,
) -> Array:
    """The sum of squared deviations from the mean, over the number of elements less `ddof`."""
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    x = inexact(a, dtype)
    if mean is None:
        mean = np.sum(x, axis, where=where) / count(x, axis, where, x.dtype)
        mean = spread(mean, axes_of(axis, x.ndim), x.ndim)
    x = squared_size(x - mean)
    total = np.sum(x, axis, None if dtype is None else x.dtype, out, keepdims, where=where)
    n = count(x, axis, where, total.dtype, keepdims)
    return divided(total, max(n - ddof, 0) if where is True else np.maximum(n - ddof, 0), out)


def spread(reduced: Array, axes: Axis, ndim: Array) -> Array:
    """The result of a reduction, broadcast along the reduced axes."""
    if len(axes) == ndim:
        return reduced
    return reduced[tuple([None if i in axes else slice(None) for i in range(ndim)])]


def squared_size(x: Array) -> Array:
    """|x|²"""
    return np.square(x.real) + np.square(x.imag) if x.dtype.kind == "c" else np.square(x)


@from_source(np.average)
def average(
    a: Array,
    axis: Axis = None,
    weights: Array = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array:
    a = np.asarray(a)
    if weights is None:
        found = np.mean(a, axis, keepdims=keepdims)
        return (found, np.full_like(found, count(a, axis))[()]) if returned else found
    weights = along(np.asarray(weights), a, axis)
    dtype = np.result_type(inexact(a[:0] if a.ndim else a), weights.dtype)
    total = np.sum(weights, axis, dtype, keepdims=keepdims)
    if np.any(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = np.sum(a.astype(dtype) * weights.astype(dtype), axis, keepdims=keepdims) / total
    return (found, np.broadcast_to(total, np.shape(found)).copy()[()]) if returned else found


def along(weights: Array, a: Array, axis: Axis) -> Array:
    """Weights of some axes, repeated along the others."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    shape = shape_along(weights.shape, a.shape, axis)
    return np.broadcast_to(weights.reshape(shape), a.shape)


def shape_along(shape: Array, whole: Array, axis: Axis) -> Array:
    """The shape of weights along these axes, with 1 for the others."""
    axes = axes_of(axis, len(whole))
    if shape != tuple(whole[i] for i in axes) or list(axes) != sorted(axes):
        raise ValueError("Shape of weights must be consistent with shape of a along the axis.")
    return tuple(n if i in axes else 1 for i, n in enumerate(whole))


evaluate_at_compile_time(shape_along)


# ----- Medians and ranges


@from_source(np.median)
def median(
    a: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The mean of the one or two middle elements; NaN if there is a NaN, which is sorted last."""
    a = np.asarray(a)
    if a.dtype.kind == "c":
        raise NotImplementedError("`numpy.median` of complex numbers")
    axes = axes_of(axis, a.ndim)
    a = inexact(a)
    if out is not None:
        a = a.astype(np.result_type(a, out))
    rows = np.sort(merged(a, axes), -1)
    n = rows.shape[-1]
    middle = np.mean(rows[..., (n - 1) // 2 : n // 2 + 1], -1)
    largest = np.sum(rows[..., -1:], -1)
    found = np.where(np.isnan(largest), largest, middle)[()]
    return stored(np.expand_dims(found, axes) if keepdims else found, out)


@from_source(np.nanmedian)
def nanmedian(
    a: Array,
    axis: Axis = None,
    out: Array = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The median of the elements that are no NaN, which are sorted first; NaN if there are none."""
    a = np.asarray(a)
    if a.dtype.kind == "c":
        raise NotImplementedError("`numpy.nanmedian` of complex numbers")
    axes = axes_of(axis, a.ndim)
    rows = merged(inexact(a), axes)
    n: Array = np.sum(~np.isnan(rows), -1)
    last = np.full((*rows.shape[:-1], 1), np.nan, rows.dtype)
    rows = np.concatenate((np.sort(rows, -1), last), -1)
    low, high = at_places(rows, np.maximum(n - 1, 0) // 2), at_places(rows, n // 2)
    found: Array = np.where(n % 2 == 1, low, np.mean(np.array([low, high]), 0))
    found = found[()]
    return stored(np.expand_dims(found, axes) if keepdims else found, out)


def at_places(rows: Array, places: Array) -> Array:
    """One element of each row."""
    if rows.ndim == 1:
        return rows[places]
    return np.take_along_axis(rows, places[..., None], -1)[..., 0]


def merged(a: Array, axes: Axis) -> Array:
    """The array with these axes as one, the last."""
    if a.ndim == 1 and len(axes) == 1:
        return a
    order, shape = merged_last(a.shape, axes)
    return np.transpose(a, order).reshape(shape)


@from_source(np.count_nonzero)
def count_nonzero(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    a = np.asarray(a)
    return np.sum(a if a.dtype.kind == "b" else a != 0, axis, keepdims=keepdims)


@from_source(np.ptp)
def ptp(a: Array, axis: Axis = None, out: Array = None, keepdims: bool = False) -> Array:
    return np.subtract(np.max(a, axis, out, keepdims), np.min(a, axis, None, keepdims), out)


@from_source(np.nanargmax)
def nanargmax(a: Array, axis: Axis = None, out: Array = None, *, keepdims: bool = False) -> Array:
    return np.argmax(with_number_for_nan(a, axis, -np.inf), axis, out, keepdims=keepdims)


@from_source(np.nanargmin)
def nanargmin(a: Array, axis: Axis = None, out: Array = None, *, keepdims: bool = False) -> Array:
    return np.argmin(with_number_for_nan(a, axis, np.inf), axis, out, keepdims=keepdims)


def with_number_for_nan(a: Array, axis: Axis, number: float) -> Array:
    a = np.asarray(a)
    if a.dtype.kind not in "fc":
        return a
    if a.size and np.any(np.all(np.isnan(a), axis)):
        raise ValueError("All-NaN slice encountered")
    return np.where(np.isnan(a), number, a)


# ----- Norms


@from_source(np.linalg.norm)
def norm(x: Array, ord: Array = None, axis: Axis = None, keepdims: bool = False) -> Array:
    x = inexact(x)
    axes = axes_of(axis, x.ndim)
    if ord is None and (axis is None or len(axes) < 3):
        return root(np.sum(squared_size(x), axes, keepdims=keepdims))
    if len(axes) == 1:
        return vector_norm(x, ord, axes, keepdims)
    if len(axes) == 2:
        return matrix_norm(x, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def root(x: Array) -> Array:
    """The square root, with derivative 0 at 0."""
    zero = x == 0
    return np.where(zero, 0, np.sqrt(np.where(zero, 1, x)))[()]


def vector_norm(x: Array, ord: Array, axes: Axis, keepdims: Array) -> Array:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == 2:
        return root(np.sum(squared_size(x), axes, keepdims=keepdims))
    size = np.abs(x)
    if ord == np.inf:
        return np.max(size, axes, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return np.min(size, axes, keepdims=keepdims)
    if ord == 0:
        return np.sum(size != 0, axes, size.dtype, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axes, keepdims=keepdims)
    return np.sum(size**ord, axes, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x: Array, ord: Array, axes: Axis, keepdims: Array) -> Array:
    """The root of the sum of squares; the largest or smallest sum of a column or a row, or of the
    singular values; the sum of these.
    """
    ord = order_of_matrix_norm(ord)
    if ord in ("fro", "f"):
        return root(np.sum(squared_size(x), axes, keepdims=keepdims))
    if ord in (1, -1, np.inf, -np.inf):
        sums = np.sum(np.abs(x), axes[0] if abs(ord) == 1 else axes[1], keepdims=True)
        return largest_or_smallest(sums, axes, ord > 0, keepdims)
    if ord not in (2, -2, "nuc"):
        raise NotImplementedError("this norm of a matrix")
    values = np.linalg.svdvals(np.moveaxis(x, axes, (-2, -1)))
    found = np.sum(values, -1) if ord == "nuc" else largest_or_smallest(values, -1, ord > 0)
    return np.expand_dims(found, axes) if keepdims else found


def largest_or_smallest(
    sizes: Array, axes: Axis, is_largest: Array, keepdims: bool = False
) -> Array:
    """The largest of no sizes is 0, and there is no smallest."""
    if is_largest:
        return np.max(sizes, axes, keepdims=keepdims, initial=0)
    return np.min(sizes, axes, keepdims=keepdims)
