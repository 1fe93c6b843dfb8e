"""The merge of dynamic arrays: after a branch, at the start of an iteration (`merge.py`)."""

from __future__ import annotations

from functools import partial

from myia.infer.domain.dynamic_axes import (
    DynamicAxes,
    DynamicAxis,
    packed,
    pad_masked,
    prefix_axis,
    resized,
)
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    Contents,
    DynamicArray,
    DynamicView,
    Heap,
    ViewObject,
)
from myia.infer.domain.lengths import dynamic_length, static_length
from myia.infer.paths.merge_arrays import require_one_dtype
from myia.infer.paths.merge_state import MergeState
from myia.ir.avals import I64, Aval
from myia.ir.core import Value

Shape = tuple[int, ...]


def merged_dynamic_array(merge: MergeState, a: int, b: int) -> Contents | None:
    """The template of two arrays, at least one of them dynamic; None: they have no common form."""
    left, right = merge.left[a], merge.right[b]
    if merge.is_refit and getattr(right, "value", None) not in merge.refit_placeholders:
        return left
    x, mine = merge.arrays.type_of(merge.left, a)
    y, theirs = merge.arrays.type_of(merge.right, b)
    if x.ndim != y.ndim:
        return None
    if merge.is_loop and not (
        _have_same_form((x, mine), (y, theirs)) or _can_widen(merge, a, x.shape, y.shape)
    ):
        return None
    require_one_dtype(x, y)
    readonly = None
    for side in (left, right):
        if isinstance(side, (DynamicView, ViewObject)):
            merge.copies.append((side.base, merge.merged_ids.get((a, b), a)))
            readonly = VIEW_OF_ONE_PATH
        else:
            readonly = readonly or side.readonly
    of = left.value if isinstance(left, DynamicArray) else None
    if of is not None and left.readonly != readonly:
        merge.widened = True
    axes = tuple(map(partial(_merged_axis, merge), mine, theirs, x.shape, y.shape))
    aval = Aval(x.dtype, tuple(map(max, x.shape, y.shape)))
    return DynamicArray(merge.placeholder(aval, of), axes, readonly)


def _have_same_form(x: tuple[Aval, DynamicAxes], y: tuple[Aval, DynamicAxes]) -> bool:
    """The arrays have the same bounds, and the same axes are dynamic.

    Arrays that differ in this have known sizes if the loop is unrolled.
    """
    return x[0].shape == y[0].shape and [e is None for e in x[1]] == [e is None for e in y[1]]


def _can_widen(merge: MergeState, a: int, shape: Shape, other: Shape) -> bool:
    """A loop that cannot be unrolled: the array from before it gets the bounds of the iteration's.

    This is done once: an array that grows in every iteration has no bound.
    """
    grows = any(m > n for n, m in zip(shape, other))
    return not merge.can_unroll and not merge.is_refit and not (a in merge.header_objects and grows)


def _merged_axis(
    merge: MergeState, a: DynamicAxis | None, b: DynamicAxis | None, n: int, m: int
) -> DynamicAxis | None:
    """The axis on both sides if it is the same, else a prefix whose length is a placeholder."""
    if a is None and b is None and n == m:
        return None
    if a is not None and b is not None and n == m:
        fixed = a.values() == b.values() and merge.entry_placeholders.isdisjoint(a.values())
        if fixed and a.layout_key == b.layout_key:
            return a
    of = a.length.number if a is not None and a.is_prefix and not a.length.is_static else None
    return prefix_axis(dynamic_length(merge.placeholder(I64, of), max(n, m)), max(n, m))


def one_sided_array(merge: MergeState, heap: Heap, id: int) -> Contents:
    """The template of an array that only one path has."""
    aval, axes = merge.arrays.type_of(heap, id)
    made = tuple(
        e and prefix_axis(dynamic_length(merge.placeholder(I64), e.bound), e.bound) for e in axes
    )
    contents = heap[id]
    if isinstance(contents, DynamicView):
        merge.copies.append((contents.base, id))
        return DynamicArray(merge.placeholder(aval), made, VIEW_OF_ONE_PATH)
    return DynamicArray(merge.placeholder(aval), made, contents.readonly)


def coerced_array(
    x: PaddedValue, target: DynamicArray, placeholders: frozenset[Value]
) -> dict[Value, Value]:
    """The values of `x` for the placeholders of `target`."""
    value, values, axes = x.value, {}, list(target.dynamic_axes)
    for axis, (mine, wanted) in enumerate(zip(x.dynamic_axes, target.dynamic_axes)):
        if wanted is None:
            continue
        length = static_length(value.shape[axis])
        if mine is not None:
            length = mine.length
            value = packed(value, axis, mine)[0] if wanted.is_prefix else value
        if wanted.length.number in placeholders:
            values[wanted.length.number] = length.value
        value = resized(value, axis, wanted.bound)
        if wanted.is_prefix:
            axes[axis] = prefix_axis(length, wanted.bound)
    if target.value in placeholders:
        values[target.value] = pad_masked(value, tuple(axes))
    return values
