"""Joins of arrays of run-time size (`infer/paths/merge.py`): after a branch, at the start of a
trip.
"""

from __future__ import annotations

from functools import partial

from myia.infer.domain.dtypes import convert, promote
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
from myia.ir.avals import I64, Aval
from myia.ir.core import Value

Shape = tuple[int, ...]


def merged_dynamic_array(join, a: int, b: int, named: bool) -> Contents | None:
    """What stands for either of two arrays, one at least of run-time size; None: nothing does."""
    left, right = join.left[a], join.right[b]
    if join.hinted is not None and getattr(right, "value", None) not in join.hinted:
        return left
    x, mine = join.read_array.type_of(join.left, a)
    y, theirs = join.read_array.type_of(join.right, b)
    if x.ndim != y.ndim:
        return None
    if join.loop and not (_alike((x, mine), (y, theirs)) or _can_widen(join, a, x.shape, y.shape)):
        return None
    dtype = promote((x.dtype, False), (y.dtype, False))[0] if named else x.dtype
    readonly = None
    for side in (left, right):
        if isinstance(side, (DynamicView, ViewObject)):
            join.view_bases.append((side.base, join.pairs.get((a, b), a)))
            readonly = VIEW_OF_ONE_PATH
        else:
            readonly = readonly or side.readonly
    of = left.value if isinstance(left, DynamicArray) else None
    if of is not None and left.readonly != readonly:
        join.widened = True
    extents = tuple(map(partial(_extent, join), mine, theirs, x.shape, y.shape))
    aval = Aval(dtype, tuple(map(max, x.shape, y.shape)))
    return DynamicArray(join.slot(aval, of), extents, readonly)


def _alike(x: tuple[Aval, DynamicAxes], y: tuple[Aval, DynamicAxes]) -> bool:
    """Of one bound, and of run-time size along the same axes.

    Of anything else the size is known if the loop is unrolled.
    """
    return x[0].shape == y[0].shape and [e is None for e in x[1]] == [e is None for e in y[1]]


def _can_widen(join, a: int, shape: Shape, other: Shape) -> bool:
    """In a loop that cannot be unrolled: what the name was before it, to hold what a trip gives.

    Once: what grows from trip to trip has no bound.
    """
    grows = any(m > n for n, m in zip(shape, other))
    return not join.unrolls and join.hinted is None and not (a in join.headers and grows)


def _extent(
    join, a: DynamicAxis | None, b: DynamicAxis | None, n: int, m: int
) -> DynamicAxis | None:
    """What is there of an axis: on both sides the same, or a prefix of some length."""
    if a is None and b is None and n == m:
        return None
    if a is not None and b is not None and n == m:
        fixed = a.values() == b.values() and join.entry_slots.isdisjoint(a.values())
        if fixed and a.layout_key == b.layout_key:
            return a
    of = a.length.number if a is not None and a.is_prefix and not a.length.is_static else None
    return prefix_axis(dynamic_length(join.slot(I64, of), max(n, m)), max(n, m))


def one_sided_array(join, heap: Heap, id: int) -> Contents:
    """What stands for an array that only one path has."""
    aval, extents = join.read_array.type_of(heap, id)
    made = tuple(
        e and prefix_axis(dynamic_length(join.slot(I64), e.bound), e.bound) for e in extents
    )
    contents = heap[id]
    if isinstance(contents, DynamicView):
        join.view_bases.append((contents.base, id))
        return DynamicArray(join.slot(aval), made, VIEW_OF_ONE_PATH)
    return DynamicArray(join.slot(aval), made, contents.readonly)


def coerced_array(
    x: PaddedValue, target: DynamicArray, slots: frozenset[Value]
) -> dict[Value, Value]:
    """What a path yields for the slots of `target`."""
    value, found, extents = x.value, {}, list(target.dynamic_axes)
    for axis, (mine, wanted) in enumerate(zip(x.dynamic_axes, target.dynamic_axes)):
        if wanted is None:
            continue
        count = static_length(value.shape[axis])
        if mine is not None:
            count = mine.length
            value = packed(value, axis, mine)[0] if wanted.is_prefix else value
        if wanted.length.number in slots:
            found[wanted.length.number] = count.value
        value = resized(value, axis, wanted.bound)
        if wanted.is_prefix:
            extents[axis] = prefix_axis(count, wanted.bound)
    if target.value in slots:
        found[target.value] = convert(pad_masked(value, tuple(extents)), target.value.dtype)
    return found
