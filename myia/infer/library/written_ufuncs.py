"""Methods of ufuncs as loops: `np.hypot.reduce`, `np.gcd.accumulate`, `np.multiply.at`.

Sums, products, extrema and truth have primitives of their own: `numpy_ufunc_methods`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.library.written import written


def reducing(ufunc: np.ufunc) -> Callable:
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False):
        if out is not None:
            raise NotImplementedError("`out=` of `reduce`")
        x = operands(array, dtype)
        axes = tuple(range(x.ndim)) if axis is None else axis
        axes = (axes,) if np.ndim(axes) == 0 else axes
        axes = [i + x.ndim if i < 0 else i for i in axes]
        for i in axes:
            x = np.expand_dims(folded(np.moveaxis(x, i, 0)), i)
        return x if keepdims else np.squeeze(x, tuple(axes))[()]

    def folded(rows):
        if len(rows) == 0:
            raise NotImplementedError("`reduce` of no elements")
        total = rows[0]
        for i in range(1, len(rows)):
            total = ufunc(total, rows[i])
        return total

    def operands(array, dtype):
        x = np.asarray(array)
        return x.astype(ufunc(x, x).dtype if dtype is None else dtype)

    return reduce


def accumulating(ufunc: np.ufunc) -> Callable:
    def accumulate(array, axis=0, dtype=None, out=None):
        if out is not None:
            raise NotImplementedError("`out=` of `accumulate`")
        x = np.asarray(array)
        x = x.astype(ufunc(x, x).dtype if dtype is None else dtype)
        rows = np.moveaxis(x, axis, 0).copy()
        for i in range(1, len(rows)):
            rows[i] = ufunc(rows[i - 1], rows[i])
        return np.moveaxis(rows, 0, axis)

    return accumulate


def changing_at(ufunc: np.ufunc) -> Callable:
    def at(a, indices, b):
        if isinstance(indices, (tuple, slice)) or np.asarray(indices).dtype == bool:
            raise NotImplementedError("`at` with other indices than integers of the first axis")
        indices = np.asarray(indices)
        values = np.broadcast_to(b, indices.shape + a.shape[1:])
        values = values.reshape(indices.size, *a.shape[1:])
        places = np.ravel(indices)
        for i in range(len(places)):
            a[places[i]] = ufunc(a[places[i]], values[i])

    return at


for _ufunc in (
    np.subtract, np.divide, np.hypot, np.logaddexp, np.logaddexp2, np.bitwise_and, np.bitwise_or,
    np.bitwise_xor, np.logical_xor, np.gcd, np.lcm, np.fmax, np.fmin,
):  # fmt: skip
    written(_ufunc.reduce)(reducing(_ufunc))
    written(_ufunc.accumulate)(accumulating(_ufunc))

for _ufunc in (
    np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.fmin, np.power, np.bitwise_and,
    np.bitwise_or, np.bitwise_xor, np.logical_and, np.logical_or, np.hypot,
):  # fmt: skip
    written(_ufunc.at)(changing_at(_ufunc))
