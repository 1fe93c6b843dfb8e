"""Linear operations that rearrange elements; and `reduce_sum`, the transpose of `broadcast`."""

from __future__ import annotations

import builtins
import itertools
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval, Shape
from myia.ir.core import Op, Value
from myia.ir.primitive import NONDIFFERENTIABLE, Cotangents
from myia.primitives.core.define import CallablePrimitive, constant, linear, require, require_kind
from myia.primitives.pointwise.logic import select

# ----- Shape and order


def _reshape_avals(x: Aval, *, shape: Shape) -> tuple[Aval]:
    result = x.with_shape(shape)
    require(result.size == x.size, f"reshape: {x} to {shape}")
    return (result,)


reshape: CallablePrimitive = linear(
    "reshape",
    _reshape_avals,
    lambda x, *, shape: lax.reshape(x, shape),
    lambda x, *, shape: np.reshape(x, shape),
    transpose=(lambda ct, x, *, shape: reshape(ct, shape=x.shape),),
)


def _transpose_avals(x: Aval, *, permutation: Shape) -> tuple[Aval]:
    require(sorted(permutation) == list(range(x.ndim)), f"transpose: {x} by {permutation}")
    return (x.with_shape(tuple(x.shape[axis] for axis in permutation)),)


def inverse(permutation: Shape) -> tuple[int, ...]:
    return tuple(permutation.index(axis) for axis in range(len(permutation)))


transpose: CallablePrimitive = linear(
    "transpose",
    _transpose_avals,
    lambda x, *, permutation: lax.transpose(x, permutation),
    lambda x, *, permutation: np.transpose(x, permutation),
    transpose=(lambda ct, x, *, permutation: transpose(ct, permutation=inverse(permutation)),),
)


def check_axes(name: str, x: Aval, axes: tuple[int, ...]) -> None:
    distinct = len(set(axes)) == len(axes)
    require(distinct and all(0 <= axis < x.ndim for axis in axes), f"{name}: {x}, axes {axes}")


def _flip_avals(x: Aval, *, axes: tuple[int, ...]) -> tuple[Aval]:
    check_axes("flip", x, axes)
    return (x,)


flip: CallablePrimitive = linear(
    "flip",
    _flip_avals,
    lambda x, *, axes: lax.rev(x, axes),
    lambda x, *, axes: np.flip(x, axes),
    transpose=(lambda ct, x, *, axes: flip(ct, axes=axes),),
)

# ----- Broadcasting and its transpose


def _broadcast_avals(x: Aval, *, shape: Shape, dims: Any) -> tuple[Aval]:
    """Axis i of `x` becomes axis `dims[i]` of the result; its length is the same, or was 1."""
    message = f"broadcast: {x} to {shape} by {dims}"
    require(len(dims) == x.ndim and all(0 <= d < len(shape) for d in dims), message)
    require(all(a < b for a, b in itertools.pairwise(dims)), message)
    require(all(n in (1, shape[d]) for n, d in zip(x.shape, dims)), message)
    return (x.with_shape(shape),)


def _evaluate_broadcast(x: np.ndarray, *, shape: Shape, dims: Any) -> Any:
    lengths = [1] * len(shape)
    for n, d in zip(x.shape, dims):
        lengths[d] = n
    return np.array(np.broadcast_to(np.reshape(x, lengths), shape))


def _unbroadcast(ct: Value, x: Value, *, shape: Shape, dims: Any) -> Value:
    kept = {d for n, d in zip(x.shape, dims) if n == shape[d]}
    axes = tuple(axis for axis in range(len(shape)) if axis not in kept)
    total = reduce_sum(ct, axes=axes) if axes else ct
    return total if total.shape == x.shape else reshape(total, shape=x.shape)


broadcast = linear(
    "broadcast",
    _broadcast_avals,
    lambda x, *, shape, dims: lax.broadcast_in_dim(x, shape, dims),
    _evaluate_broadcast,
    transpose=(_unbroadcast,),
)


def reduced(x: Aval, axes: tuple[int, ...]) -> Aval:
    return x.with_shape(tuple(n for axis, n in enumerate(x.shape) if axis not in axes))


def _reduce_sum_avals(x: Aval, *, axes: tuple[int, ...]) -> tuple[Aval]:
    require_kind("reduce_sum", x, "iufc")
    check_axes("reduce_sum", x, axes)
    return (reduced(x, axes),)


def expand(y: Value, x: Aval, axes: tuple[int, ...]) -> Value:
    """`y`, a reduction of an array `x` along `axes`, repeated along those axes."""
    dims = tuple(axis for axis in range(x.ndim) if axis not in axes)
    return broadcast(y, shape=x.shape, dims=dims)


reduce_sum = linear(
    "reduce_sum",
    _reduce_sum_avals,
    lambda x, *, axes: lax.reduce_sum(x, axes),
    lambda x, *, axes: np.sum(x, axes, dtype=x.dtype),
    transpose=(lambda ct, x, *, axes: expand(ct, x.aval, axes),),
)

# ----- Joining, padding, cutting


def along_axis(x: Value, axis: int, start: int, limit: int) -> Value:
    """`x[start:limit]`, along `axis`."""
    starts, limits = [0] * x.aval.ndim, list(x.shape)
    starts[axis], limits[axis] = start, limit
    return slice(x, start=tuple(starts), limit=tuple(limits), stride=(1,) * x.aval.ndim)


def _concatenate_avals(*xs: Aval, axis: int) -> tuple[Aval]:
    require(len(xs) > 0, "concatenate: nothing")
    check_axes("concatenate", xs[0], (axis,))
    for x in xs:
        same = x.dtype == xs[0].dtype and reduced(x, (axis,)) == reduced(xs[0], (axis,))
        require(same and x.ndim == xs[0].ndim, f"concatenate: {xs[0]} with {x} along {axis}")
    shape = list(xs[0].shape)
    shape[axis] = sum(x.shape[axis] for x in xs)
    return (xs[0].with_shape(shape),)


def _part_of_concatenation(i: int, ct: Value, *xs: Value, axis: int) -> Value:
    start = sum(x.shape[axis] for x in xs[:i])
    return along_axis(ct, axis, start, start + xs[i].shape[axis])


concatenate = linear(
    "concatenate",
    _concatenate_avals,
    lambda *xs, axis: lax.concatenate(xs, axis),
    lambda *xs, axis: np.concatenate(xs, axis),
    groups=None,
    transpose=_part_of_concatenation,
)


def _dilated(n: int, interior: int) -> int:
    return n + builtins.max(0, n - 1) * interior


def _pad_avals(x: Aval, value: Aval, *, low: Shape, high: Shape, interior: Shape) -> tuple[Aval]:
    message = f"pad: {x} with {value} by {low}, {high}, {interior}"
    require(value == x.with_shape(()), message)
    require(len(low) == len(high) == len(interior) == x.ndim, message)
    require(all(i >= 0 for i in interior), message)
    shape = [lo + _dilated(n, i) + hi for n, lo, hi, i in zip(x.shape, low, high, interior)]
    require(all(n >= 0 for n in shape), message)
    return (x.with_shape(shape),)


def _evaluate_pad(
    x: np.ndarray, value: np.ndarray, *, low: Shape, high: Shape, interior: Shape
) -> Any:
    shape = [lo + _dilated(n, i) + hi for n, lo, hi, i in zip(x.shape, low, high, interior)]
    result = np.full(shape, value, x.dtype)
    positions = [lo + np.arange(n) * (i + 1) for n, lo, i in zip(x.shape, low, interior)]
    inside = [
        (p >= 0) & (p < n) for p, n in zip(positions, shape)
    ]  # negative padding removes elements
    target = np.ix_(*(p[ok] for p, ok in zip(positions, inside)))
    result[target] = x[np.ix_(*inside)]
    return result


def _transpose_pad(
    i: int, ct: Value, x: Value, value: Value, *, low: Shape, high: Shape, interior: Shape
) -> Value:
    if i == 0:
        negative = {"low": tuple(-n for n in low), "high": tuple(-n for n in high)}
        cut = pad(ct, constant(0, ct.dtype), interior=(0,) * len(low), **negative)
        stride = tuple(n + 1 for n in interior)
        return slice(cut, start=(0,) * len(low), limit=cut.shape, stride=stride)
    kept, new = constant(False, bool, x.shape), constant(True, bool)
    padding = pad(kept, new, low=low, high=high, interior=interior)
    return reduce_sum(select(padding, ct, 0), axes=tuple(range(len(low))))


pad = linear(
    "pad",
    _pad_avals,
    lambda x, value, *, low, high, interior: lax.pad(x, value, tuple(zip(low, high, interior))),
    _evaluate_pad,
    groups=((0, 1),),
    transpose=_transpose_pad,
)


def _slice_avals(x: Aval, *, start: Shape, limit: Shape, stride: Shape) -> tuple[Aval]:
    message = f"slice: {x} by {start}, {limit}, {stride}"
    require(len(start) == len(limit) == len(stride) == x.ndim, message)
    require(all(0 <= a <= b <= n for a, b, n in zip(start, limit, x.shape)), message)
    require(all(s >= 1 for s in stride), message)
    return (x.with_shape(tuple(-(-(b - a) // s) for a, b, s in zip(start, limit, stride))),)


def _accumulate_slice(op: Op, ct: Value, acc: Cotangents) -> None:
    """Adds `ct` to the slice from the first element that is read to the last."""
    (x,) = op.operands
    interior = tuple(s - 1 for s in op.params["stride"])
    if any(interior):
        none = (0,) * len(interior)
        ct = pad(ct, constant(0, ct.dtype), low=none, high=none, interior=interior)
    acc.add_slice(x, op.params["start"], ct)


slice = linear(
    "slice",
    _slice_avals,
    lambda x, *, start, limit, stride: lax.slice(x, start, limit, stride),
    lambda x, *, start, limit, stride: x[tuple(map(builtins.slice, start, limit, stride))],
    transpose=(None,),
    accumulate=_accumulate_slice,
)

# ----- Counting


def _iota_avals(*, shape: Shape, axis: int, dtype: np.dtype) -> tuple[Aval]:
    result = Aval(np.dtype(dtype), tuple(shape))
    check_axes("iota", result, (axis,))
    return (result,)


def _evaluate_iota(*, shape: Shape, axis: int, dtype: np.dtype) -> Any:
    return _evaluate_broadcast(np.arange(shape[axis], dtype=dtype), shape=shape, dims=(axis,))


# The index along `axis` of each element.
iota = CallablePrimitive(
    name="iota",
    avals=_iota_avals,
    lower=lambda *, shape, axis, dtype: lax.broadcasted_iota(dtype, shape, axis),
    evaluate=_evaluate_iota,
    derivative=NONDIFFERENTIABLE,
)

# They move elements, to places that do not depend on values.
MOVES = frozenset({reshape, transpose, flip, broadcast, concatenate, slice, pad})
