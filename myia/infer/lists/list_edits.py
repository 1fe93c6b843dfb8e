"""Lists at run-time indices: slices, insertions, deletions.

The list is a buffer of rows (`growing_lists.py`). Its length may change, and be known at run time
only; rows behind it mean nothing.

    xs[i] = v           xs: rows                        row i is stored
    xs[i:j]             the rows from i on              length max(0, j - i)
    xs.insert(i, v)     rows behind i, one further      length n + 1
    del xs[i]           rows behind i, one nearer       length n - 1
    xs[i:j] = ys        rows, then ys, then rows        length n - (j - i) + len(ys)

*When it gives up*: the items have no common template; a loop around may be unrolled then. So it is
for short lists, which are cheaper as single values, and for lists of arrays, unless that has failed
(`Context.stacks_lists`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.errors import BadType, BadValue, NeedsStatic, NotStatic
from myia.infer.domain.heap import AnyList, BufferObject, ListObject
from myia.infer.domain.heap_arrays import ItemObject
from myia.infer.domain.lengths import (
    Length,
    at_least,
    difference,
    length_of,
    slice_bound,
    static_length,
    total,
)
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    Abstract,
    Ref,
    Scalar,
    SliceValue,
    Static,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.dynamic.unbounded import check_room
from myia.infer.lists import growing_lists, item_aliases
from myia.infer.lists.item_templates import (
    ItemTemplate,
    unified,
)
from myia.infer.unsupported import UnsupportedContainer
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import logic

MAX_SINGLE_ITEMS = 8  # shorter lists stay single values where a loop can be unrolled
I64 = np.dtype(np.int64)


# ----- The list as a buffer


def stack_in_place(ctx: Context, x: Ref, why: str, item: Abstract | None = None) -> BufferObject:
    """Make the list a buffer, fit for `item`; `why`: what else must be known when compiling."""
    contents = ctx.contents(x)
    assert isinstance(contents, AnyList)
    if isinstance(contents, BufferObject):
        return contents
    template = _template(ctx, contents, why, item)
    buffer = growing_lists.to_buffer(contents, template, len(contents.items), ctx.heap)
    if isinstance(ctx.heap[x.id], ItemObject):
        ctx.write(x, buffer)
        return ctx.contents_as(x, BufferObject)
    ctx.keep_in_form(x.id, contents, buffer)
    ctx.heap.objects[x.id] = buffer  # the same items: no other object is out of date
    for i in contents.items:
        item_aliases.track_copies(ctx.heap, i, x.id)
    return buffer


def _template(ctx: Context, contents: ListObject, why: str, item: Abstract | None) -> ItemTemplate:
    return require_stackable(ctx, (*contents.items, *([] if item is None else [item])), why)


def require_stackable(ctx: Context, items: Sequence[Abstract], why: str) -> ItemTemplate:
    """The template of items that are better stacked than kept as single items."""
    try:
        template = unified(item_aliases.item_templates_of(ListObject(tuple(items)), ctx.heap))
    except Mismatch as mismatch:
        ctx.fail(NotStatic, error=NeedsStatic, what=why, **mismatch.help)
    few = len(items) <= MAX_SINGLE_ITEMS or any(aval.shape for aval in template.leaves)
    few = few or template.has_objects
    if not stacks(ctx, few):
        ctx.needs_static(why)
    return template


def stacks(ctx: Context, few: bool) -> bool:
    """Whether a list becomes a buffer; `few`: it is cheaper as single items."""
    if ctx.stacks_lists is None:
        ctx.stacking_choices.add(not few)
        return not few
    return ctx.stacks_lists


def _buffer_of(ctx: Context, x: Ref, why: str) -> BufferObject:
    """The list as a buffer; a list of single items stays one."""
    contents = ctx.contents(x)
    assert isinstance(contents, AnyList)
    if isinstance(contents, BufferObject):
        return contents
    if not contents.items:
        return BufferObject(ItemTemplate("tuple"), (), Static(0), 0, 0)
    template = _template(ctx, contents, why, None)
    return growing_lists.to_buffer(contents, template, len(contents.items), ctx.heap)


def _new(ctx: Context, like: BufferObject, rows: Sequence[Value], length: Length, *of: Ref) -> Ref:
    """A new list of these rows, which are items of the lists `of`.

    A list without a bound needs more rows where `like`, of which it is made, does.
    """
    capacity = rows[0].shape[0] if rows else 0 if length.hi is None else length.hi
    leaves = tuple(Scalar(row, False) for row in rows)
    site = like.site if length.hi is None else None
    new = ctx.new(BufferObject(like.template, leaves, length.abstract(), 0, capacity, site))
    for x in of:
        inherit_items(ctx, x, new)
    return new


def inherit_items(ctx: Context, x: Ref, new: Ref) -> None:
    """The list `new` has items of `x`: what makes these out of date makes `new` so."""
    contents = ctx.contents(x)
    item_aliases.share_items(ctx, x.id, new.id)
    if isinstance(contents, ListObject):
        for item in contents.items:
            item_aliases.track_copies(ctx.heap, item, new.id)


def _length(buffer: BufferObject) -> Length:
    """The length; where a run may not need more rows, there is one for each item."""
    n = length_of(growing_lists.list_length(buffer))
    return replace(n, hi=buffer.capacity) if n.hi is None and buffer.site is None else n


# ----- Slices


def is_static_part(ctx: Context, x: Ref, which: SliceValue) -> bool:
    """Whether the bounds of the slice and the length of the list are known when compiling."""
    return is_static_int(ctx.length(x)) and all(isinstance(p, Static) for p in which.children())


def part(ctx: Context, x: Ref, which: SliceValue) -> Ref:
    """`x[i:j]`, a new list."""
    if _is_empty(ctx, x):
        _bounds(ctx, which, static_length(0))
        return ctx.new(ListObject(()))
    buffer = _buffer_of(ctx, x, "this subscript")
    step = 1 if is_none(which.step) else ctx.int_of(which.step, "the step of a slice")
    n = _length(buffer)
    if step == -1 and is_none(which.start) and is_none(which.stop):
        return _new(ctx, buffer, _reversed_rows(buffer, n), n, x)
    start, stop = _bounds(ctx, which, n)
    if step != 1:
        return as_ref(ctx.call(Static(every), (x, *_slice_of(ctx, which)), {}))
    length = at_least(difference(stop, start), 0)
    size = buffer.capacity if length.hi is None else min(buffer.capacity, length.hi)
    rows = [_rows_from(row.value, start, size) for row in buffer.rows]
    return _new(ctx, buffer, rows, length, x)


def has_step(ctx: Context, which: SliceValue) -> bool:
    return not is_none(which.step) and ctx.int_of(which.step, "the step of a slice") != 1


def _slice_of(ctx: Context, which: SliceValue) -> tuple[Abstract, ...]:
    """`start, stop, step`, of which the step is known."""
    step = Static(ctx.int_of(which.step, "the step of a slice"))
    if step.value == 0:
        ctx.fail(BadValue, message="slice step cannot be zero")
    return which.start, which.stop, step


def every(xs: list, start: int | None, stop: int | None, step: int) -> list:
    """`xs[start:stop:step]`, as a program has it."""
    return [xs[i] for i in indices(len(xs), start, stop, step)]


def store_at(xs: list, places: range, items: list) -> None:
    """An item at each place, as a program has it."""
    new = list(items)  # they may be `xs`
    for k, i in enumerate(places):
        xs[i] = new[k]


def indices(n: int, start: int | None, stop: int | None, step: int) -> range:
    """Those of a slice of n items."""
    if step > 0:
        first = 0 if start is None else start
        last = n if stop is None else stop
        return range(within(first, 0, n, n), within(last, 0, n, n), step)
    first = n - 1 if start is None else within(start, -1, n - 1, n)
    last = -1 if stop is None else within(stop, -1, n - 1, n)
    return range(first, last, step)


def within(i: int, least: int, most: int, n: int) -> int:
    """An end of a slice of n items."""
    i = i + n if i < 0 else i
    return min(max(i, least), most)


def _bounds(ctx: Context, which: SliceValue, n: Length) -> tuple[Length, Length]:
    for x in (which.start, which.stop):
        if not is_none(x) and (not is_number(x) or kind_of(x) not in "iub"):
            message = "slice indices must be integers or None or have an __index__ method"
            ctx.fail(BadType, message=message)
    start = static_length(0) if is_none(which.start) else slice_bound(which.start, n)
    return start, n if is_none(which.stop) else slice_bound(which.stop, n)


def _rows_from(rows: Value, start: Length, size: int) -> Value:
    """`size` rows from `start` on; behind the last one zeros."""
    capacity = rows.shape[0]
    if start.hi is None or start.hi + size > capacity:
        rows = _extended(rows, capacity + size)
    first = [constant(0, I64)] * (rows.aval.ndim - 1)
    return dynamic_slices.dynamic_slice(rows, start.value, *first, sizes=(size, *rows.shape[1:]))


def _extended(rows: Value, capacity: int) -> Value:
    """The rows, and zeros up to the capacity."""
    if rows.shape[0] == capacity:
        return rows
    rest = zeros(rows.aval.with_shape((capacity - rows.shape[0], *rows.shape[1:])))
    return shaping.concatenate(rows, rest, axis=0)


def _reversed_rows(buffer: BufferObject, n: Length) -> list[Value]:
    unused = difference(static_length(buffer.capacity), n)
    flipped = [shaping.flip(row.value, axes=(0,)) for row in buffer.rows]
    return [_rows_from(row, unused, buffer.capacity) for row in flipped]


def reverse(ctx: Context, x: Ref) -> None:
    """`x.reverse()` of a buffer."""
    buffer = ctx.contents_as(x, BufferObject)
    rows = [Scalar(row, False) for row in _reversed_rows(buffer, _length(buffer))]
    ctx.write(x, replace(buffer, rows=tuple(rows)))


def joined(ctx: Context, xs: Sequence[Ref], apart: Collection[int] = ()) -> Ref:
    """`xs[0] + xs[1] + ...`, of any lengths, as one new list; `apart`: have no item in common."""
    xs = [x for x in xs if not _is_empty(ctx, x)]
    if not xs:
        return ctx.new(ListObject(()))
    contents = [ctx.contents(x) for x in xs]
    lists = [c for c in contents if isinstance(c, AnyList)]
    try:
        template = unified(item_aliases.templates_of_lists(ctx.heap, xs, lists, apart))
    except Mismatch as m:
        ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **m.help)
    buffers = [
        growing_lists.to_buffer(c, template, growing_lists.row_capacity(c), ctx.heap) for c in lists
    ]
    capacity = sum(b.capacity for b in buffers)
    columns = [_extended(row.value, capacity) for row in buffers[0].rows]
    n = _length(buffers[0])
    # Each list is stored over the unused rows of those before it.
    for buffer in buffers[1:]:
        for k, row in enumerate(buffer.rows):
            start = [n.value, *[constant(0, I64)] * (row.value.aval.ndim - 1)]
            columns[k] = dynamic_slices.dynamic_update_slice(columns[k], row.value, *start)
        n = total(n, _length(buffer))
    # In a loop in which one of them grows: its rows are those that there is room for.
    growing = [b for b in buffers if _length(b).hi is None]
    if not growing:
        return _new(ctx, buffers[0], columns, n, *xs)
    like = max(growing, key=lambda b: b.capacity)
    ctx.checked_lengths[n.value] = 0
    check_room(ctx, logic.gt(n.value, constant(like.capacity, I64)), like.site)
    columns = [shaping.along_axis(rows, 0, 0, like.capacity) for rows in columns]
    return _new(ctx, like, columns, n, *xs)


def _is_empty(ctx: Context, x: Ref) -> bool:
    n = ctx.length(x)
    return is_static_int(n) and n.value == 0


def store_with_step(ctx: Context, x: Ref, which: SliceValue, items: Ref) -> None:
    """`x[i:j:k] = items`"""
    _bounds(ctx, which, _length(_buffer_of(ctx, x, "this subscript")))
    places = ctx.call(Static(indices), (ctx.length(x), *_slice_of(ctx, which)), {})
    sizes = [length_of(ctx.length(y)).value for y in (items, places)]
    message = "attempt to assign sequence of size {} to extended slice of size {}"
    ctx.check(logic.ne(*sizes), ValueError, message, *sizes)
    ctx.call(Static(store_at), (x, places, items), {})


def store_part(ctx: Context, x: Ref, which: SliceValue, items: Ref) -> None:
    """`x[i:j] = items`, and with no items `del x[i:j]`."""
    buffer = _buffer_of(ctx, x, "this subscript")
    n = _length(buffer)
    start, stop = _bounds(ctx, which, n)
    behind = at_least(difference(stop, start), 0)
    if not _is_empty(ctx, x) and behind.is_static and behind.equals(length_of(ctx.length(items))):
        _store_rows(ctx, x, buffer, start, items)
        return
    rest = SliceValue(total(start, behind).abstract(), Static(None), Static(None))
    first = SliceValue(Static(None), start.abstract(), Static(None))
    before, behind_it = part(ctx, x, first), part(ctx, x, rest)
    new = joined(ctx, (before, items, behind_it), apart=(before.id, behind_it.id))
    contents = ctx.contents(new)
    size = ctx.length(items)
    if isinstance(contents, BufferObject) and is_static_int(size) and size.value == 0:
        contents = _cut(contents, buffer.capacity)
    ctx.write(x, contents)
    ctx.heap.inherit_alias_edges(new.id, item_aliases.owner(ctx.heap, x.id))


def _store_rows(ctx: Context, x: Ref, buffer: BufferObject, start: Length, items: Ref) -> None:
    """Store as many items as there were."""
    contents = ctx.contents(items)
    assert isinstance(contents, AnyList)
    try:
        lists = item_aliases.templates_of_lists(ctx.heap, (x, items), (buffer, contents))
        template = unified(lists)
    except Mismatch as m:
        ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **m.help)
    n = growing_lists.max_length_of(contents)
    new = _cut(growing_lists.to_buffer(contents, template, n, ctx.heap), n)
    buffer = growing_lists.retyped(buffer, template, buffer.capacity)
    rows = []
    for old, row in zip(buffer.rows, new.rows):
        first = [start.value, *[constant(0, I64)] * (row.value.aval.ndim - 1)]
        value = dynamic_slices.dynamic_update_slice(old.value, row.value, *first)
        rows.append(Scalar(value, False))
    ctx.write(x, replace(buffer, rows=tuple(rows)))
    inherit_items(ctx, items, x)


def _cut(buffer: BufferObject, capacity: int) -> BufferObject:
    """The same list without rows that it cannot use."""
    if buffer.capacity <= capacity:
        return buffer
    rows = [Scalar(shaping.along_axis(r.value, 0, 0, capacity), False) for r in buffer.rows]
    return replace(buffer, rows=tuple(rows), capacity=capacity)


# ----- One item


def insert(ctx: Context, x: Ref, index: Abstract, item: Abstract) -> None:
    """`x.insert(index, item)`: an index that is out of range is that of an end."""
    at = slice_bound(index, _length(stack_in_place(ctx, x, "the index of an item", item)))
    growing_lists.append(ctx, x, item)
    buffer = ctx.contents_as(x, BufferObject)
    rows = [Scalar(_shifted(row.value, at, 1), False) for row in buffer.rows]
    ctx.write(x, replace(buffer, rows=tuple(rows)))
    growing_lists.store_item(ctx, x, at.value, item)


def delete(ctx: Context, x: Ref, index: Length) -> None:
    """`del x[index]` of a buffer; the index is in range."""
    buffer = ctx.contents_as(x, BufferObject)
    rows = [Scalar(_shifted(row.value, index, -1), False) for row in buffer.rows]
    ctx.write(x, replace(buffer, rows=tuple(rows), offset=buffer.offset - 1))


def _shifted(rows: Value, at: Length, by: int) -> Value:
    """The rows with those behind `at` one place further (`by=1`), or nearer."""
    capacity = rows.shape[0]
    end = zeros(rows.aval.with_shape((1, *rows.shape[1:])))
    longer = shaping.concatenate(*((end, rows) if by > 0 else (rows, end)), axis=0)
    moved = shaping.along_axis(longer, 0, *((0, capacity) if by > 0 else (1, capacity + 1)))
    number = shaping.iota(shape=rows.shape, axis=0, dtype=I64)
    here = shaping.broadcast(at.value, shape=rows.shape, dims=())
    return logic.select(logic.lt(number, here), rows, moved)
