"""Lists of objects as the numbers of their members, where names of these must stay exact.

    ps = [P(1.0), P(2.0)]               pool            rows f64[2], one for each object
    ps[i], ps[j] = ps[j], ps[i]         ps              member numbers 1, 0
    qs = sorted(ps, key=f)              qs              member numbers 0, 1, of the same pool
    ps[i].x = v                         pool            row ps[i] is stored

An object is an item of the pool (`item_objects.py`), which never moves: so whatever is done with
the lists, all names alias as they do in Python, also of an object that is in a list twice.

*When it gives up*: the objects have no common template, have lists in them, or are the caller's; an
object that is made later is put into such a list.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import (
    BufferObject,
    DictObject,
    InstanceObject,
    ListObject,
)
from myia.infer.domain.heap_arrays import ItemObject
from myia.infer.domain.values import Ref, Scalar, Static
from myia.infer.lists import growing_lists
from myia.infer.lists.item_aliases import item_templates_of
from myia.infer.lists.item_templates import (
    ItemTemplate,
    objects_in,
    unified,
)
from myia.ir.avals import I64
from myia.primitives.core.define import array_constant

OWN = (ListObject, BufferObject, DictObject, InstanceObject)


def make_members(ctx: Context, x: Ref) -> bool:
    """Make the objects of a list members of a pool, and the list their numbers; else False."""
    heap, contents = ctx.heap, ctx.heap[x.id]
    if not isinstance(contents, ListObject):
        return False
    ids = list(dict.fromkeys(i.id if isinstance(i, Ref) else -1 for i in contents.items))
    if min(ids, default=-1) < 0 or not all(isinstance(heap[id], OWN) for id in ids):
        return False
    members = ListObject(tuple(map(Ref, ids)))
    template = replace(unified(item_templates_of(members, heap)), is_pool=True)
    if _has_lists(template):
        return False
    base = heap.new(growing_lists.to_buffer(members, template, len(ids), heap))
    for k, id in enumerate(ids):
        for part in objects_in(Ref(id), heap):
            if part != id:
                heap.add_copy(part, base)
        heap.inherit_alias_edges(id, base)
        for other in heap.alias_edges.get(id, ()):
            heap.add_alias_edge(base, other)
        heap.objects[id] = ItemObject(base, (Static(k),))
    numbers = [ids.index(i.id) for i in contents.items if isinstance(i, Ref)]
    row = Scalar(array_constant(np.array(numbers, I64.dtype)), False)
    member = ItemTemplate("member", I64, True, static=base)
    count = len(numbers)
    heap.objects[x.id] = BufferObject(member, (row,), Static(count), 0, count)
    return True


def _has_lists(template: ItemTemplate) -> bool:
    """Lists in the objects may grow, and need room (`item_objects.py`)."""
    return template.kind in ("items", "ragged") or any(map(_has_lists, template.items))
