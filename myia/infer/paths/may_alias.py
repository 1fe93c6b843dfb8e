"""May-alias edges after a merge: which objects a write to an object invalidates.

*What it computes*: a name that holds one object on the left and another on the right holds a new
object after the merge, which may be either. So the new object and the two old ones are connected.

*What it guarantees*: two ids that may be one Python object are connected, in the heap after the
merge. A write to one invalidates the other, and an invalidated object cannot be read.

*When it gives up*: never; it is conservative. Names with points-to sets (`points_to.py`) need no
edges: they read and write the objects themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from myia.infer.domain.heap import Contents, Heap, SelectedArray
from myia.infer.paths.merge_result import Alias, Merge

AliasEdges = Mapping[int, frozenset[int]]


def alias_edges(
    merge: Merge,
    objects: Mapping[int, Contents],
    aliases: Iterable[Alias],
    copies: Iterable[tuple[int, int]],
) -> AliasEdges:
    """The edges of both sides, and those of the merged `objects`.

    `aliases`: which merged objects may be an object of one side. Two merged objects may be one if
    they come from the same object on some side. If they come from different objects on both sides
    (as after `a, b = b, a`) they cannot. `copies`: (object, a copy of its elements).
    """
    heap = Heap()
    for side in merge.sides:
        for id, others in side.alias_edges.items():
            heap.alias_edges[id] = heap.alias_edges.get(id, frozenset()) | others
    # A copy of the edges: if those added below were inherited, too, the result would depend on the
    # order of the objects.
    inherited = dict(heap.alias_edges)
    merged: dict[tuple[bool, int], set[int]] = {}
    for alias in aliases:
        merged.setdefault((alias.on_left, alias.id), set()).add(alias.merged)
    for (_, original), ids in merged.items():
        # A header object only stands for the object of the last iteration; other objects live on.
        lives = original in merge.before and original not in merge.join.header_objects
        if lives and not isinstance(objects.get(original), SelectedArray):
            ids = ids | {original}
        _connect(heap, sorted(ids), original, inherited)
    for base, view in copies:
        for shown in {base}.union(*(h.owners(base) for h in merge.sides if base in h)):
            on_left, on_right = (merged.get((left, shown), ()) for left in (True, False))
            # After the merge the array may also be known under the ids of merged objects: a write
            # through any of them invalidates the copy.
            for one in (shown, *on_left, *on_right):
                heap.add_alias_edge(one, view)
                heap.inherit_alias_edges(one, view)
    return heap.alias_edges


def adds_edges(heap: Heap, edges: AliasEdges) -> bool:
    """Whether there are edges between objects of the heap that it does not have."""
    # A write that was inferred earlier in a loop may invalidate an object by such an edge.
    return any(
        other in heap and other not in heap.alias_edges.get(id, ())
        for id, others in edges.items()
        if id in heap
        for other in others
    )


def _connect(heap: Heap, aliases: list[int], original: int, inherited: AliasEdges) -> None:
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
