"""The merge of the two branches of an `if`, and of one branch with one that raises (`merge.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from myia.infer.domain.heap import ViewObject
from myia.infer.domain.values import Abstract
from myia.infer.paths import points_to
from myia.infer.paths.merge import Walk
from myia.infer.paths.merge_result import Join, Merge, MergeResult, Merging
from myia.ir.core import Value


@dataclass(frozen=True)
class BranchJoin(Join):
    """How branches are merged: exactly, as nothing is inferred again.

    `survivor`: where only one path goes on, the values that it defines. Only these are replaced.
    """

    survivor: frozenset[Value] | None = None
    takes_any_size: bool = False
    takes_objects: bool = False
    takes_arrays: bool = False
    keeps_apart: bool = False

    def replaces(self, value: Value) -> bool:
        return self.survivor is None or value in self.survivor

    def keeps_view(self, view: ViewObject, tracks_points_to: bool) -> bool:
        return tracks_points_to or (self.survivor is not None and not view.children())

    def add_points_to(self, merging: Merging, a: int, b: int, id: int) -> None:
        points_to.add_set_of_branches(merging, a, b, id)


def merge_survivor(merge: Merge, value: Abstract, on_left: bool, error_id: int) -> MergeResult:
    """The state of the path that goes on where the other one raises; `value` is its result.

    Each value that the path defines has a placeholder (`BranchJoin.survivor`). Objects from before
    are as it has left them. Of the path that raises, the error code alone is merged: the object
    `error_id`.
    """
    before, heap = merge.before, merge.left if on_left else merge.right
    walk = Walk(merge)
    walk.merge_object(error_id)
    template = walk.one_sided(value, on_left)
    for id, contents in list(heap.objects.items()):
        if id in before and contents is not before[id] and id not in walk.objects:
            walk.objects[id] = walk.one_sided_contents(id, on_left)
    return walk.result((), (template,))
