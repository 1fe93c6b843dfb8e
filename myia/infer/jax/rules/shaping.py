"""Translation of primitives that reshape, join, slice and count. (Shardings are ignored.)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from myia.infer.domain.views import reshape
from myia.infer.jax.tracing.rules import as_ints, same_primitive, translation_rule
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise.logic import convert

same_primitive("broadcast_in_dim", shaping.broadcast, shape="shape", dims="broadcast_dimensions")
same_primitive("transpose", shaping.transpose, permutation="permutation")
same_primitive("rev", shaping.flip, axes="dimensions")
same_primitive("concatenate", shaping.concatenate, axis="dimension")
same_primitive("iota", shaping.iota, shape="shape", axis="dimension", dtype="dtype")


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


# ----- Joining, padding, repeating


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


@translation_rule("empty")
def _empty(*, shape: Any, dtype: Any, out_sharding: Any = None) -> Value:
    return constant(0, dtype, as_ints(shape))
