"""Translation of gathers and scatters; with a single index they are accesses to one slice."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from jax import lax

from myia.infer.jax.rules.elementwise import broadcast_to_shape
from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import translate_pointwise, unsupported
from myia.ir.avals import I64, Shape
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, gather, scattering, shaping
from myia.primitives.arrays.gather import IndexDims, gather_updates, index_dims, update_slice_sizes
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import convert, select

Combine = Callable[[Value, Value], Value]  # (old elements, update) -> new elements

_MODES = {
    lax.GatherScatterMode.CLIP: "clip",
    lax.GatherScatterMode.PROMISE_IN_BOUNDS: "clip",
    lax.GatherScatterMode.FILL_OR_DROP: "fill",
}


def _mode(given: str | lax.GatherScatterMode | None) -> str:
    mode = lax.GatherScatterMode.from_any(given)
    if mode not in _MODES:
        raise unsupported(f"indexing in the mode {mode}")
    return _MODES[mode]


# ----- Reading


@translation_rule("gather")
def _gather(
    x: Value,
    indices: Value,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    mode: Any,
    fill_value: Any = None,
    **_: Any,
) -> Value:
    dims = index_dims(*dimension_numbers)
    sizes, mode = tuple(map(int, slice_sizes)), _mode(mode)
    fill = _fill(x.dtype, fill_value) if mode == "fill" else None
    if _is_single_slice(indices):
        return _read_slice(x, indices, IndexDims(*dims), sizes, fill)
    return gather.gather(x, indices, dims=dims, sizes=sizes, mode=mode, fill=fill)


def _fill(dtype: np.dtype, value: Any) -> float | int | bool:
    """JAX's value for reads out of bounds: NaN, the smallest, or the largest unsigned integer."""
    if value is not None:
        return np.asarray(value).astype(dtype).item()
    if dtype.kind in "fc":
        return math.nan
    if dtype.kind == "b":
        return True
    limits = np.iinfo(dtype)
    return limits.max if dtype.kind == "u" else limits.min


# ----- A single slice


def _is_single_slice(indices: Value) -> bool:
    """Whether these are the start indices of one slice."""
    return math.prod(indices.shape[:-1]) == 1


def _start_indices(x: Value, indices: Value, dims: IndexDims) -> list[Value]:
    """The start index of the slice along each axis of `x`."""
    starts = [constant(0, I64.dtype)] * x.aval.ndim
    row = reshape(convert(indices, dtype=I64.dtype), shape=(len(dims.start_index_map),))
    for k, axis in enumerate(dims.start_index_map):
        one = shaping.slice(row, start=(k,), limit=(k + 1,), stride=(1,))
        starts[axis] = reshape(one, shape=())
    return starts


def _is_inside(x: Value, starts: list[Value], dims: IndexDims, sizes: Shape) -> Value:
    """Whether the slice lies inside `x`."""
    parts = [
        logic.and_(logic.ge(starts[axis], 0), logic.le(starts[axis], x.shape[axis] - sizes[axis]))
        for axis in dims.start_index_map
    ]
    return reduce(logic.and_, parts, constant(True, bool))


def _read_slice(x: Value, indices: Value, dims: IndexDims, sizes: Shape, fill: Any) -> Value:
    starts = _start_indices(x, indices, dims)
    found = dynamic_slices.dynamic_slice(x, *starts, sizes=sizes)
    if fill is not None:
        inside = broadcast_to_shape(_is_inside(x, starts, dims, sizes), sizes)
        found = select(inside, found, fill)
    shape = list(dims.slice_shape(sizes))
    for axis in range(len(shape) + len(indices.shape) - 1):
        if axis not in dims.offset_dims:
            shape.insert(axis, 1)
    return reshape(found, shape=tuple(shape))


def _write_slice(
    x: Value, indices: Value, u: Value, dims: IndexDims, sizes: Shape, mode: str, combine: Combine
) -> Value:
    starts = _start_indices(x, indices, dims)
    old = dynamic_slices.dynamic_slice(x, *starts, sizes=sizes)
    new = combine(old, reshape(u, shape=sizes))
    if mode == "fill":
        new = select(broadcast_to_shape(_is_inside(x, starts, dims, sizes), sizes), new, old)
    return dynamic_slices.dynamic_update_slice(x, new, *starts)


# ----- Writing


def _add(x: Value, indices: Value, u: Value, *, unique: Any, **how: Any) -> Value:
    return gather.scatter_add(x, indices, u, **how)


_SCATTERS: dict[str, tuple[Callable[..., Value], Combine]] = {
    "scatter": (scattering.scatter, lambda old, u: u),
    "scatter-add": (_add, arithmetic.add),
    "scatter-sub": (lambda x, indices, u, **how: _add(x, indices, -u, **how), arithmetic.sub),
    "scatter-mul": (scattering.scatter_mul, arithmetic.mul),
    "scatter-min": (scattering.scatter_min, arithmetic.min),
    "scatter-max": (scattering.scatter_max, arithmetic.max),
}


def _register(name: str, scatter: Callable[..., Value], combine: Combine) -> None:
    @translation_rule(name)
    def rule(
        x: Value,
        indices: Value,
        u: Value,
        *,
        dimension_numbers: Any,
        mode: Any,
        unique_indices: Any,
        update_jaxpr: Any,
        update_consts: Any,
        **_: Any,
    ) -> Value:
        dims, mode = index_dims(*dimension_numbers), _mode(mode)
        if name == "scatter" and update_jaxpr is not None:
            update = lambda *xs: translate_pointwise(update_jaxpr, update_consts, xs)[0]  # noqa: E731
            how = (IndexDims(*dims), mode, unique_indices)
            return _scatter_apply(x, indices, u, *how, update)
        if _is_single_slice(indices):
            sizes = update_slice_sizes(x.shape, u.shape, IndexDims(*dims))
            return _write_slice(x, indices, u, IndexDims(*dims), sizes, mode, combine)
        return scatter(x, indices, u, dims=dims, mode=mode, unique=unique_indices)


for _name, _rules in _SCATTERS.items():
    _register(_name, *_rules)


def _scatter_apply(
    x: Value, indices: Value, u: Value, dims: IndexDims, mode: str, unique: bool, combine: Combine
) -> Value:
    """A scatter by any function, applied once for each index, also where indices repeat."""
    sizes = update_slice_sizes(x.shape, u.shape, dims)
    if _is_single_slice(indices):
        return _write_slice(x, indices, u, dims, sizes, mode, combine)
    if unique:
        old = gather_updates(x, x, indices, u, dims, mode)
        how = dict(dims=tuple(dims), mode=mode, unique=True)
        return scattering.scatter(x, indices, combine(old, u), **how)
    if dims.operand_batching_dims:
        raise unsupported("a scatter by this function in a batch", "the same index may come twice")
    count, length = math.prod(indices.shape[:-1]), indices.shape[-1]
    rows = reshape(indices, shape=(count, length))
    batch = [axis for axis in range(len(u.shape)) if axis not in dims.offset_dims]
    u = shaping.transpose(u, permutation=(*batch, *dims.offset_dims))
    u = reshape(u, shape=(count, math.prod(sizes)))

    def body(k: Value, x: Value) -> list[Value]:
        zero = constant(0, I64.dtype)
        at = dynamic_slices.dynamic_slice(rows, k, zero, sizes=(1, length))
        part = dynamic_slices.dynamic_slice(u, k, zero, sizes=(1, math.prod(sizes)))
        return [_write_slice(x, at, part, dims, sizes, mode, combine)]

    return loop([x], body, count=constant(count, I64.dtype))[0]
