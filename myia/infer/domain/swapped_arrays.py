"""Swapped arrays: names that permute their arrays, as `a, b = b, a` in a loop or a branch.

    for t in range(T):                  after the loop `old` is the array that the caller passed
        new[1:-1] = f(old)              as the first or the second argument, by the parity of T
        old, new = new, old

*What it computes*: for each array from before, the merged names that may now hold it, and the
run-time index of the one that does. Merged names have ids of their own (`Merge.merge_refs`). So the
value of a name is a carry of the loop, and the array from before is `names[index]`.

*What it guarantees*: nothing is copied, and a write through a name invalidates nothing.

*When it gives up*: a name holds an array of another type on the other side, two names hold one
array, or a name also takes an array from outside the group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.heap import ArrayObject, Heap, PointsTo, SelectedArray
from myia.infer.domain.values import Scalar
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

Heaps = tuple[Heap, Heap]  # at the ends of both paths
Ids = Mapping[tuple[int, int], int]  # of two objects under one name -> of the merged object


def swapped_names(heaps: Heaps, ids: Ids, id: int) -> tuple[int, ...]:
    """The merged names that may hold the array `id` from before; empty: it is not swapped."""
    found: set[int] = set()
    for side, heap in enumerate(heaps):
        if not (arrays := _arrays(heap, id)):
            return ()
        name_of = _name_of_each(heaps, ids, side)
        # An array without a name, or with two, is in no carry or in several: the index could not
        # tell where its elements are.
        if any(p not in name_of and not _keeps_its_names(heaps, ids, p) for p in arrays):
            return ()
        found |= {name_of.get(array, array) for array in arrays}
    return tuple(sorted(found))


def permuted_arrays(heaps: Heaps, ids: Ids, candidates: Iterable[int]) -> set[int]:
    """The swapped arrays whose names only hold arrays of this set.

    A greatest fixed point: start from all swapped arrays, and drop those with a name that also
    holds an array outside the set, until none is left to drop.
    """
    found = {id: names for id in candidates if (names := swapped_names(heaps, ids, id))}
    pairs = {merged_id: pair for pair, merged_id in ids.items()}
    while True:
        arrays = [{p for id in found for p in _arrays(heap, id)} for heap in heaps]
        # Names that hold an array outside the set, at the start or at the end.
        foreign = {
            name
            for name, pair in pairs.items()
            if any(id not in known for id, known in zip(pair, arrays))
        }
        incomplete = [id for id, names in found.items() if not foreign.isdisjoint(names)]
        if not incomplete:
            return set(found)
        for id in incomplete:
            del found[id]


def _keeps_its_names(heaps: Heaps, ids: Ids, id: int) -> bool:
    """Whether the same names hold the array on both sides."""
    rebound = any(a != b and id in (a, b) for a, b in ids)
    return not rebound and all(id in heap and isinstance(heap[id], ArrayObject) for heap in heaps)


def _name_of_each(heaps: Heaps, ids: Ids, side: int) -> dict[int, int]:
    """The merged name of each array of one side: of arrays with one name, of one type."""
    names: dict[int, list[int]] = {}
    for pair, merged_id in ids.items():
        names.setdefault(pair[side], []).append(merged_id)
    alike = {merged_id for pair, merged_id in ids.items() if _are_swappable(heaps, pair)}
    return {id: found[0] for id, found in names.items() if len(found) == 1 and found[0] in alike}


def _are_swappable(heaps: Heaps, pair: tuple[int, int]) -> bool:
    """Whether one carry can hold both arrays."""
    contents = [heap[id] for heap, id in zip(heaps, pair)]
    arrays = [x for x in contents if isinstance(x, ArrayObject) and not (x.bases or x.readonly)]
    return len(arrays) == 2 and arrays[0].value.aval == arrays[1].value.aval


def _arrays(heap: Heap, id: int) -> tuple[int, ...]:
    """The arrays that `id` may be."""
    contents = heap[id]
    if isinstance(contents, PointsTo):
        return ()
    if isinstance(contents, SelectedArray):
        return tuple(array for name in contents.options for array in _arrays(heap, name))
    return (id,) if isinstance(contents, ArrayObject) else ()


def name_index(heap: Heap, id: int, names: tuple[int, ...], name_of: Mapping[int, int]) -> Value:
    """Which of the names holds the array `id` of this heap; `name_of`: the name of each array."""
    contents = heap[id]
    if not isinstance(contents, SelectedArray):
        return constant(names.index(name_of.get(id, id)), I64.dtype)
    indices = [name_index(heap, array, names, name_of) for array in contents.options]
    return selected_value(contents.index, indices)


def value_after_store(contents: SelectedArray, name: int, value: Value, old: Value) -> Value:
    """The value of a name when `value` is stored into the array."""
    return _select(contents.index, contents.options.index(name), value, old)


def selected_value(index: Scalar, values: list[Value]) -> Value:
    """The value of a selected array, given the values of its options."""
    result = values[0]
    for i, value in enumerate(values[1:], 1):
        result = _select(index, i, value, result)
    return result


def _select(index: Scalar, i: int, value: Value, other: Value) -> Value:
    chosen = logic.eq(index.value, constant(i, I64.dtype))
    return logic.select(broadcast_to(chosen, value.shape), value, other)
