"""Accesses of arrays that all iterations share: one access for all, or one after the other.

    %x = dynamic_slice %a, %i, %k {sizes=(1, 1)}    ->    dynamic_slice %a, %i, %k {sizes=(1, 9)}

If a slice moves by one element along an axis from iteration to iteration, the slices of all
iterations are one slice; the entries of the wide value lie along that axis, in its order or in the
reverse one. Where only some iterations run, one of the others may be out of range, which would move
the whole slice: they access one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.shaping import concatenate, flip, reshape, transpose
from myia.primitives.pointwise.arithmetic import sub
from myia.widening.one_by_one import load_one_by_one, store_one_by_one
from myia.widening.summary import Stride
from myia.widening.wide_values import WideValues, entry


def load(values: WideValues, array: Value, op: Op, stride: Stride) -> Value:
    """The slices of `array` at which `op` loads or stores, one entry per iteration."""
    if values.mask is not None:
        return load_one_by_one(values, array, op)
    sizes, width = slice_sizes(op), values.axis.width
    widened = _widened_sizes(width, stride, sizes)
    x = dynamic_slice(array, *_widened_starts(values, op, stride), sizes=widened)
    if not _is_leading(stride.axis, sizes):
        axes = (stride.axis, *(axis for axis in range(len(sizes)) if axis != stride.axis))
        x = transpose(x, permutation=axes)
    return _in_memory_order(values, reshape(x, shape=(width, *values.row_shape(sizes))), stride)


def store(values: WideValues, array: Value, update: Value, op: Op, stride: Stride | None) -> Value:
    """`array` with the entries of `update` stored where the iterations store by `op`.

    Without a stride, all of them store in one place: what the last one stores is left.
    """
    sizes, width = slice_sizes(op), values.axis.width
    if values.mask is not None:
        return store_one_by_one(values, array, update, op)
    if stride is None:
        last = reshape(entry(update, values.axis.in_order[-1], sizes), shape=sizes)
        return dynamic_update_slice(array, last, *map(values.in_first, start_indices(op)))
    update = _in_memory_order(values, update, stride)
    if not _is_leading(stride.axis, sizes):
        # The transpose of `load`, undone.
        others = (n for axis, n in enumerate(sizes) if axis != stride.axis)
        axes = (*range(1, stride.axis + 1), 0, *range(stride.axis + 1, len(sizes)))
        update = transpose(reshape(update, shape=(width, *others)), permutation=axes)
    update = reshape(update, shape=_widened_sizes(width, stride, sizes))
    return dynamic_update_slice(array, update, *_widened_starts(values, op, stride))


def gather(values: WideValues, op: Op) -> Value:
    """One load for each iteration, as each computes its own index."""
    starts = [values.widened(x) for x in start_indices(op)]
    row = values.row_shape(slice_sizes(op))

    def loaded(i: int) -> Value:
        start = [entry(x, i, ()) for x in starts]
        return reshape(dynamic_slice(op.operands[0], *start, **op.params), shape=(1, *row))

    return concatenate(*map(loaded, range(values.axis.width)), axis=0)


def _widened_starts(values: WideValues, op: Op, stride: Stride) -> list[Value]:
    """The start indices of the slice that covers the accesses of all iterations."""
    starts = [values.in_first(x) for x in start_indices(op)]
    if stride.step != values.axis.direction:
        starts[stride.axis] = sub(starts[stride.axis], values.last())
    return starts


def _widened_sizes(width: int, stride: Stride, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(width if axis == stride.axis else n for axis, n in enumerate(sizes))


def _is_leading(axis: int, sizes: Sequence[int]) -> bool:
    """Are consecutive slices along `axis` consecutive in memory, so that no transpose is needed?

    XLA copies the whole array into another layout even for a transpose that changes nothing.
    """
    return all(n == 1 for n in sizes[:axis])


def _in_memory_order(values: WideValues, x: Value, stride: Stride) -> Value:
    """Entries from the order of wide values to the order of this access, or back."""
    return x if stride.step == values.axis.direction else flip(x, axes=(0,))
