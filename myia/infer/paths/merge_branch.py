"""The merge of the two branches of an `if`, and of one branch with one that raises (`merge.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.infer.domain.heap import Heap, ViewObject
from myia.infer.domain.values import Abstract
from myia.infer.paths import points_to
from myia.infer.paths.merge import Walk, merge_states
from myia.infer.paths.merge_result import Join, Merge, MergeResult, Merging, PointsToResult
from myia.ir.core import Op, Value


@dataclass(frozen=True)
class BranchJoin(Join):
    """How branches are merged: exactly, as nothing is inferred again.

    `survivor`: where only one path goes on, the values that it defines. Only these are replaced.
    """

    survivor: frozenset[Value] | None = None

    def replaces(self, value: Value) -> bool:
        return self.survivor is None or value in self.survivor

    def keeps_view(self, view: ViewObject, tracks_points_to: bool) -> bool:
        return tracks_points_to or (self.survivor is not None and not view.children())

    def points_to(self, merging: Merging, a: int, b: int, id: int) -> PointsToResult:
        return points_to.of_branches(merging, a, b, id)


def merge_branches(
    before: Heap, left: tuple[Abstract, Heap], right: tuple[Abstract, Heap], tracks_points_to: bool
) -> MergeResult:
    """The merge of two states, each a value and a heap; raises Mismatch."""
    merge = Merge(before, left[1], right[1], BranchJoin(), tracks_points_to)
    return merge_states(merge, [left[0]], [right[0]])


@dataclass(frozen=True)
class Survivor:
    """The path that goes on, where the other one raises: its value and heap, and its ops."""

    value: Abstract
    heap: Heap
    on_left: bool
    ops: Sequence[Op]


def merge_survivor(
    before: Heap, survivor: Survivor, other: Heap, error_id: int, tracks_points_to: bool
) -> MergeResult:
    """The state of the survivor, with a placeholder for each value that its ops define.

    Objects from before are as it has left them. Of the path that raises, which ends in the heap
    `other`, the error code alone is merged: the object `error_id`.
    """
    heap, left = survivor.heap, survivor.on_left
    join = BranchJoin(frozenset(r for op in survivor.ops for r in op.results))
    sides = (heap, other) if left else (other, heap)
    walk = Walk(Merge(before, *sides, join, tracks_points_to))
    walk.merge_object(error_id)
    template = walk.one_sided(survivor.value, left)
    for id, contents in list(heap.objects.items()):
        if id in before and contents is not before[id] and id not in walk.objects:
            walk.objects[id] = walk.one_sided_contents(id, left)
    return walk.result((), (template,))
