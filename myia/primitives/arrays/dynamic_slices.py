"""Slices of an array at start indices known at run time: read, write, and add in place.

    dynamic_slice(x, i, j, sizes=(1, 4))    ->    x[i : i + 1, j : j + 4]

As in XLA, start indices out of range are clamped so that the whole slice is inside the array; a
negative index is clamped too (`lax` counts it from the end). Bounds checks are emitted before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval, Shape
from myia.ir.core import Op, Value, Values
from myia.ir.primitive import Cotangents
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.core.define import CallablePrimitive, constant, linear, require, zeros
from myia.primitives.pointwise.arithmetic import add


def _check_indices(name: str, x: Aval, sizes: tuple[int, ...], indices: tuple[Aval, ...]) -> None:
    require(len(indices) == x.ndim == len(sizes), f"{name}: {len(indices)} indices into {x}")
    require(all(i == I64 for i in indices), f"{name}: an index is not i64[]")
    fits = all(0 <= size <= n for size, n in zip(sizes, x.shape))
    require(fits, f"{name}: a slice of {sizes} in {x}")


def _slices(shape: Shape, sizes: Shape, indices: Iterable[Any]) -> tuple[slice, ...]:
    """The subscript of the slice, its start indices clamped."""
    starts = [max(0, min(int(i), n - size)) for i, size, n in zip(indices, sizes, shape)]
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes))


def _read_avals(x: Aval, *indices: Aval, sizes: Shape) -> tuple[Aval]:
    _check_indices("dynamic_slice", x, sizes, indices)
    return (x.with_shape(sizes),)


def _write_avals(x: Aval, u: Aval, *indices: Aval) -> tuple[Aval]:
    require(x.dtype == u.dtype, f"dynamic_update_slice: {u} into {x}")
    _check_indices("dynamic_update_slice", x, u.shape, indices)
    return (x,)


def _evaluate_write(x: np.ndarray, u: np.ndarray, *indices: np.ndarray) -> Any:
    result = np.array(x)
    result[_slices(x.shape, u.shape, indices)] = u
    return result


def add_to_slice(buffer: Value, ct: Value, indices: Values) -> Value:
    """`buffer` with `ct` added in place to the slice that starts at `indices`.

    Cotangents may be added in any order.
    """
    old = dynamic_slice(buffer, *indices, sizes=ct.shape)
    return dynamic_update_slice(buffer, add(old, ct, reassoc=True), *indices)


def _accumulate_read(op: Op, ct: Value, acc: Cotangents) -> None:
    x, *indices = op.operands
    acc.update(x, lambda buffer: add_to_slice(buffer, ct, indices))


def _transpose_write(i: int, ct: Value, x: Value, u: Value, *indices: Value) -> Value:
    if i == 0:
        return dynamic_update_slice(ct, zeros(u.aval), *indices)
    return dynamic_slice(ct, *indices, sizes=u.shape)


dynamic_slice = linear(
    "dynamic_slice",
    _read_avals,
    lambda x, *indices, sizes: hlo.dynamic_slice(x, indices, sizes),
    lambda x, *indices, sizes: np.array(x[_slices(x.shape, sizes, indices)]),
    transpose=lambda i, ct, x, *indices, sizes: dynamic_update_slice(zeros(x.aval), ct, *indices),
    accumulate=_accumulate_read,
)

dynamic_update_slice: CallablePrimitive = linear(
    "dynamic_update_slice",
    _write_avals,
    lambda x, u, *indices: hlo.dynamic_update_slice(x, u, indices),
    _evaluate_write,
    groups=((0, 1),),
    transpose=_transpose_write,
)


# `x` with `u` added to a slice: the op of in-place reductions. The cotangent of `x` is that of the
# result, unchanged: with a store it would be cleared at the slice, and restored later.
dynamic_update_add = linear(
    "dynamic_update_add",
    _write_avals,
    lambda x, u, *indices: hlo.dynamic_update_slice(
        x, lax.add(hlo.dynamic_slice(x, indices, u.shape), u), indices
    ),
    lambda x, u, *indices: _evaluate_write(x, x[_slices(x.shape, u.shape, indices)] + u, *indices),
    groups=((0, 1),),
    transpose=lambda i, ct, x, u, *indices: (
        ct if i == 0 else dynamic_slice(ct, *indices, sizes=u.shape)
    ),
)


def static_indices(starts: Iterable[int]) -> list[Value]:
    """Start indices known at compile time, as values."""
    return [constant(start, I64.dtype) for start in starts]


# ----- The slice of an access

STORES = (dynamic_update_slice, dynamic_update_add)
ACCESSES = (dynamic_slice, *STORES)


def start_indices(access: Op) -> tuple[Value, ...]:
    """The start indices of the slice that `access` reads or stores, one for each axis."""
    return access.operands[2 if access.primitive in STORES else 1 :]


def slice_sizes(access: Op) -> tuple[int, ...]:
    """The sizes of the slice that `access` reads or stores, one for each axis."""
    return access.operands[1].shape if access.primitive in STORES else access.params["sizes"]
