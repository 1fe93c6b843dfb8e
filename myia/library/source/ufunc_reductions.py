"""Methods of ufuncs: `np.add.reduce`, `np.subtract.outer`; as loops: `np.hypot.reduce`, `.at`.

Those with a primitive are in `numpy/ufuncs/ufunc_methods.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.library.source.statistics import axes_of, stored
from myia.library.support.from_source import Array, Axis, Dtype, from_source


def reduce_by(whole: Callable) -> Callable:
    def reduce(
        array: Array,
        axis: Axis = 0,
        dtype: Dtype = None,
        out: Array = None,
        keepdims: bool = False,
        **options: Array,
    ) -> Array:
        if dtype is not None:
            options["dtype"] = dtype
        return whole(array, axis=axis, out=out, keepdims=keepdims, **options)

    return reduce


def outer_method(ufunc: np.ufunc) -> Callable:
    def outer(A: Array, B: Array, **options: Array) -> Array:
        A = np.asarray(A)
        return ufunc(A.reshape(A.shape + (1,) * np.ndim(B)), B, **options)

    return outer


def reduce_method(ufunc: np.ufunc) -> Callable:
    identity, name = ufunc.identity, ufunc.__name__

    def reduce(
        array: Array, axis: Axis = 0, dtype: Dtype = None, out: Array = None, keepdims: bool = False
    ) -> Array:
        x = operands(ufunc, array, dtype, out)
        axes = axes_of(axis, x.ndim)
        for i in axes:
            x = np.expand_dims(folded(np.moveaxis(x, i, 0)), i)
        return stored(x if keepdims else np.squeeze(x, axes)[()], out)

    def folded(rows: Array) -> Array:
        if len(rows) == 0:
            if identity is None:
                raise ValueError(
                    f"zero-size array to reduction operation {name} which has no identity"
                )
            return np.full(rows.shape[1:], identity).astype(rows.dtype)
        total = rows[0]
        for i in range(1, len(rows)):
            total = ufunc(total, rows[i])
        return total

    return reduce


def operands(ufunc: Callable[..., Any], array: Array, dtype: Dtype, out: Array) -> Array:
    """The operands at the dtype of the result, which NumPy uses throughout a reduction.

    It is that of the function of `out` and the operand, if `out` is given.
    """
    x = np.asarray(array)
    if dtype is None and out is not None:
        (out,) = out if isinstance(out, tuple) else (out,)
        return x.astype(ufunc(np.ravel(out)[:1], np.ravel(x)[:1]).dtype)
    if dtype is None and (ufunc is np.add or ufunc is np.multiply):
        return x.astype(np.sum(x).dtype)
    return x.astype(ufunc(x, x).dtype if dtype is None else dtype)


def accumulate_method(ufunc: np.ufunc) -> Callable:
    def accumulate(array: Array, axis: Axis = 0, dtype: Dtype = None, out: Array = None) -> Array:
        x = operands(ufunc, array, dtype, out)
        rows = np.moveaxis(x, axis, 0).copy()
        for i in range(1, len(rows)):
            rows[i] = ufunc(rows[i - 1], rows[i])
        return stored(np.moveaxis(rows, 0, axis), out)

    return accumulate


def reduceat_method(ufunc: np.ufunc) -> Callable:
    def reduceat(
        array: Array, indices: Array, axis: Axis = 0, dtype: Dtype = None, out: Array = None
    ) -> Array:
        """Reduce from each index up to the next; only one row if the next index is not greater."""
        rows = np.moveaxis(operands(ufunc, array, dtype, out), axis, 0)
        starts = np.asarray(indices)
        if np.any((starts < 0) | (starts >= len(rows))):
            raise IndexError("index out-of-bounds in reduceat")
        ends = np.append(starts[1:], len(rows))
        found = np.zeros((len(starts), *rows.shape[1:]), rows.dtype)
        for i in range(len(starts)):
            found[i] = rows[starts[i]]
            for k in range(starts[i] + 1, ends[i]):
                found[i] = ufunc(found[i], rows[k])
        return stored(np.moveaxis(found, 0, axis), out)

    return reduceat


def at_method(ufunc: np.ufunc) -> Callable:
    def at(a: Array, indices: Array, *b: Array) -> None:
        """One element after the other: a repeated index is updated repeatedly.

        The element takes whatever the result becomes in its dtype.
        """
        b = tuple([np.asarray(x) for x in b])
        if isinstance(indices, tuple):
            every(a, np.arange(a.size).reshape(a.shape)[indices], b)
        elif isinstance(indices, slice) or np.asarray(indices).dtype == bool:
            a[indices] = np.asarray(ufunc(a[indices], *b)).astype(a.dtype)
        else:
            rows(a, np.asarray(indices), b)

    def rows(a: Array, indices: Array, b: Array) -> None:
        """Elements along the first axis."""
        b = [broadcast_rows(x, indices, a.shape[1:]) for x in b]
        places = np.ravel(indices)
        for i in range(len(places)):
            found = ufunc(a[places[i]], *[x[i] for x in b])
            a[places[i]] = np.asarray(found).astype(a.dtype)

    def broadcast_rows(x: Array, indices: Array, shape: Array) -> Array:
        return np.broadcast_to(x, indices.shape + shape).reshape(indices.size, *shape)

    def every(a: Array, places: Array, b: Array) -> None:
        """The elements at these flat indices."""
        b = [np.ravel(np.broadcast_to(x, places.shape)) for x in b]
        where = np.unravel_index(np.ravel(places), a.shape)
        for i in range(np.size(places)):
            at = tuple([k[i] for k in where])
            a[at] = ufunc(a[at], *[x[i] for x in b]).astype(a.dtype)

    return at


# NumPy's own reductions by `arctan2` and `power` depend on the processor: they are left out.
FOLDS = (
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.fmod,
    np.float_power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.copysign,
    np.logaddexp, np.logaddexp2, np.heaviside, np.gcd, np.lcm, np.bitwise_and, np.bitwise_or,
    np.bitwise_xor, np.left_shift, np.right_shift, np.logical_and, np.logical_or, np.logical_xor,
)  # fmt: skip
CHANGES = (
    *FOLDS, np.arctan2, np.power, np.negative, np.positive, np.absolute, np.fabs, np.conjugate,
    np.sign, np.rint, np.floor, np.ceil, np.trunc, np.sqrt, np.square, np.cbrt, np.reciprocal,
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan,
    np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh,
    np.arctanh, np.degrees, np.radians, np.deg2rad, np.rad2deg, np.invert, np.logical_not,
)  # fmt: skip

OUTER = (
    *FOLDS, np.power, np.arctan2, np.nextafter, np.ldexp, np.equal, np.not_equal, np.less,
    np.less_equal, np.greater, np.greater_equal,
)  # fmt: skip
REDUCED: dict[np.ufunc, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
    np.logical_and: np.all, np.logical_or: np.any,
}  # fmt: skip
WITH_PRIMITIVE = (np.add, np.multiply, np.maximum, np.minimum)  # of cumulative operations

_ufunc: np.ufunc
for _ufunc in FOLDS:
    _whole = REDUCED.get(_ufunc)
    from_source(_ufunc.reduce)(reduce_by(_whole) if _whole else reduce_method(_ufunc))
    from_source(_ufunc.reduceat)(reduceat_method(_ufunc))
    if _ufunc not in WITH_PRIMITIVE:
        from_source(_ufunc.accumulate)(accumulate_method(_ufunc))
for _ufunc in OUTER:
    from_source(_ufunc.outer)(outer_method(_ufunc))
for _ufunc in CHANGES:
    if _ufunc not in (np.add, np.subtract):
        from_source(_ufunc.at)(at_method(_ufunc))
ONE_BY_ONE: dict[Any, Callable] = {_ufunc: at_method(_ufunc) for _ufunc in (np.add, np.subtract)}
