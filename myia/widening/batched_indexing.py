"""Batching rules of gathers and scatters: iterations are a batch axis of operand and indices.

gather(%x, %i) {dims=...}    ->    the batch of %x at the batch of %i, entry by entry

An operand, or indices, that all iterations share are not repeated by `gather`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.primitives.arrays.gather import IndexDims, gather, index_dims
from myia.primitives.arrays.shaping import broadcast


def gather_rule(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    """Slices of each iteration's own array, or at its own indices."""
    x, indices = operands
    x_shared, indices_shared = shared
    dims, sizes = IndexDims(*op.params["dims"]), tuple(op.params["sizes"])
    params = dict(op.params)
    if x_shared:
        # One more batch axis of the indices, which is the first of the result.
        params["dims"] = index_dims(
            _after(dims.offset_dims),
            dims.collapsed_slice_dims,
            dims.start_index_map,
            dims.operand_batching_dims,
            _after(dims.start_indices_batching_dims),
        )
        return gather(x, indices, **params)
    own = (0,) if indices_shared else ()  # the axis of iterations is a part of each slice
    batch = () if indices_shared else (0,)
    params["sizes"] = (width if indices_shared else 1, *sizes)
    params["dims"] = index_dims(
        (*own, *_after(dims.offset_dims)),
        _after(dims.collapsed_slice_dims),
        _after(dims.start_index_map),
        (*batch, *_after(dims.operand_batching_dims)),
        dims.start_indices_batching_dims
        if indices_shared
        else (*batch, *_after(dims.start_indices_batching_dims)),
    )
    return gather(x, indices, **params)


def scatter_rule(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    """Updates of each iteration's own array."""
    batches = [
        broadcast(x, shape=(width, *x.shape), dims=tuple(range(1, x.aval.ndim + 1))) if same else x
        for x, same in zip(operands, shared)
    ]
    dims = IndexDims(*op.params["dims"])
    shifted = index_dims(
        _after(dims.offset_dims),
        _after(dims.collapsed_slice_dims),
        _after(dims.start_index_map),
        (0, *_after(dims.operand_batching_dims)),
        (0, *_after(dims.start_indices_batching_dims)),
    )
    return emit1(op.primitive, *batches, **{**op.params, "dims": shifted})


def _after(axes: Iterable[int]) -> tuple[int, ...]:
    """The axes, after one more."""
    return tuple(axis + 1 for axis in axes)
