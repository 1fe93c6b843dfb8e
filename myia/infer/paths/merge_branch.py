"""The merge of the two branches of an `if`, and of one branch with one that raises (`merge.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from myia.infer.domain.heap import Heap, InstanceObject, ViewObject
from myia.infer.domain.values import Abstract, Node, Ref
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


def drop_lost_instances(heap: Heap, before: Heap, last_id: int) -> None:
    """Drop instances from the end of a path that has raised, if no handler can know them.

    They are younger than the body that handlers are for, and no object holds them: an `__init__`
    has raised. So they need no attributes that the other path has set.
    """
    young = (id for id in reversed(before.objects) if id > last_id)
    lost = {id for id in young if isinstance(before.objects[id], InstanceObject)}
    if lost:
        lost -= {id for contents in heap.objects.values() for id in _ids_in(contents)}
        for id in lost:
            del heap.objects[id]


def _ids_in(x: Node) -> Iterator[int]:
    if isinstance(x, Ref):
        yield x.id
    for child in x.children():
        yield from _ids_in(child)


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
