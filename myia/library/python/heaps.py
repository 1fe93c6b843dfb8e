"""What heaps of objects need: a number for each item, and the items in another order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import AnyList, BufferObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, Static, as_ref
from myia.infer.indexing.indexing import getitem
from myia.infer.lists import item_aliases, list_edits, list_slices
from myia.infer.lists.item_templates import unified
from myia.infer.registry import as_is, function
from myia.library.source.python import heaps
from myia.primitives.arrays import shaping


@function(heaps.holds_objects, dynamic=as_is)
def _holds_objects(ctx: Context, heap: Ref) -> Abstract:
    contents = ctx.contents(heap)
    if not isinstance(contents, AnyList):
        return Static(False)
    try:
        template = unified(item_aliases.item_templates_of(contents, ctx.heap))
    except Mismatch:
        return Static(False)
    return Static(template.has_objects)


@function(heaps.positions, dynamic=as_is)
def _positions(ctx: Context, heap: Ref) -> Abstract:
    buffer = list_edits.stack_in_place(ctx, heap, "the order of the items")
    return ctx.array(shaping.iota(shape=(buffer.capacity,), axis=0, dtype=np.dtype(np.int64)))


@function(heaps.reorder, dynamic=as_is)
def _reorder(ctx: Context, heap: Ref, order: Ref) -> Abstract:
    new = taken(ctx, ctx.contents_as(heap, BufferObject), order)
    list_edits.inherit_items(ctx, Ref(item_aliases.owner(ctx.heap, heap.id)), new)
    list_slices.replace_items(ctx, heap, new)
    return NONE


def taken(ctx: Context, items: BufferObject, order: Abstract) -> Ref:
    """A new list of the items with these numbers."""
    found = [ctx.read(as_ref(getitem(ctx, ctx.array(row.value), order))) for row in items.rows]
    return ctx.new(replace(items, rows=tuple(Scalar(row, False) for row in found)))
