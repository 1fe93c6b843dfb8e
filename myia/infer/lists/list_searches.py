"""Searches in lists: which rows of a buffer equal a value, all at once.

    v in xs             any of these rows
    xs.count(v)         how many
    xs.index(v)         the first one; ValueError without any

*When it gives up* (None): the list is short, or not of numbers or tuples of numbers. Then
the items are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from myia.infer.domain.checks import Check
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, is_weak, number_dtype
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.lengths import length_of
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.infer.lists import growing_lists
from myia.infer.lists.item_templates import ItemTemplate, item_template, unified
from myia.infer.lists.list_edits import MAX_SINGLE_ITEMS
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

I64 = np.dtype(np.int64)
MAX_EXACT = 2**53  # up to here all integers are floats
Equal = Callable[[Abstract, Abstract], Abstract]  # Python's `==`, of numbers and arrays


def contains(ctx: Context, x: Ref, item: Abstract, equal: Equal) -> Abstract | None:
    """`item in x`"""
    rows = _equal_rows(ctx, x, item, equal)
    return None if rows is None else Scalar(reductions.reduce_or(rows, axes=(0,)), True)


def count(ctx: Context, x: Ref, item: Abstract, equal: Equal) -> Abstract | None:
    """`x.count(item)`"""
    rows = _equal_rows(ctx, x, item, equal)
    if rows is None:
        return None
    found = shaping.reduce_sum(logic.convert(rows, dtype=I64), axes=(0,))
    return Scalar(found, True, 0, rows.shape[0])


def index(ctx: Context, x: Ref, item: Abstract, equal: Equal, missing: Check) -> Scalar | None:
    """`x.index(item)`; `missing`: the ValueError."""
    rows = _equal_rows(ctx, x, item, equal)
    if rows is None:
        return None
    absent = logic.not_(reductions.reduce_or(rows, axes=(0,)))
    ctx.add_check(absent, missing)
    n = rows.shape[0]
    number = shaping.iota(shape=(n,), axis=0, dtype=I64)
    past_end = shaping.broadcast(constant(n - 1, I64), shape=(n,), dims=())
    first = reductions.reduce_min(logic.select(rows, number, past_end), axes=(0,))
    return Scalar(first, True, 0, n - 1)


def _equal_rows(ctx: Context, x: Ref, item: Abstract, equal: Equal) -> Value | None:
    """Which rows of the list equal `item`."""
    contents = ctx.contents(x)
    if isinstance(contents, ListObject):
        items = contents.items
        known = isinstance(item, Static) and all(isinstance(i, Static) for i in items)
        if known or len(items) <= MAX_SINGLE_ITEMS or not all(map(is_number, items)):
            return None
        template = unified([item_template(i, ctx.heap) for i in items])
        contents = growing_lists.to_buffer(contents, template, len(items), ctx.heap)
    if not isinstance(contents, BufferObject) or any(r.value.aval.ndim > 1 for r in contents.rows):
        return None
    if not contents.capacity:
        return None
    found = _equal_leaves(ctx, contents.template, [r.value for r in contents.rows], item, equal)
    n = length_of(growing_lists.list_length(contents))
    if found is None or n.number == contents.capacity:
        return found
    number = shaping.iota(shape=found.shape, axis=0, dtype=I64)
    return logic.and_(
        found, logic.lt(number, shaping.broadcast(n.value, shape=found.shape, dims=()))
    )


def _equal_leaves(
    ctx: Context, template: ItemTemplate, leaves: list[Value], item: Abstract, equal: Equal
) -> Value | None:
    """Which rows equal the item; `leaves`: columns, taken from the front of the list."""
    if template.kind == "number" and is_number(item) and _compares_alike(template, item):
        found = equal(ctx.array(leaves.pop(0)), item)
        return ctx.read(found) if isinstance(found, Ref) else None
    parts = template.items
    if template.kind != "tuple" or not isinstance(item, Tuple) or len(item.items) != len(parts):
        return None
    masks = [_equal_leaves(ctx, t, leaves, i, equal) for t, i in zip(parts, item.items)]
    known = [mask for mask in masks if mask is not None]
    return reduce(logic.and_, known) if known and len(known) == len(masks) else None


def _compares_alike(template: ItemTemplate, item: Abstract) -> bool:
    """Whether an array of these numbers compares with the item as each of them does."""
    assert template.aval is not None
    of_one_dtype = template.aval.dtype == number_dtype(item)
    if isinstance(item, Static) and type(item.value) is int:
        alike = of_one_dtype or (template.weak and is_weak(item))
        return alike and abs(item.value) <= MAX_EXACT
    return of_one_dtype
