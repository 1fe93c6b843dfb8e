"""Gather and scatter-add: reads and additions at an array of start indices, as in XLA.

    gather(x, [[2], [0]], sizes=(1,))           ->    [x[2], x[0]]
    scatter_add(x, [[2], [2]], [a, b])          ->    x with x[2] + a + b at 2

`gather` reads a slice of shape `sizes` at each start index; a scatter writes one. The parameter
`dims`, made by `index_dims`, maps the axes as XLA's dimension numbers do. With `mode="clip"` a
start index out of range is clamped so that its slice fits. With `mode="fill"` such a slice reads
as `fill` and is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from jax import lax

from myia.ir.avals import Aval, Shape
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit, Formula
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import CallablePrimitive, constant, linear, require

MODES = ("clip", "fill")


class IndexDims(NamedTuple):
    """The fields of `lax.GatherDimensionNumbers`, which also describe the transposed scatter."""

    offset_dims: Shape = ()
    collapsed_slice_dims: Shape = ()
    start_index_map: Shape = ()
    operand_batching_dims: Shape = ()
    start_indices_batching_dims: Shape = ()

    @property
    def hidden(self) -> tuple[int, ...]:
        """Axes of the operand that the slice of the result does not have."""
        return tuple(sorted((*self.collapsed_slice_dims, *self.operand_batching_dims)))

    def slice_shape(self, sizes: Shape) -> tuple[int, ...]:
        """The shape of a slice of `sizes` without the hidden axes."""
        return tuple(n for axis, n in enumerate(sizes) if axis not in self.hidden)

    def for_gather(self) -> lax.GatherDimensionNumbers:
        return lax.GatherDimensionNumbers(*self)

    def for_scatter(self) -> lax.ScatterDimensionNumbers:
        return lax.ScatterDimensionNumbers(*self)


def index_dims(*fields: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """The parameter `dims`. For a scatter: update_window_dims, inserted_window_dims, and so on."""
    return tuple(IndexDims(*map(tuple, fields)))


# ----- Shapes


def _gathered(x: Aval, indices: Aval, dims: IndexDims, sizes: Shape) -> Aval:
    message = f"gather or scatter: slices of {sizes} in {x} at {indices} by {tuple(dims)}"
    require(indices.dtype.kind in "iu" and indices.ndim >= 1, message)
    require(indices.shape[-1] == len(dims.start_index_map), message)
    require(len(sizes) == x.ndim, message)
    require(all(0 <= size <= n for size, n in zip(sizes, x.shape)), message)
    require(all(sizes[axis] == 1 for axis in dims.hidden), message)
    offsets, batch = iter(dims.slice_shape(sizes)), iter(indices.shape[:-1])
    rank = x.ndim - len(dims.hidden) + indices.ndim - 1
    require(len(dims.offset_dims) == x.ndim - len(dims.hidden), message)
    shape = [next(offsets if axis in dims.offset_dims else batch) for axis in range(rank)]
    return x.with_shape(tuple(shape))


def _gather_avals(
    x: Aval, indices: Aval, *, dims: Any, sizes: Shape, mode: str, fill: complex | None
) -> tuple[Aval]:
    require(mode in MODES, f"gather: mode {mode!r}")
    return (_gathered(x, indices, IndexDims(*dims), sizes),)


def update_slice_sizes(x_shape: Shape, u_shape: Shape, dims: IndexDims) -> tuple[int, ...]:
    """The sizes, in the operand, of each slice that a scatter writes."""
    lengths = iter(u_shape[axis] for axis in dims.offset_dims)
    return tuple(1 if axis in dims.hidden else next(lengths) for axis in range(len(x_shape)))


def scatter_avals(
    x: Aval, indices: Aval, u: Aval, *, dims: Any, mode: str, unique: bool = False
) -> tuple[Aval]:
    require(mode in MODES, f"scatter: mode {mode!r}")
    dims = IndexDims(*dims)
    require(all(axis < u.ndim for axis in dims.offset_dims), f"scatter: {u} by {tuple(dims)}")
    expected = _gathered(x, indices, dims, update_slice_sizes(x.shape, u.shape, dims))
    require(u == expected, f"scatter: updates {u}, not {expected}")
    return (x,)


# ----- Evaluation


def _element_indices(
    shape: Shape, indices: np.ndarray, dims: IndexDims, sizes: Shape, mode: str
) -> Any:
    """The indices of the slices' elements: per axis an array of shape (batch..., sizes...).

    The second result, of shape (batch...), is true for the slices that are inside.
    """
    batch = indices.shape[:-1]
    starts = np.zeros((len(shape), *batch), np.int64)
    for k, axis in enumerate(dims.start_index_map):
        starts[axis] = indices[..., k]
    for axis, along in zip(dims.operand_batching_dims, dims.start_indices_batching_dims):
        starts[axis] = np.expand_dims(
            np.arange(batch[along]), [k for k in range(len(batch)) if k != along]
        )
    last = np.subtract(shape, sizes).reshape((-1,) + (1,) * len(batch))
    clipped = np.clip(starts, 0, last)
    inside = np.all(starts == clipped, axis=0) if mode == "fill" else np.ones(batch, bool)
    offsets = np.indices(sizes)
    starts = clipped.reshape(clipped.shape + (1,) * len(sizes))
    return tuple(start + offset for start, offset in zip(starts, offsets)), inside


def _evaluate_gather(
    x: np.ndarray, indices: np.ndarray, *, dims: Any, sizes: Shape, mode: str, fill: complex | None
) -> Any:
    dims = IndexDims(*dims)
    elements, inside = _element_indices(x.shape, indices, dims, sizes, mode)
    batch = inside.shape
    slices = np.array(np.broadcast_to(x[elements], batch + tuple(sizes)))
    slices[~inside] = 0 if fill is None else fill
    slices = slices.reshape(batch + dims.slice_shape(sizes))
    return np.moveaxis(slices, range(len(batch), slices.ndim), dims.offset_dims)


def evaluate_scatter(store: Callable[..., None]) -> Formula:
    """The NumPy evaluation of a scatter.

    `store(array, elements, values)` writes in order: the last of several writes stays.
    """

    def evaluate(
        x: np.ndarray,
        indices: np.ndarray,
        u: np.ndarray,
        *,
        dims: Any,
        mode: str,
        unique: bool = False,
    ) -> Any:
        dims = IndexDims(*dims)
        sizes = update_slice_sizes(x.shape, u.shape, dims)
        elements, inside = _element_indices(x.shape, indices, dims, sizes, mode)
        batch = inside.shape
        u = np.moveaxis(u, dims.offset_dims, range(len(batch), u.ndim)).reshape(batch + sizes)
        result = np.array(x)
        shape = batch + sizes
        elements = tuple(np.broadcast_to(p, shape)[inside] for p in elements)
        store(result, elements, u[inside])
        return result

    return evaluate


# ----- Primitives


def _gather_jvp(
    ys: Values,
    xs: Values,
    ts: Values,
    *,
    dims: Any,
    sizes: Shape,
    mode: str,
    fill: complex | None,
) -> Tangents:
    (_, indices), (t, _) = xs, ts
    return (gather(t, indices, dims=dims, sizes=sizes, mode=mode, fill=0),)


def _gather_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (x, indices), (ct,) = op.operands, cts
    dims, mode = op.params["dims"], op.params["mode"]
    acc.update(x, lambda buffer: scatter_add(buffer, indices, ct, dims=dims, mode=mode))


# `fill`: the value read by a slice out of range (mode "fill"; None in mode "clip").
gather = CallablePrimitive(
    name="gather",
    avals=_gather_avals,
    lower=lambda x, indices, *, dims, sizes, mode, fill: lax.gather(
        x, indices, IndexDims(*dims).for_gather(), sizes, mode=mode, fill_value=fill
    ),
    evaluate=_evaluate_gather,
    derivative=Explicit(_gather_jvp, _gather_vjp),
)


def gather_updates(
    ct: Value, x: Value, indices: Value, u: Value, dims: Any, mode: str, outside: int = 0
) -> Value:
    """The elements of `ct`, an array like `x`, that a scatter of `u` overwrites."""
    sizes = update_slice_sizes(x.shape, u.shape, IndexDims(*dims))
    return gather(ct, indices, dims=dims, sizes=sizes, mode=mode, fill=outside)


def _transpose_scatter_add(
    i: int, ct: Value, x: Value, indices: Value, u: Value, *, dims: Any, mode: str
) -> Value:
    return ct if i == 0 else gather_updates(ct, x, indices, u, dims, mode)


scatter_add = linear(
    "scatter_add",
    scatter_avals,
    lambda x, indices, u, *, dims, mode: lax.scatter_add(
        x, indices, u, IndexDims(*dims).for_scatter(), mode=mode
    ),
    evaluate_scatter(np.add.at),
    groups=((0, 2),),
    transpose=_transpose_scatter_add,
)

# ----- Common forms


def take(
    x: Value, indices: Value, axis: int, mode: str = "clip", fill: complex | None = None
) -> Value:
    """`x` at `indices` (any shape) along `axis`; the axes of `indices` replace that axis."""
    before, after = range(axis), range(axis + 1, x.aval.ndim)
    rank = indices.aval.ndim
    dims = index_dims((*before, *(i + rank - 1 for i in after)), (axis,), (axis,))
    sizes = tuple(1 if i == axis else n for i, n in enumerate(x.shape))
    at = reshape(indices, shape=(*indices.shape, 1))
    return gather(x, at, dims=dims, sizes=sizes, mode=mode, fill=fill)


def _along(x: Value, axis: int) -> tuple[tuple[int, ...], ...]:
    """Single elements at positions along `axis`; the other axes are matched."""
    others = tuple(i for i in range(x.aval.ndim) if i != axis)
    return index_dims((), (axis,), (axis,), others, others)


def take_along_axis(x: Value, indices: Value, axis: int) -> Value:
    """`x[..., indices[..., j, ...], ...]` along `axis`; the other axes agree."""
    if 0 in indices.shape:
        return constant(0, x.dtype, indices.shape)
    at = reshape(indices, shape=(*indices.shape, 1))
    sizes = (1,) * x.aval.ndim
    return gather(x, at, dims=_along(x, axis), sizes=sizes, mode="clip", fill=None)


def add_along_axis(x: Value, indices: Value, u: Value, axis: int) -> Value:
    """`x` with `u` added where `take_along_axis` reads: its transpose."""
    if 0 in indices.shape:
        return x
    at = reshape(indices, shape=(*indices.shape, 1))
    return scatter_add(x, at, u, dims=_along(x, axis), mode="clip")
