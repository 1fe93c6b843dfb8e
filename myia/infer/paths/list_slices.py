"""Lists that have grown in a loop, edited as wholes: parts of them, joined, put in their place.

hs[1:]          rows[1:]                    length n - 1
hs + [h]        rows and h, joined          length n + 1
hs.insert(0, h)     hs[:0] + [h] + hs[0:], in place
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, number_value
from myia.infer.domain.errors import BadValue, Unsupported
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Ref, Scalar, Static
from myia.infer.paths import growing_lists
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


def list_operator(ctx: Context, op: str, a: Abstract, b: Abstract) -> Ref | None:
    """`a + b` and `a * b`, where one operand has grown in a loop; None if the types do not fit."""
    if op == "+" and is_list(ctx, a) and is_list(ctx, b):
        return concatenated(ctx, [a, b])
    if op == "*" and is_list(ctx, a) != is_list(ctx, b):
        x, count = (a, b) if is_list(ctx, a) else (b, a)
        return concatenated(ctx, [x] * ctx.int_of(count, "how often a list is repeated"))
    return None


def is_list(ctx: Context, x: Abstract) -> bool:
    """A list of either kind."""
    return isinstance(x, Ref) and isinstance(ctx.contents(x), (ListObject, BufferObject))


def sliced(ctx: Context, x: Ref, which: slice) -> Ref:
    """`x[which]`, a new list."""
    contents = ctx.contents(x)
    if isinstance(contents, ListObject):
        return ctx.new(ListObject(contents.items[which]))
    taken = range(_count(ctx, x))[which]
    if not taken:
        return ctx.new(ListObject(()))
    rows = tuple(Scalar(_rows(row.value, taken), False) for row in contents.rows)
    found = ctx.new(BufferObject(contents.template, rows, Static(len(taken)), 0, len(taken)))
    ctx.heap.inherit_alias_edges(x.id, found.id)
    return found


def _rows(x: Value, taken: range) -> Value:
    """The rows with these numbers."""
    forwards = taken if taken.step > 0 else taken[::-1]
    axes = x.shape[1:]
    found = shaping.slice(
        x,
        start=(forwards[0], *(0 for _ in axes)),
        limit=(forwards[-1] + 1, *axes),
        stride=(forwards.step, *(1 for _ in axes)),
    )
    return found if taken.step > 0 else shaping.flip(found, axes=(0,))


def concatenated(ctx: Context, xs: Sequence[Ref]) -> Ref:
    """`xs[0] + xs[1] + ...`, a new list: stacked if one of them is and the items allow it."""
    xs = [x for x in xs if _count(ctx, x)]
    if any(isinstance(ctx.contents(x), BufferObject) for x in xs):
        try:
            return _stacked(ctx, xs)
        except Mismatch:
            pass
    return ctx.new(ListObject(tuple(item for x in xs for item in ctx.list_items(x))))


def _count(ctx: Context, x: Ref) -> int:
    return ctx.int_of(ctx.length(x), "the length of a list that is joined or taken apart")


def _stacked(ctx: Context, xs: Sequence[Ref]) -> Ref:
    """`concatenated`; raises Mismatch when there are no rows that hold all items."""
    template = growing_lists.common_template([ctx.contents(x) for x in xs], ctx.heap)
    found = [_buffer_rows(ctx, x, template) for x in xs]
    rows = tuple(Scalar(_concatenated(parts), False) for parts in zip(*found))
    count = sum(_count(ctx, x) for x in xs)
    new = ctx.new(BufferObject(template, rows, Static(count), 0, count))
    for x in xs:
        ctx.heap.inherit_alias_edges(x.id, new.id)
        if isinstance(ctx.contents(x), ListObject):
            for item in ctx.contents(x).items:
                growing_lists.track_copies(ctx.heap, item, new.id)
    return new


def _buffer_rows(ctx: Context, x: Ref, template: growing_lists.ItemTemplate) -> list[Value]:
    """The rows that are there, of either kind of list."""
    count, contents = _count(ctx, x), ctx.contents(x)
    capacity = contents.capacity if isinstance(contents, BufferObject) else count
    buffer = growing_lists.to_buffer(contents, template, capacity, ctx.heap)
    return [_rows(row.value, range(count)) for row in buffer.rows]


def _concatenated(rows: list[Value]) -> Value:
    return rows[0] if len(rows) == 1 else shaping.concatenate(*rows, axis=0)


def replace_items(ctx: Context, x: Ref, new: Ref) -> None:
    """The list `x` has the items of `new` from here on."""
    ctx.write(x, ctx.contents(new))
    ctx.heap.inherit_alias_edges(new.id, x.id)


def store_slice(ctx: Context, x: Ref, which: slice, items: Ref) -> None:
    """`x[which] = items` (without a step), and with no items `del x[which]`."""
    start, stop, step = which.indices(_count(ctx, x))
    if step != 1:
        ctx.fail(Unsupported, what="a store into every other item of a list built in a loop")
    ends = (sliced(ctx, x, slice(0, start)), items, sliced(ctx, x, slice(max(start, stop), None)))
    replace_items(ctx, x, concatenated(ctx, ends))


def delete_items(ctx: Context, x: Ref, which: int | slice) -> None:
    """`del x[which]`"""
    count = _count(ctx, x)
    if isinstance(which, int):
        if not -count <= which < count:
            message = "list assignment index out of range"
            ctx.fail(BadValue, message=message, exception="IndexError")
        which = slice(which % count, which % count + 1)
    store_slice(ctx, x, which, ctx.new(ListObject(())))


def pop_last(ctx: Context, x: Ref) -> Abstract:
    """`x.pop()` of a list whose length may be known at run time only."""
    contents = ctx.contents(x)
    count = growing_lists.list_length(contents)
    position = number_value(count, np.dtype(np.int64)) - constant(1, np.int64)
    least = bounds(count)[0]
    if least is None or least < 1:
        empty = logic.lt(position, constant(0, np.int64))
        ctx.check(empty, IndexError, "pop from empty list")
    item = growing_lists.item_at(ctx, x, position)
    ctx.write(x, replace(contents, offset=contents.offset - 1))
    return item
