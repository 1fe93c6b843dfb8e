"""Equations of jaxprs that rearrange, cut, join and count. (Shardings mean nothing here.)"""

from __future__ import annotations

import numpy as np

from myia.infer.jax.tracing.rules import translation_rule
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise.logic import convert


def ints(numbers) -> tuple[int, ...]:
    """Parameters of jaxprs may be NumPy's integers."""
    return tuple(int(n) for n in numbers)


@translation_rule("broadcast_in_dim")
def _broadcast_in_dim(x: Value, *, shape, broadcast_dimensions, sharding=None) -> Value:
    return shaping.broadcast(x, shape=ints(shape), dims=ints(broadcast_dimensions))


@translation_rule("reshape")
def _reshape(x: Value, *, new_sizes, dimensions=None, sharding=None) -> Value:
    if dimensions is not None:
        x = shaping.transpose(x, permutation=ints(dimensions))
    return reshape_to(x, ints(new_sizes))


def reshape_to(x: Value, shape: tuple[int, ...]) -> Value:
    return x if x.shape == shape else shaping.reshape(x, shape=shape)


@translation_rule("squeeze")
def _squeeze(x: Value, *, dimensions) -> Value:
    return reshape_to(x, tuple(n for axis, n in enumerate(x.shape) if axis not in dimensions))


@translation_rule("expand_dims")
def _expand_dims(x: Value, *, dimensions) -> Value:
    extents = iter(x.shape)
    rank = x.aval.ndim + len(dimensions)
    return reshape_to(x, tuple(1 if axis in dimensions else next(extents) for axis in range(rank)))


@translation_rule("transpose")
def _transpose(x: Value, *, permutation) -> Value:
    return shaping.transpose(x, permutation=ints(permutation))


@translation_rule("rev")
def _rev(x: Value, *, dimensions) -> Value:
    return shaping.flip(x, axes=ints(dimensions))


# ----- Joining, padding, repeating


@translation_rule("concatenate")
def _concatenate(*xs: Value, dimension) -> Value:
    return shaping.concatenate(*xs, axis=dimension)


@translation_rule("stack")
def _stack(*xs: Value, axis) -> Value:
    shape = (*xs[0].shape[:axis], 1, *xs[0].shape[axis:])
    return shaping.concatenate(*(shaping.reshape(x, shape=shape) for x in xs), axis=axis)


@translation_rule("pad")
def _pad(x: Value, value: Value, *, padding_config) -> Value:
    low, high, interior = (ints(p[i] for p in padding_config) for i in range(3))
    return shaping.pad(x, value, low=low, high=high, interior=interior)


@translation_rule("tile")
def _tile(x: Value, *, reps) -> Value:
    """Each axis gets one before it along which it is repeated, and the two become one."""
    shape = ints(extent for pair in zip(reps, x.shape) for extent in pair)
    dims = tuple(2 * axis + 1 for axis in range(x.aval.ndim))
    repeated = shaping.broadcast(x, shape=shape, dims=dims)
    return shaping.reshape(repeated, shape=ints(r * n for r, n in zip(reps, x.shape)))


# ----- Cutting


@translation_rule("slice")
def _slice(x: Value, *, start_indices, limit_indices, strides) -> Value:
    stride = (1,) * x.aval.ndim if strides is None else ints(strides)
    return shaping.slice(x, start=ints(start_indices), limit=ints(limit_indices), stride=stride)


def along(x: Value, axis: int, start: int, limit: int) -> Value:
    """`x[start:limit]` of one axis."""
    starts, limits = [0] * x.aval.ndim, list(x.shape)
    starts[axis], limits[axis] = start, limit
    ones = (1,) * x.aval.ndim
    return shaping.slice(x, start=ints(starts), limit=ints(limits), stride=ones)


@translation_rule("split")
def _split(x: Value, *, sizes, axis) -> list[Value]:
    ends = np.cumsum(sizes).tolist()
    return [along(x, axis, end - size, end) for end, size in zip(ends, sizes)]


@translation_rule("unstack")
def _unstack(x: Value, *, axis) -> list[Value]:
    shape = tuple(n for i, n in enumerate(x.shape) if i != axis)
    rows = (along(x, axis, k, k + 1) for k in range(x.shape[axis]))
    return [shaping.reshape(row, shape=shape) for row in rows]


def as_indices(indices) -> list[Value]:
    return [convert(i, dtype=I64.dtype) for i in indices]


@translation_rule("dynamic_slice")
def _dynamic_slice(x: Value, *indices: Value, slice_sizes) -> Value:
    return dynamic_slices.dynamic_slice(x, *as_indices(indices), sizes=ints(slice_sizes))


@translation_rule("dynamic_update_slice")
def _dynamic_update_slice(x: Value, update: Value, *indices: Value) -> Value:
    return dynamic_slices.dynamic_update_slice(x, update, *as_indices(indices))


# ----- Counting


@translation_rule("iota")
def _iota(*, dtype, shape, dimension, sharding=None) -> Value:
    return shaping.iota(shape=ints(shape), axis=dimension, dtype=np.dtype(dtype))


@translation_rule("empty")
def _empty(*, shape, dtype, out_sharding=None) -> Value:
    return constant(0, dtype, ints(shape))
