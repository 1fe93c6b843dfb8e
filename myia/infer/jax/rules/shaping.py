"""Translation of primitives that reshape, join, slice and count. (Shardings are ignored.)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from myia.infer.domain.views import reshape
from myia.infer.jax.tracing.rules import translation_rule
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise.logic import convert


def as_ints(numbers: Iterable[int]) -> tuple[int, ...]:
    """Python ints: parameters of jaxprs may be NumPy's integers."""
    return tuple(int(n) for n in numbers)


@translation_rule("broadcast_in_dim")
def _broadcast_in_dim(
    x: Value, *, shape: Any, broadcast_dimensions: Any, sharding: Any = None
) -> Value:
    return shaping.broadcast(x, shape=as_ints(shape), dims=as_ints(broadcast_dimensions))


@translation_rule("reshape")
def _reshape(x: Value, *, new_sizes: Any, dimensions: Any = None, sharding: Any = None) -> Value:
    if dimensions is not None:
        x = shaping.transpose(x, permutation=as_ints(dimensions))
    return reshape(x, as_ints(new_sizes))


@translation_rule("squeeze")
def _squeeze(x: Value, *, dimensions: Any) -> Value:
    return reshape(x, tuple(n for axis, n in enumerate(x.shape) if axis not in dimensions))


@translation_rule("expand_dims")
def _expand_dims(x: Value, *, dimensions: Any) -> Value:
    lengths = iter(x.shape)
    rank = x.aval.ndim + len(dimensions)
    return reshape(x, tuple(1 if axis in dimensions else next(lengths) for axis in range(rank)))


@translation_rule("transpose")
def _transpose(x: Value, *, permutation: Any) -> Value:
    return shaping.transpose(x, permutation=as_ints(permutation))


@translation_rule("rev")
def _rev(x: Value, *, dimensions: Any) -> Value:
    return shaping.flip(x, axes=as_ints(dimensions))


# ----- Joining, padding, repeating


@translation_rule("concatenate")
def _concatenate(*xs: Value, dimension: Any) -> Value:
    return shaping.concatenate(*xs, axis=dimension)


@translation_rule("stack")
def _stack(*xs: Value, axis: Any) -> Value:
    shape = (*xs[0].shape[:axis], 1, *xs[0].shape[axis:])
    return shaping.concatenate(*(shaping.reshape(x, shape=shape) for x in xs), axis=axis)


@translation_rule("pad")
def _pad(x: Value, value: Value, *, padding_config: Any) -> Value:
    low, high, interior = (as_ints(p[i] for p in padding_config) for i in range(3))
    return shaping.pad(x, value, low=low, high=high, interior=interior)


@translation_rule("tile")
def _tile(x: Value, *, reps: Any) -> Value:
    """Repeat each axis along a new axis before it, and merge the two."""
    shape = as_ints(n for pair in zip(reps, x.shape) for n in pair)
    dims = tuple(2 * axis + 1 for axis in range(x.aval.ndim))
    repeated = shaping.broadcast(x, shape=shape, dims=dims)
    return shaping.reshape(repeated, shape=as_ints(r * n for r, n in zip(reps, x.shape)))


# ----- Cutting


@translation_rule("slice")
def _slice(x: Value, *, start_indices: Any, limit_indices: Any, strides: Any) -> Value:
    stride = (1,) * x.aval.ndim if strides is None else as_ints(strides)
    return shaping.slice(
        x, start=as_ints(start_indices), limit=as_ints(limit_indices), stride=stride
    )


def slice_axis(x: Value, axis: int, start: int, limit: int) -> Value:
    """`x[start:limit]` along one axis."""
    starts, limits = [0] * x.aval.ndim, list(x.shape)
    starts[axis], limits[axis] = start, limit
    ones = (1,) * x.aval.ndim
    return shaping.slice(x, start=as_ints(starts), limit=as_ints(limits), stride=ones)


@translation_rule("split")
def _split(x: Value, *, sizes: Any, axis: Any) -> list[Value]:
    ends = np.cumsum(sizes).tolist()
    return [slice_axis(x, axis, end - size, end) for end, size in zip(ends, sizes)]


@translation_rule("unstack")
def _unstack(x: Value, *, axis: Any) -> list[Value]:
    shape = tuple(n for i, n in enumerate(x.shape) if i != axis)
    rows = (slice_axis(x, axis, k, k + 1) for k in range(x.shape[axis]))
    return [shaping.reshape(row, shape=shape) for row in rows]


def as_indices(indices: Iterable[Value]) -> list[Value]:
    return [convert(i, dtype=I64.dtype) for i in indices]


@translation_rule("dynamic_slice")
def _dynamic_slice(x: Value, *indices: Value, slice_sizes: Any) -> Value:
    return dynamic_slices.dynamic_slice(x, *as_indices(indices), sizes=as_ints(slice_sizes))


@translation_rule("dynamic_update_slice")
def _dynamic_update_slice(x: Value, update: Value, *indices: Value) -> Value:
    return dynamic_slices.dynamic_update_slice(x, update, *as_indices(indices))


# ----- Counting


@translation_rule("iota")
def _iota(*, dtype: Any, shape: Any, dimension: Any, sharding: Any = None) -> Value:
    return shaping.iota(shape=as_ints(shape), axis=dimension, dtype=np.dtype(dtype))


@translation_rule("empty")
def _empty(*, shape: Any, dtype: Any, out_sharding: Any = None) -> Value:
    return constant(0, dtype, as_ints(shape))
