"""Names that exchange their arrays: `a, b = b, a` in a loop or a branch.

    for t in range(T):                  after the loop `old` is the array that the caller knows
        new[1:-1] = f(old)              as the first or the second argument, by the parity of T
        old, new = new, old

What the names hold after a join gets ids of its own (`Join.refs`), the *holders*. Where each holder
stands for one array on either side, and each array has one holder, the arrays that were there
before are what the holders hold: array 1 is `holders[index]`, and `index` is what the paths differ
in. So nothing is copied, and no write to a holder can make anything stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.heap import ArrayObject, Heap, PointsTo, SelectedArray
from myia.infer.domain.values import Scalar
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


class MergeState(Protocol):
    """What is read of a join (`infer/paths/merge.py`)."""

    left: Heap
    right: Heap
    merged_ids: dict[tuple[int, int], int]


def swapped_names(merge: MergeState, id: int) -> tuple[int, ...]:
    """The holders that stand for the array `id`, which was there before; none: it stays."""
    found: set[int] = set()
    for side, heap in enumerate((merge.left, merge.right)):
        held = _held(merge, side)
        places = _places(heap, id)
        if not places or any(p not in held and not _stays(merge, p) for p in places):
            return ()
        found |= {held.get(place, place) for place in places}
    return tuple(sorted(found))


def permuted_arrays(merge: MergeState, ids: Iterable[int]) -> set[int]:
    """The arrays that change names among themselves: all that their holders stand for is theirs."""
    found = {id: holders for id in ids if (holders := swapped_names(merge, id))}
    sides = {joined: pair for pair, joined in merge.merged_ids.items()}
    while True:
        heaps = (merge.left, merge.right)
        places = [{p for id in found for p in _places(heap, id)} for heap in heaps]
        beyond = {
            holder
            for holder, pair in sides.items()
            if any(id not in known for id, known in zip(pair, places))
        }
        mixed = [id for id, holders in found.items() if not beyond.isdisjoint(holders)]
        if not mixed:
            return set(found)
        for id in mixed:
            del found[id]


def _stays(merge: MergeState, id: int) -> bool:
    """An array that the same names hold on both sides."""
    moved = any(a != b and id in (a, b) for a, b in merge.merged_ids)
    return not moved and all(
        id in heap and isinstance(heap[id], ArrayObject) for heap in (merge.left, merge.right)
    )


def _held(merge: MergeState, side: int) -> dict[int, int]:
    """The holder of each array of one side, if there is exactly one, of both sides' one type."""
    holders: dict[int, list[int]] = {}
    for pair, joined in merge.merged_ids.items():
        holders.setdefault(pair[side], []).append(joined)
    alike = {joined for pair, joined in merge.merged_ids.items() if _exchangeable(merge, *pair)}
    return {id: found[0] for id, found in holders.items() if len(found) == 1 and found[0] in alike}


def _exchangeable(merge: MergeState, a: int, b: int) -> bool:
    x, y = merge.left[a], merge.right[b]
    arrays = isinstance(x, ArrayObject) and isinstance(y, ArrayObject)
    return (
        arrays
        and not x.bases
        and not y.bases
        and x.value.aval == y.value.aval
        and x.readonly is None
        and y.readonly is None
    )


def _places(heap: Heap, id: int) -> tuple[int, ...]:
    """The arrays that `id` may be."""
    contents = heap[id]
    if isinstance(contents, PointsTo):
        return ()
    if isinstance(contents, SelectedArray):
        return tuple(place for holder in contents.options for place in _places(heap, holder))
    return (id,) if isinstance(contents, ArrayObject) else ()


def name_index(heap: Heap, id: int, holders: tuple[int, ...], held: Mapping[int, int]) -> Value:
    """Which of the holders the array `id` of this heap is; `held`: the holder of each array."""
    contents = heap[id]
    if not isinstance(contents, SelectedArray):
        return constant(holders.index(held.get(id, id)), I64.dtype)
    first, *rest = (name_index(heap, place, holders, held) for place in contents.options)
    return _chosen(contents.index, [first, *rest])


def selected_value(contents: SelectedArray, values: list[Value]) -> Value:
    """The array, given those of its holders."""
    return _chosen(contents.index, values)


def value_after_store(contents: SelectedArray, holder: int, value: Value, old: Value) -> Value:
    """What a holder becomes when `value` is stored into the array."""
    return _select(contents.index, contents.options.index(holder), value, old)


def _chosen(index: Scalar, values: list[Value]) -> Value:
    result = values[0]
    for i, value in enumerate(values[1:], 1):
        result = _select(index, i, value, result)
    return result


def _select(index: Scalar, i: int, value: Value, other: Value) -> Value:
    chosen = logic.eq(index.value, constant(i, I64.dtype))
    return logic.select(broadcast_to(chosen, value.shape), value, other)
