"""Buffers with a row for each trip."""

from __future__ import annotations

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    static_indices,
)
from myia.primitives.arrays.shaping import reshape


def stacked(aval: Aval, n: int) -> Aval:
    """The aval of a buffer of `n` values."""
    return aval.with_shape((n, *aval.shape))


def write(buffer: Value, x: Value, i: Value) -> Value:
    row = reshape(x, shape=(1, *x.shape))
    return dynamic_update_slice(buffer, row, i, *static_indices([0] * x.aval.ndim))


def read(buffer: Value, i: Value) -> Value:
    shape = buffer.shape[1:]
    row = dynamic_slice(buffer, i, *static_indices([0] * len(shape)), sizes=(1, *shape))
    return reshape(row, shape=shape)
