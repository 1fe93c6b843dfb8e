"""After a join: which objects may be one, and must know of each other's changes.

A name holds one object on the left and another on the right; what stands for it afterwards may be
either. Names that are told what they stand for (`infer/paths/points_to.py`) need no links: they
read and write the objects themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from myia.infer.domain.heap import Contents, Heap, SelectedArray
from myia.ir.core import Value

Names = dict[tuple[bool, int], set[int]]  # what stands for the object of the left or right side


class MergeState(Protocol):
    """What is read of a join (`infer/paths/merge.py`)."""

    before: Heap
    left: Heap
    right: Heap
    hinted: frozenset[Value] | None
    headers: frozenset[int]
    merged: dict[int, Contents]
    pairs: dict[tuple[int, int], int]
    view_bases: list[tuple[int, int]]
    given: set[tuple[int, int]]
    made: dict[int, list[int]]
    substitutes: list[tuple[int, int]]


def add_alias_edges(join: MergeState, heap: Heap) -> None:
    """Objects that may be one must know of each other."""
    # The objects of a hint are those of another visit.
    sides = (join.left, join.right) if join.hinted is None else (join.left,)
    for side in sides:
        for id, others in side.alias_edges.items():
            heap.alias_edges[id] = heap.alias_edges.get(id, frozenset()) | others
    names, inherited = _names(join), dict(heap.alias_edges)
    for (_, original), joined in names.items():
        _link_together(heap, _together(join, original, joined), original, inherited)
    for base, view in join.view_bases:
        for shown in {base}.union(*(h.owners(base) for h in sides if base in h)):
            for one in (shown, *names.get((True, shown), ()), *names.get((False, shown), ())):
                heap.add_alias_edge(one, view)
                heap.inherit_alias_edges(one, view)


def _names(join: MergeState) -> Names:
    """Objects that stand for the same one on the same side may be one; two that stand for
    different ones on both sides (as after `a, b = b, a`) cannot."""
    names: Names = {}
    for (a, b), joined in join.pairs.items():
        if (a, b) not in join.given:
            names.setdefault((True, a), set()).add(joined)
            names.setdefault((False, b), set()).add(joined)
    for own, made in join.made.items():
        for id in made if join.hinted is None else ():
            names.setdefault((False, id), set()).add(own)
    for id, joined in join.substitutes:
        names.setdefault((True, id), set()).add(joined)
    return names


def _together(join: MergeState, original: int, joined: set[int]) -> list[int]:
    """Those that may be one object: the original too, if it has names of its own."""
    # A header is only a name for the object of the last trip; others live on.
    live = original in join.before and original not in join.headers
    live &= not isinstance(join.merged.get(original), SelectedArray)
    return sorted(joined | ({original} if live else set()))


def _link_together(
    heap: Heap, together: list[int], original: int, inherited: Mapping[int, frozenset[int]]
) -> None:
    for i, one in enumerate(together):
        for other in together[:i]:
            heap.add_mutual_alias(one, other)
        for other in inherited.get(original, ()):
            if other != one:
                heap.add_alias_edge(one, other)
        for other, others in inherited.items():
            if original in others and other != one:
                heap.add_alias_edge(other, one)
