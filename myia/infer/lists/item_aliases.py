"""Which objects may be items of a list, or parts of its items: they change with the list.

    p = P(x); ps.append(p)          p: from now on an item of ps
    q = qs[0]; ps.append(q)         ps holds a copy of q: a change of either invalidates the other
    ps[i].log = log                 the same of a part of an item
    ps[j].log = log                 a list that is in ps twice: no change of such a list is known

*What it guarantees*: a list that is changed through one name is not read through another that does
not show it. An object that may be twice in a list has templates that are `shared`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.heap import (
    AnyList,
    ArrayObject,
    BufferObject,
    Contents,
    Heap,
    Invalidated,
    ListObject,
)
from myia.infer.domain.heap_arrays import ARRAYS, IN_ROWS, ITEM_OF_LIST, ItemObject, RowObject
from myia.infer.domain.values import Abstract, Number, Ref, Scalar, Static, Tuple
from myia.infer.lists.item_templates import ItemTemplate, item_template, objects_in, pool_of


def owner(heap: Heap, id: int) -> int:
    """The list that the object is an item of; else the object."""
    contents = heap[id]
    return contents.base if isinstance(contents, ItemObject) else id


def check_valid(ctx: Context, item: Abstract) -> None:
    for id in objects_in(item, ctx.heap):
        ctx.check_valid(Ref(id))


def track_copies(heap: Heap, item: Abstract, id: int) -> None:
    """The buffer `id` holds a copy of the item: a later write to the item invalidates it."""
    for origin in objects_in(item, heap):
        contents = heap[origin]
        if isinstance(contents, ArrayObject) and contents.readonly == ITEM_OF_LIST:
            heap.inherit_alias_edges(origin, owner(heap, id))
        # Of rows and of members of a pool the number is kept, not what they hold.
        elif not isinstance(contents, RowObject) and pool_of(heap, origin) is None:
            heap.add_copy(origin, owner(heap, id))


def may_hold(heap: Heap, id: int, item: Abstract) -> bool:
    """Whether an object of the item may be one of the list already."""
    return any(_may_be_in(heap, id, origin) for origin in objects_in(item, heap))


def _may_be_in(heap: Heap, id: int, origin: int) -> bool:
    if _is_unchanged(heap, origin):
        return False
    names = {origin, *heap.owners(origin)}
    return id in names or any(id in heap.alias_edges.get(name, ()) for name in names)


def _is_unchanged(heap: Heap, id: int) -> bool:
    """Arrays in a list are not changed there; of rows and members of a pool it has numbers."""
    return isinstance(heap[id], (*ARRAYS, RowObject)) or pool_of(heap, id) is not None


def become_item(ctx: Context, x: Ref, item: ItemObject) -> None:
    """An object made since the loop or branch around began is this item from now on."""
    heap, edges = ctx.heap, ctx.heap.alias_edges
    aliased: object = edges.get(x.id, frozenset()) - {item.base}
    aliased = aliased or any(x.id in others for others in edges.values())
    before = ctx.scopes[-1] if ctx.scopes else None
    is_new = x.id >= 0 and (before is None or x.id not in before)
    if is_new and not aliased and not isinstance(heap[x.id], (ItemObject, Invalidated)):
        heap.objects[x.id] = item
        edges.pop(x.id, None)


def share_items(ctx: Context, x: int, new: int) -> None:
    """The list `new` has items of the list `x`: what makes these out of date makes `new` so."""
    ctx.heap.inherit_alias_edges(x, new)
    contents = ctx.heap[new]
    if isinstance(contents, BufferObject) and contents.template.has_objects:
        ctx.heap.add_copy(x, new)


def link_taken(heap: Heap, id: int, of: int, shared: bool) -> None:
    """An object that was taken from a list may be in others, and if it is `shared` in this one."""
    edges = heap.alias_edges
    sources = {i for i, others in edges.items() if of in others}
    for other in (edges.get(of, frozenset()) | sources) - {id, of}:
        if other in heap and not isinstance(heap[other], ARRAYS):
            heap.add_mutual_alias(id, other)
    if shared:
        heap.add_possible_view(id, of)


# ----- Templates of lists, shared where an object may be in them twice


def item_templates_of(contents: AnyList, heap: Heap) -> list[ItemTemplate]:
    if isinstance(contents, BufferObject):
        return [contents.template]
    found = [item_template(item, heap) for item in contents.items]
    if any(t.has_objects for t in found) and _has_twice(heap, contents):
        return list(map(_shared, found))
    return found


def templates_of_lists(
    heap: Heap, xs: Sequence[Ref], lists: Sequence[AnyList], apart: Collection[int] = ()
) -> list[ItemTemplate]:
    """The templates of `lists`, of the names `xs`; `apart`: those that have no item in common."""
    found = [t for contents in lists for t in item_templates_of(contents, heap)]
    if not any(t.has_objects for t in found):
        return found
    origins = [_origins(heap, x, contents) for x, contents in zip(xs, lists)]
    known = [ids for x, ids in zip(xs, origins) if x.id in apart]
    groups = [ids for x, ids in zip(xs, origins) if x.id not in apart]
    groups += [set().union(*known)]
    count = sum(map(len, groups))
    return list(map(_shared, found)) if len(set().union(*groups)) < count else found


def _shared(template: ItemTemplate) -> ItemTemplate:
    return replace(template, shared=True) if template.has_objects else template


def _origins(heap: Heap, x: Ref, contents: AnyList) -> set[int]:
    """The lists that its objects may be in, and the objects."""
    names = {owner(heap, x.id)}
    if isinstance(contents, ListObject):
        names |= {owner(heap, id) for id in _changeable(heap, contents)}
    return names | {id for id, others in heap.alias_edges.items() if not names.isdisjoint(others)}


def _changeable(heap: Heap, contents: ListObject) -> list[int]:
    ids = [id for item in contents.items for id in objects_in(item, heap)]
    return [id for id in ids if not _is_unchanged(heap, id)]


def _has_twice(heap: Heap, contents: ListObject) -> bool:
    """Whether one object may be two items, or parts of items."""
    ids = _changeable(heap, contents)
    if len(set(ids)) < len(ids):
        return True
    items: dict[int, list[ItemObject]] = {}
    for id in ids:
        if isinstance(item := heap[id], ItemObject):
            items.setdefault(item.base, []).append(item)
    names = set(ids) | set(items)
    if any(not heap.alias_edges.get(id, frozenset()).isdisjoint(names - {id}) for id in names):
        return True
    return any(map(_overlap, items.values()))


def _overlap(items: list[ItemObject]) -> bool:
    """Whether two items of one list may be one, or one a part of the other."""
    known = all(isinstance(i, Static) for item in items for i in item.indices)
    places = [tuple(_steps(item, known)) for item in items]
    inner = {place[:n] for place in places for n in range(1, len(place))}
    return len(set(places)) < len(places) or not inner.isdisjoint(places)


def _steps(item: ItemObject, known: bool) -> Iterator[Any]:
    """The way to a part of an item: numbers of parts and, where all are known, indices."""
    indices = iter(item.indices)
    for step in (IN_ROWS, *item.path):
        index = next(indices) if step == IN_ROWS else None
        yield step, index.value if known and isinstance(index, Static) else None


# ----- Parts of items


def parts_of(
    contents: Contents, item: ItemObject, template: ItemTemplate
) -> Iterator[tuple[Ref, ItemObject]]:
    """The objects in the contents of an item, each with its own place in the list."""
    if isinstance(contents, BufferObject):
        return
    for k, x in enumerate(contents.children()):
        if template.kind == "ragged":
            indices, step = (*item.indices, Static(k)), IN_ROWS
        else:
            indices, step = item.indices, k
        yield from _objects_at(x, ItemObject(item.base, indices, (*item.path, step)))


def _objects_at(x: Abstract, place: ItemObject) -> Iterator[tuple[Ref, ItemObject]]:
    if isinstance(x, Ref):
        yield x, place
    elif isinstance(x, Tuple):
        for k, inner in enumerate(x.items):
            yield from _objects_at(inner, ItemObject(place.base, place.indices, (*place.path, k)))


def is_at(heap: Heap, x: Ref, place: ItemObject) -> bool:
    """Is the object the one that is there already?"""
    found = heap[x.id]
    return (
        isinstance(found, ItemObject)
        and found.key() == place.key()
        and all(map(_is_same, found.indices, place.indices))
    )


def _is_same(a: Number, b: Number) -> bool:
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.value is b.value
    return isinstance(a, Static) and isinstance(b, Static) and a.value == b.value
