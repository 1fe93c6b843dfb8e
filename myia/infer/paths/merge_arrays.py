"""The merge of two arrays, of known or of dynamic shape (`merge.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from myia.infer.domain.describe import describe
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
    ArrayObject,
    DynamicArray,
    DynamicView,
    Heap,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.heap_arrays import DYNAMIC_ARRAYS, array_aval, type_of_array
from myia.infer.domain.lengths import dynamic_length, static_length
from myia.infer.domain.mismatch import Mismatch, UnboundedGrowth, require_one_dtype
from myia.infer.domain.values import Ref
from myia.infer.lists.growing_lists import AffineSize, ListGrowth
from myia.infer.paths.merge_result import ArrayType, Joined, Merging, Outgrown
from myia.infer.paths.points_to import points_to_of
from myia.ir.avals import I64, Aval
from myia.ir.core import Value


def merged_arrays(
    merging: Merging,
    a: int,
    b: int,
    growth: ListGrowth | None,
    is_shown: Callable[[int], bool],
) -> tuple[Joined | None, ListGrowth | None]:
    """The template of two arrays, and what is then known of their growth in a loop.

    None: they have no common form; raises Mismatch. `is_shown`: as for `_merged_array`.
    """
    for merged in (_merged_resized_array, _merged_growing_array):
        joined, growth = merged(merging, a, b, growth)
        if joined is not None:
            return joined, growth
    if _is_dynamic(merging, a, b) or _has_any_size(merging, a, b):
        return _merged_dynamic_array(merging, a, b), growth
    return _merged_array(merging, a, b, is_shown), growth


def _is_dynamic(merging: Merging, a: int, b: int) -> bool:
    sides = merging.merge.left[a], merging.merge.right[b]
    return any(isinstance(side, DYNAMIC_ARRAYS) for side in sides)


def _has_any_size(merging: Merging, a: int, b: int) -> bool:
    """Arrays of two branches that differ in size, where nothing else helps than a run-time size."""
    merge = merging.merge
    x, y = array_aval(merge.left, a), array_aval(merge.right, b)
    if merge.join.growth is not None or x.ndim != y.ndim or x.shape == y.shape:
        return False
    if not merge.join.takes_any_size:
        raise UnboundedGrowth(f"an array {x}", f"an array {y}")
    return True


def _merged_array(merging: Merging, a: int, b: int, is_shown: Callable[[int], bool]) -> Joined:
    """The template of two arrays; raises Mismatch.

    If one of them is a view, the merged array is a read-only copy of its elements. `is_shown`:
    whether an array that is read through a run-time index has names besides.
    """
    left, right = merging.merge.left[a], merging.merge.right[b]
    x, y = array_aval(merging.merge.left, a), array_aval(merging.merge.right, b)
    if x.shape != y.shape:
        raise Mismatch(f"an array {x}", f"an array {y}")
    require_one_dtype(x, y)
    sides = (left, right)
    copied = tuple(
        base
        for side in sides
        for base in (side.bases if points_to_of(side) is None else ())
        if isinstance(side, ViewObject) or is_shown(base)
    )
    arrays = [side for side in sides if isinstance(side, ArrayObject)]
    readonly = VIEW_OF_ONE_PATH if copied else None
    readonly = readonly or next((x.readonly for x in arrays if x.readonly), None)
    contiguous = not copied and all(x.contiguous for x in arrays)
    of = left.value if isinstance(left, ArrayObject) else None
    return Joined(ArrayObject(merging.placeholder(x, of), readonly, contiguous), copied)


def _merged_dynamic_array(merging: Merging, a: int, b: int) -> Joined | None:
    """The template of two arrays, at least one of them dynamic; None: they have no common form."""
    merge = merging.merge
    x, mine = type_of_array(merge.left, a)
    y, theirs = type_of_array(merge.right, b)
    if x.ndim != y.ndim:
        return None
    if not merge.join.takes_sizes(a, (x, mine), (y, theirs)):
        return None
    require_one_dtype(x, y)
    shape = tuple(map(max, x.shape, y.shape))
    axes = tuple(map(partial(_merged_axis, merging), mine, theirs, x.shape, y.shape, shape))
    return _joined_array(merging, a, b, x.with_shape(shape), axes)


def _joined_array(merging: Merging, a: int, b: int, aval: Aval, axes: DynamicAxes) -> Joined:
    left = merging.merge.left[a]
    sides = (left, merging.merge.right[b])
    views = (DynamicView, ViewObject, SelectedArray)
    copied = tuple(base for side in sides if isinstance(side, views) for base in side.bases)
    flags = (x.readonly for x in sides if isinstance(x, (ArrayObject, DynamicArray)))
    readonly = VIEW_OF_ONE_PATH if copied else next(filter(None, flags), None)
    of = left.value if isinstance(left, DynamicArray) else None
    return Joined(DynamicArray(merging.placeholder(aval, of), axes, readonly), copied)


def _merged_resized_array(
    merging: Merging, a: int, b: int, growth: ListGrowth | None
) -> tuple[Joined | None, ListGrowth | None]:
    """The template of an array that each iteration makes larger or smaller by the same numbers.

    Its lengths follow from the loop index (`infer/loops/affine_lengths.py`) and are no carries. The
    first round assumes the numbers, the next one proves them. None: it is not such an array.
    """
    merge, id = merging.merge, merging.ids.get((a, b), a)
    if growth is None or growth.index is None or growth.max_iterations is None:
        return None, growth
    x, mine = type_of_array(merge.left, a)
    y, theirs = type_of_array(merge.right, b)
    pairs = zip(zip(x.shape, mine), zip(y.shape, theirs))
    found = [_affine_size(growth.index, *pair) for pair in pairs]
    sizes = tuple(size for size in found if size is not None)
    limits = tuple(start + step * growth.max_iterations for start, step in sizes)
    resized_by_known = x.ndim == y.ndim and len(sizes) == x.ndim and min(limits, default=0) >= 0
    if not resized_by_known or not any(step for _, step in sizes):
        if id in growth.sizes:
            raise Mismatch(f"an array {x}", f"an array {y}")
        return None, growth
    require_one_dtype(x, y)
    shape = tuple(max(start, limit) for (start, _), limit in zip(sizes, limits))
    axes = tuple(
        e or (prefix_axis(static_length(start), bound) if step else None)
        for e, bound, (start, step) in zip(mine, shape, sizes)
    )
    growth = replace(growth, sizes={**growth.sizes, id: sizes})
    return _joined_array(merging, a, b, x.with_shape(shape), axes), growth


def _merged_growing_array(
    merging: Merging, a: int, b: int, growth: ListGrowth | None
) -> tuple[Joined | None, ListGrowth | None]:
    """The template of an array that iterations make larger: with room for what it becomes.

    Each axis that grows has a capacity (`infer/capacities.py`). At the end of an iteration it may
    be too small: `MergeResult.outgrown`.
    """
    merge, id = merging.merge, merging.ids.get((a, b), a)
    x, mine = type_of_array(merge.left, a)
    y, theirs = type_of_array(merge.right, b)
    if growth is None or x.ndim != y.ndim or have_same_sizes((x, mine), (y, theirs)):
        return None, growth
    dynamic = _is_dynamic(merging, a, b)
    if growth.capacities is None:
        if dynamic and merge.join.takes_sizes(a, (x, mine), (y, theirs)):
            return None, growth
        raise UnboundedGrowth(describe(Ref(a), merge.left), describe(Ref(b), merge.right))
    require_one_dtype(x, y)
    shape = list(x.shape)
    for axis, (n, m) in enumerate(zip(x.shape, y.shape)):
        if m > n:
            if (id, axis) not in growth.rooms:
                growth = growth.with_room(id, axis, (n, m), y.nbytes // max(m, 1))
                shape[axis] = growth.room(id, axis)
            merging.outgrown.append(Outgrown(b, axis, shape[axis], growth.rooms[id, axis]))
    axes = tuple(map(partial(_merged_axis, merging), mine, theirs, shape, y.shape, shape))
    return _joined_array(merging, a, b, x.with_shape(tuple(shape)), axes), growth


def _affine_size(
    index: Value, before: tuple[int, DynamicAxis | None], after: tuple[int, DynamicAxis | None]
) -> AffineSize | None:
    """Start and step of an axis, from its size at the start and at the end of an iteration."""
    (n, mine), (m, theirs) = before, after
    if mine is None and theirs is None:
        return n, m - n
    base, step, end = (index, 0, m) if theirs is None else theirs.length.linear_form
    start = (index, step, n) if mine is None else mine.length.linear_form
    return (end - step, step) if base is index and start == (index, step, end - step) else None


def have_same_sizes(x: ArrayType, y: ArrayType) -> bool:
    """The arrays have the same bounds, and the same axes are dynamic.

    Arrays that differ in this have known sizes if the loop is unrolled.
    """
    return x[0].shape == y[0].shape and [e is None for e in x[1]] == [e is None for e in y[1]]


def _merged_axis(
    merging: Merging, a: DynamicAxis | None, b: DynamicAxis | None, n: int, m: int, bound: int
) -> DynamicAxis | None:
    """The axis on both sides if it is the same, else a prefix whose length is a placeholder."""
    if a is None and b is None and n == m:
        return None
    if a is not None and b is not None and n == m == bound:
        fixed = a.values() == b.values() and merging.merge.join.entry_placeholders.isdisjoint(
            a.values()
        )
        if fixed and a.layout_key == b.layout_key:
            return a
    of = a.length.number if a is not None and a.is_prefix else None
    of = of if isinstance(of, Value) else None
    return prefix_axis(dynamic_length(merging.placeholder(I64, of), bound), bound)


def one_sided_array(merging: Merging, heap: Heap, id: int) -> Joined:
    """The template of an array that only one path has."""
    aval, axes = type_of_array(heap, id)
    made = tuple(
        e and prefix_axis(dynamic_length(merging.placeholder(I64), e.bound), e.bound) for e in axes
    )
    contents = heap[id]
    if isinstance(contents, DynamicView):
        return Joined(
            DynamicArray(merging.placeholder(aval), made, VIEW_OF_ONE_PATH), (contents.base,)
        )
    assert isinstance(contents, DynamicArray)
    return Joined(DynamicArray(merging.placeholder(aval), made, contents.readonly))


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
