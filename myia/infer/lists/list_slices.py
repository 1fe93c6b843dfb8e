"""Slices, concatenation and slice assignment of lists that have grown in a loop.

Such a list is a buffer of rows (`growing_lists.py`). Its length must be known at compile time here.

    hs[1:]              rows[1:]                        length n - 1
    hs + [h]            rows and h, concatenated        length n + 1
    hs.insert(0, h)     hs[:0] + [h] + hs[0:], in place
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, number_value
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import AnyList, BufferObject, Heap, ListObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Number, Ref, Scalar, Static, as_number, is_static_int
from myia.infer.lists import growing_lists, item_aliases, list_edits
from myia.infer.lists.item_templates import ItemTemplate, objects_in, unified
from myia.infer.numeric.constant_methods import python_result
from myia.infer.unsupported import UnsupportedContainer
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

POP_FROM_EMPTY = "pop from empty list"


def list_operator(ctx: Context, op: str, a: Abstract, b: Abstract) -> Ref | None:
    """`a + b` and `a * b`, where one operand has grown in a loop; None if the types do not fit."""
    x, y = as_list(ctx, a), as_list(ctx, b)
    if op == "+" and x is not None and y is not None:
        return concatenated(ctx, [x, y])
    one, times = (x, b) if y is None else (y, a)
    if op == "*" and one is not None and (x is None or y is None):
        if isinstance(times, Scalar) and list_edits.stacks(ctx, few=True):
            return as_list(ctx, ctx.call(Static(repeated), (one, times), {}))
        return concatenated(ctx, [one] * ctx.int_of(times, "how often a list is repeated"))
    return None


def repeated(xs: list, n: int) -> list:
    """`xs * n`, as a program computes it."""
    return [x for _ in range(n) for x in xs]


def as_list(ctx: Context, x: Abstract) -> Ref | None:
    """`x`, if it is a list of either kind."""
    return x if isinstance(x, Ref) and isinstance(ctx.contents(x), AnyList) else None


def sliced(ctx: Context, x: Ref, which: slice) -> Ref:
    """`x[which]`, a new list."""
    contents = ctx.contents(x)
    if isinstance(contents, ListObject):
        return ctx.new(ListObject(python_result(ctx, contents.items.__getitem__, which)))
    assert isinstance(contents, BufferObject)
    indices = python_result(ctx, range(_static_length(ctx, x)).__getitem__, which)
    if not indices:
        return ctx.new(ListObject(()))
    rows = tuple(Scalar(take_rows(row.value, indices), False) for row in contents.rows)
    found = ctx.new(BufferObject(contents.template, rows, Static(len(indices)), 0, len(indices)))
    item_aliases.share_items(ctx, x.id, found.id)
    return found


def take_rows(x: Value, indices: range) -> Value:
    """The rows with these numbers."""
    forwards = indices if indices.step > 0 else indices[::-1]
    axes = x.shape[1:]
    found = shaping.slice(
        x,
        start=(forwards[0], *(0 for _ in axes)),
        limit=(forwards[-1] + 1, *axes),
        stride=(forwards.step, *(1 for _ in axes)),
    )
    return found if indices.step > 0 else shaping.flip(found, axes=(0,))


def concatenated(ctx: Context, xs: Sequence[Ref], apart: Collection[int] = ()) -> Ref:
    """`xs[0] + xs[1] + ...`, a new list: a buffer if one of them is one and all items fit in it.

    `apart`: lists among them that have no item in common.
    """
    if not all(is_static_int(ctx.length(x)) for x in xs):
        return list_edits.joined(ctx, xs, apart)
    xs = [x for x in xs if _static_length(ctx, x)]
    if any(isinstance(ctx.contents(x), BufferObject) for x in xs):
        try:
            return _concatenated_rows(ctx, xs, apart)
        except Mismatch:
            pass
    return ctx.new(ListObject(tuple(item for x in xs for item in ctx.list_items(x))))


def _contents(ctx: Context, x: Ref) -> AnyList:
    contents = ctx.contents(x)
    assert isinstance(contents, AnyList)
    return contents


def _static_length(ctx: Context, x: Ref) -> int:
    return ctx.int_of(ctx.length(x), "the length of a list that is concatenated or sliced")


def _concatenated_rows(ctx: Context, xs: Sequence[Ref], apart: Collection[int]) -> Ref:
    """The lists as one buffer; raises Mismatch when their items have no common template."""
    lists = [_contents(ctx, x) for x in xs]
    template = unified(item_aliases.templates_of_lists(ctx.heap, xs, lists, apart))
    found = [_used_rows(ctx, x, template) for x in xs]
    rows = tuple(
        Scalar(parts[0] if len(xs) == 1 else shaping.concatenate(*parts, axis=0), False)
        for parts in zip(*found)
    )
    length = sum(_static_length(ctx, x) for x in xs)
    new = ctx.new(BufferObject(template, rows, Static(length), 0, length))
    for x, contents in zip(xs, lists):
        item_aliases.share_items(ctx, x.id, new.id)
        if isinstance(contents, ListObject):
            for item in contents.items:
                item_aliases.track_copies(ctx.heap, item, new.id)
    return new


def _used_rows(ctx: Context, x: Ref, template: ItemTemplate) -> list[Value]:
    """The rows of the items, of either kind of list: without unused capacity."""
    length, contents = _static_length(ctx, x), _contents(ctx, x)
    capacity = contents.capacity if isinstance(contents, BufferObject) else length
    buffer = growing_lists.to_buffer(contents, template, capacity, ctx.heap)
    return [take_rows(row.value, range(length)) for row in buffer.rows]


def replace_items(ctx: Context, x: Ref, new: Ref) -> None:
    """Give the list `x` the items of `new`."""
    contents = ctx.contents(new)
    if isinstance(contents, ListObject) and _has_items_of(ctx.heap, contents, x):
        try:
            template = unified(item_aliases.item_templates_of(contents, ctx.heap))
        except Mismatch as m:
            ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **m.help)
        contents = growing_lists.to_buffer(contents, template, len(contents.items), ctx.heap)
    ctx.write(x, contents)
    ctx.heap.inherit_alias_edges(new.id, item_aliases.owner(ctx.heap, x.id))


def _has_items_of(heap: Heap, contents: ListObject, x: Ref) -> bool:
    """Whether items are read from the list `x`, at whatever place."""
    found = (id for item in contents.items for id in objects_in(item, heap))
    return any(item_aliases.owner(heap, id) == x.id for id in found)


def store_slice(ctx: Context, x: Ref, which: slice, items: Ref) -> None:
    """`x[which] = items` (without a step), and with no items `del x[which]`."""
    start, stop, step = which.indices(_static_length(ctx, x))
    if step != 1:
        ctx.fail(
            UnsupportedContainer, what="a store into every other item of a list built in a loop"
        )
    before, behind = sliced(ctx, x, slice(0, start)), sliced(ctx, x, slice(max(start, stop), None))
    parts = (before, items, behind)
    replace_items(ctx, x, concatenated(ctx, parts, apart=(before.id, behind.id)))


def delete_items(ctx: Context, x: Ref, which: int | slice) -> None:
    """`del x[which]`"""
    length = _static_length(ctx, x)
    if isinstance(which, int):
        i = python_result(ctx, range(length).__getitem__, which)
        which = slice(i, i + 1)
    store_slice(ctx, x, which, ctx.new(ListObject(())))


def check_not_empty(ctx: Context, x: Ref, message: str = POP_FROM_EMPTY) -> None:
    """An IndexError if the list, whose length may be known at run time only, has no items."""
    length = as_number(ctx.length(x))
    least = bounds(length)[0]
    if is_static_int(length) and length.value == 0:
        ctx.fail(BadValue, message=message, exception="IndexError")
    if least is None or least < 1:
        ctx.check(logic.lt(_last_position(length), constant(0, np.int64)), IndexError, message)


def _last_position(length: Number) -> Value:
    return number_value(length, np.dtype(np.int64)) - constant(1, np.int64)


def pop_last(ctx: Context, x: Ref, empty: str = POP_FROM_EMPTY) -> Abstract:
    """`x.pop()`; `empty`: the message of the IndexError."""
    check_not_empty(ctx, x, empty)
    if isinstance(known := ctx.contents(x), ListObject):
        ctx.write(x, ListObject(known.items[:-1]))
        return known.items[-1]
    contents = ctx.contents_as(x, BufferObject)
    position = _last_position(growing_lists.list_length(contents))
    item = growing_lists.item_at(ctx, x, position, taken=True)
    ctx.write(x, replace(contents, offset=contents.offset - 1))
    return item
