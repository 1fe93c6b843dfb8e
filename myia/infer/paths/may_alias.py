"""May-alias edges after a merge: which objects a write to an object invalidates.

*What it computes*: a name that holds one object on the left and another on the right holds a new
object after the merge, which may be either. So the new object and the two old ones are connected.

*What it guarantees*: two ids that may be one Python object are connected, in the heap after the
merge. A write to one invalidates the other, and an invalidated object cannot be read.

*When it gives up*: never; it is conservative. Names with points-to sets (`points_to.py`) need no
edges: they read and write the objects themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from myia.infer.domain.heap import Contents, Heap, SelectedArray
from myia.infer.paths.merge_result import Alias, Merge

AliasEdges = Mapping[int, frozenset[int]]


def alias_edges(
    merge: Merge,
    objects: Mapping[int, Contents],
    aliases: Iterable[Alias],
    copies: Iterable[tuple[int, int]],
    items: Iterable[tuple[bool, int, int]] = (),
) -> AliasEdges:
    """The edges of both sides, and those of the merged `objects`.

    `aliases`: which merged objects may be an object of one side. Two merged objects may be one if
    they come from the same object on some side. If they come from different objects on both sides
    (as after `a, b = b, a`) they cannot. `copies`: (object, a copy of its elements). `items`:
    (whether on the left, object, list that has it as an item).
    """
    heap = Heap(alias_edges=dict(merge.left.alias_edges))
    replaced = {True: frozenset[int](), False: _replaced_names(merge)}
    for id, others in merge.right.alias_edges.items():
        known = heap.alias_edges.get(id, frozenset())
        if id not in replaced[False] and known is not others:
            heap.alias_edges[id] = known | (others - replaced[False])
    merged: dict[tuple[bool, int], set[int]] = {}
    origins: dict[tuple[bool, int], set[int]] = {}  # the other way round
    for alias in aliases:
        merged.setdefault((alias.on_left, alias.id), set()).add(alias.merged)
        origins.setdefault((alias.on_left, alias.merged), set()).add(alias.id)
    for (on_left, original), ids in merged.items():
        # A header object only stands for the object of the last iteration. Other objects live on,
        # a new one where it is an option of a name, or a view of it is.
        lives = original in merge.before or original in objects
        lives &= original not in merge.join.header_objects
        if lives and not isinstance(objects.get(original), SelectedArray):
            ids = ids | {original}
        # Not the edges of the other side, where it is another object, nor those that are added here
        # (the result would depend on the order of the objects).
        side = merge.left if on_left else merge.right
        names = partial(_names_after, merged, replaced[on_left], on_left)
        ones = origins.get((on_left, original), set()) | {original}
        _connect(heap, sorted(ids), *_inherited(side.alias_edges, original, ones, names))
    for base, view in copies:
        for shown in {base}.union(*(h.owners(base) for h in merge.sides if base in h)):
            names_of = (merged.get((left, shown), set()) for left in (True, False))
            # After the merge the array may also be known under the ids of merged objects: a write
            # through any of them invalidates the copy.
            for one in {shown}.union(*names_of):
                heap.add_alias_edge(one, view)
                heap.inherit_alias_edges(one, view)
    for of_left, item, view in items:
        side = merge.left if of_left else merge.right
        for shown in {item, *side.owners(item)}:
            writes = [id for id, others in side.alias_edges.items() if shown in others]
            for id in (shown, *writes):
                for one in {id} | merged.get((of_left, id), set()):
                    heap.add_alias_edge(one, view)
    return heap.alias_edges


def _replaced_names(merge: Merge) -> frozenset[int]:
    """At the end of an iteration a loop name holds another object, which is among the aliases."""
    return frozenset(id for id in merge.join.header_objects if merge.join.is_loop_name(id))


def _names_after(
    merged: Mapping[tuple[bool, int], set[int]], replaced: frozenset[int], on_left: bool, id: int
) -> set[int]:
    """The objects after the merge that the object `id` of one side may be."""
    kept = set() if id in replaced else {id}
    return kept | merged.get((on_left, id), set())


def _inherited(
    edges: AliasEdges, original: int, ones: set[int], names: Callable[[int], set[int]]
) -> tuple[set[int], set[int]]:
    """The objects after the merge to which `original` has an edge, and those with one to it.

    `edges`: those of one side. `ones`: the objects of the side that may be `original` after the
    merge, where it is itself alone.
    """

    def renamed(ids: set[int]) -> set[int]:
        return (ids & {original}).union(*(names(id) for id in ids if id != original))

    reached = {other for one in ones for other in edges.get(one, ())}
    reaching = {id for id, others in edges.items() if not ones.isdisjoint(others)}
    return renamed(reached), renamed(reaching)


def adds_edges(heap: Heap, edges: AliasEdges) -> bool:
    """Whether there are edges between objects of the heap that it does not have."""
    # A write that was inferred earlier in a loop may invalidate an object by such an edge.
    return any(
        other in heap and other not in heap.alias_edges.get(id, ())
        for id, others in edges.items()
        if id in heap
        for other in others
    )


def _connect(heap: Heap, aliases: list[int], reached: set[int], reaching: set[int]) -> None:
    """Connect the names of one object: each takes over the edges from it and to it."""
    for i, one in enumerate(aliases):
        for other in aliases[:i]:
            heap.add_mutual_alias(one, other)
        for other in reached - {one}:
            heap.add_alias_edge(one, other)
        for other in reaching - {one}:
            heap.add_alias_edge(other, one)
