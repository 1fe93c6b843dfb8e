"""Buffers with one row per iteration."""

from __future__ import annotations

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    static_indices,
)
from myia.primitives.arrays.shaping import reshape


def rows_aval(aval: Aval, n: int) -> Aval:
    """The aval of a buffer of `n` values."""
    return aval.with_shape((n, *aval.shape))


def write_row(buffer: Value, x: Value, i: Value) -> Value:
    row = reshape(x, shape=(1, *x.shape))
    return dynamic_update_slice(buffer, row, i, *static_indices([0] * x.aval.ndim))


def read_row(buffer: Value, i: Value) -> Value:
    shape = buffer.shape[1:]
    row = dynamic_slice(buffer, i, *static_indices([0] * len(shape)), sizes=(1, *shape))
    return reshape(row, shape=shape)
