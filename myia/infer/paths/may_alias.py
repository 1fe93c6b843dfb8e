"""May-alias edges after a merge: which objects a write to an object invalidates.

*What it computes*: a name that holds one object on the left and another on the right holds a new
object after the merge, which may be either. So the new object and the two old ones are connected.

*What it guarantees*: two ids that may be one Python object are connected, in the heap after the
merge. A write to one invalidates the other, and an invalidated object cannot be read.

*When it gives up*: never; it is conservative. Names with points-to sets (`points_to.py`) need no
edges: they read and write the objects themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from myia.infer.domain.heap import Heap, SelectedArray
from myia.infer.paths.merge_state import MergeState

# (is on the left, id there) -> the merged objects that may be this object.
MergedObjects = dict[tuple[bool, int], set[int]]


def add_alias_edges(merge: MergeState, heap: Heap) -> None:
    """Add the may-alias edges of both sides and of the merged objects to `heap`."""
    # In a refit the ids on the right are of another visit.
    sides = (merge.left, merge.right) if not merge.is_refit else (merge.left,)
    for side in sides:
        for id, others in side.alias_edges.items():
            heap.alias_edges[id] = heap.alias_edges.get(id, frozenset()) | others
    # A copy of the edges: if those added below were inherited, too, the result would depend on the
    # order of the objects.
    merged_objects, inherited = _merged_objects_of(merge), dict(heap.alias_edges)
    for (_, original), merged_ids in merged_objects.items():
        _connect(heap, _aliases(merge, original, merged_ids), original, inherited)
    for base, view in merge.copies:
        for shown in {base}.union(*(h.owners(base) for h in sides if base in h)):
            on_left, on_right = (merged_objects.get((left, shown), ()) for left in (True, False))
            # After the merge the array may also be known under the ids of merged objects: a write
            # through any of them invalidates the copy.
            for one in (shown, *on_left, *on_right):
                heap.add_alias_edge(one, view)
                heap.inherit_alias_edges(one, view)


def _merged_objects_of(merge: MergeState) -> MergedObjects:
    """The merged objects that may be each object of the left and of the right.

    Two merged objects may be one if they come from the same object on some side. If they come from
    different objects on both sides (as after `a, b = b, a`) they cannot.
    """
    merged_objects: MergedObjects = {}
    for (a, b), merged_id in merge.merged_ids.items():
        if (a, b) not in merge.points_to_pairs:
            merged_objects.setdefault((True, a), set()).add(merged_id)
            merged_objects.setdefault((False, b), set()).add(merged_id)
    for private, new_arrays in merge.iteration_arrays.items():
        for id in new_arrays if not merge.is_refit else ():
            merged_objects.setdefault((False, id), set()).add(private)
    for id, merged_id in merge.possible_aliases:
        merged_objects.setdefault((True, id), set()).add(merged_id)
    return merged_objects


def _aliases(merge: MergeState, original: int, merged_ids: set[int]) -> list[int]:
    """The objects that may be one: the merged ones, and the original if it still has names."""
    # A header object only stands for the object of the last iteration; other objects live on.
    live = original in merge.before and original not in merge.header_objects
    live &= not isinstance(merge.merged.get(original), SelectedArray)
    return sorted(merged_ids | ({original} if live else set()))


def _connect(
    heap: Heap, aliases: list[int], original: int, inherited: Mapping[int, frozenset[int]]
) -> None:
    for i, one in enumerate(aliases):
        for other in aliases[:i]:
            heap.add_mutual_alias(one, other)
        # A merged object may be `original`, so it takes over the edges from it and to it.
        for other in inherited.get(original, ()):
            if other != one:
                heap.add_alias_edge(one, other)
        for other, others in inherited.items():
            if original in others and other != one:
                heap.add_alias_edge(other, one)
