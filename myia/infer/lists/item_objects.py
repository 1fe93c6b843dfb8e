"""Objects that are items of a list that has grown: lists, dicts and instances, changed in the list.

    ps.append(P(x, 0))          ps: rows f64[64], i64[64], length n
    p = ps[i]                   p: item i of ps
    p.a = v                     row i of the first is stored
    b[i].append(v)              b: lengths i64[n], rows f64[n, 64]: row i of each is stored

So all names of an item are one object, as in Python, while it is in its place: what moves items
(`pop`, `insert`, a sort) invalidates these names.

*When it gives up*: the object is in the list twice, and is changed.
"""

from __future__ import annotations

from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.heap import BufferObject, Contents, DictObject, InstanceObject, ListObject
from myia.infer.domain.heap_arrays import IN_ROWS, ItemObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Ref, Static, Tuple
from myia.infer.lists.item_aliases import (
    become_item,
    check_valid,
    is_at,
    may_hold,
    parts_of,
    track_copies,
)
from myia.infer.lists.item_leaves import (
    build_item,
    build_object,
    first_leaf,
    flatten_object,
    part_leaves,
    retyped,
    row_at,
    with_part_leaves,
)
from myia.infer.lists.item_templates import (
    ItemTemplate,
    is_shared,
    item_template,
    object_template,
    objects_in,
    part_at,
    unify_templates,
    with_part,
    with_shared,
)
from myia.infer.unsupported import UnsupportedContainer
from myia.ir.avals import I64
from myia.ir.builder import current_builder, current_span
from myia.ir.core import Value

CHANGED = (ListObject, BufferObject, DictObject, InstanceObject)
TWICE = "a change of an object that may be in a list twice"


def part(ctx: Context, item: ItemObject, template: ItemTemplate) -> Abstract:
    """The item, or the part of an item, with this template."""
    if template.is_object:
        return ctx.new(item)
    if template.kind == "tuple":
        parts = [
            part(ctx, replace(item, path=(*item.path, k)), t) for k, t in enumerate(template.items)
        ]
        return Tuple(tuple(parts), template.cls)
    base = _base(ctx, item)
    found = build_item(ctx, template, part_leaves(base, item, _leaves(ctx, base, item)))
    if isinstance(found, Ref):
        ctx.heap.inherit_alias_edges(item.base, found.id)
    return found


def contents_of(ctx: Context, item: ItemObject) -> Contents:
    """What the object holds: objects in it are parts of the item."""
    base = _base(ctx, item)
    item = placed(base, item)
    template = part_at(base.template, item.path)
    if template.kind == "ragged":
        leaves = part_leaves(base, item, _leaves(ctx, base, item))
        return build_object(ctx, template, leaves, build_item)
    parts = tuple(
        part(ctx, replace(item, path=(*item.path, k)), t) for k, t in enumerate(template.items)
    )
    if template.kind == "dict":
        return DictObject(template.static, parts)
    if template.kind == "instance":
        cls, names, frozen = template.static
        return InstanceObject(cls, names, parts, frozen)
    return ListObject(parts)


def write_item(ctx: Context, item: ItemObject, contents: Contents, moves: bool) -> None:
    """Give the object other contents, in its list."""
    base = _base(ctx, item)
    item = placed(base, item)
    if is_shared(base.template, item.path):
        ctx.fail(UnsupportedContainer, what=TWICE, help_text="append a copy of it")
    for x in contents.children():
        check_valid(ctx, x)
    try:
        own = object_template(contents, ctx.heap)
        if own is None:
            raise Mismatch("an item of a list", "an object that cannot be one")
        template = unify_templates(part_at(base.template, item.path), own)
    except Mismatch as m:
        ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **m.help)
    new_parts = [
        (x, at)
        for x, at in parts_of(contents, item, template)
        if not is_at(ctx.heap, x, at) and not is_at(ctx.heap, x, _before(item, at))
    ]
    replaced = _replaced_parts(
        part_at(base.template, item.path), template, item, contents, new_parts
    )
    twice = _in_list_already(ctx, item.base, [x for x, _ in new_parts])
    whole = with_shared(with_part(base.template, item.path, template), twice)
    base = retyped(base, whole, base.capacity)
    leaves = flatten_object(contents, template, ctx.heap)
    new = with_part_leaves(base, item, _leaves(ctx, base, item), leaves)
    ctx.heap.write(item.base, new, current_span())
    # The objects that were appended are copies of what is in the list now, and so are they in other
    # lists that have them.
    edges = ctx.heap.alias_edges.items()
    same = {i for id, others in edges if item.base in others for i in (id, *others)}
    for id in same - {item.base}:
        if id in ctx.heap and isinstance(ctx.heap[id], CHANGED):
            ctx.heap.invalidate(id, current_span())
    for path in replaced if moves else ():
        forget_items(ctx, item.base, path)
    for x, at in new_parts:
        track_copies(ctx.heap, x, item.base)
        if part_at(template, at.path[len(item.path) :]).is_object:
            become_item(ctx, x, at)


def _before(item: ItemObject, at: ItemObject) -> ItemObject:
    """A part of a list whose length was known before: its place by number."""
    n = len(item.path)
    if at.path[n] != IN_ROWS:
        return at
    number = at.indices[len(item.indices)]
    assert isinstance(number, Static)
    path = (*item.path, number.value, *at.path[n + 1 :])
    return ItemObject(at.base, item.indices, path)


def _in_list_already(ctx: Context, base: int, new_parts: list[Ref]) -> list[ItemTemplate]:
    """The templates of those that may be in the list, or are two of the new parts."""
    found, ids = [], [id for x in new_parts for id in objects_in(x, ctx.heap)]
    for x in map(Ref, ids):
        if ids.count(x.id) > 1 or may_hold(ctx.heap, base, x):
            found.append(item_template(x, ctx.heap))
    return found


def _replaced_parts(
    old: ItemTemplate,
    new: ItemTemplate,
    item: ItemObject,
    contents: Contents,
    new_parts: list[tuple[Ref, ItemObject]],
) -> list[tuple[int, ...]]:
    """The parts that are other objects than before."""
    n = len(item.path)
    if new.kind != "ragged":
        return list(dict.fromkeys(at.path[: n + 1] for _, at in new_parts))
    if old.kind != "items" or not isinstance(contents, ListObject):
        return [(*item.path, IN_ROWS)]
    is_longer = len(contents.items) >= len(old.items)
    numbers = [at.indices[len(item.indices)] for _, at in new_parts]
    in_place = all(isinstance(i, Static) and i.value >= len(old.items) for i in numbers)
    return [] if is_longer and in_place else [(*item.path, IN_ROWS)]


def forget_items(ctx: Context, base: int, path: tuple[int, ...] = ()) -> None:
    """The items of the list, or parts of them, have moved: their names are out of date."""
    of = ctx.heap[base]
    for id, x in list(ctx.heap.objects.items()):
        if not isinstance(x, ItemObject) or x.base != base:
            continue
        at = placed(of, x) if isinstance(of, BufferObject) else x
        if at.path[: len(path)] == path:
            ctx.heap.invalidate(id, current_span(), has_moved=True)


def lengths_of(ctx: Context, x: Ref) -> Value | None:
    """For a list in a list, the lengths of all of them; another value: one may have changed."""
    item = ctx.heap[x.id]
    if not isinstance(item, ItemObject):
        return None
    base = _base(ctx, item)
    return base.rows[first_leaf(base.template, placed(base, item).path)].value


def _leaves(ctx: Context, base: BufferObject, item: ItemObject) -> list[Value]:
    """The leaves of the whole item: the same values while the list is not changed."""
    first, builder = item.indices[0], current_builder()
    key = item.base, first.value
    known = ctx.item_leaves.get(key)
    if known is None or known[0] is not base or known[1] is not builder:
        index = number_value(first, I64.dtype)
        known = base, builder, [row_at(row.value, index) for row in base.rows]
        ctx.item_leaves[key] = known
    return known[2]


def _base(ctx: Context, item: ItemObject) -> BufferObject:
    return ctx.contents_as(Ref(item.base), BufferObject)


def placed(base: BufferObject, item: ItemObject) -> ItemObject:
    """The item, where lists of known length that it is in have become rows since."""
    indices, path, template = list(item.indices), list(item.path), base.template
    rows = 1
    for n, step in enumerate(item.path):
        if template.kind == "ragged" and step != IN_ROWS:
            indices.insert(rows, Static(step))
            path[n] = IN_ROWS
        rows += path[n] == IN_ROWS
        template = template.items[max(path[n], 0)]
    return replace(item, indices=tuple(indices), path=tuple(path))
