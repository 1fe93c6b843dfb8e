"""Lists of lists of numbers as one array: a buffer of rows, and lists that are its rows.

    A = [[1.0, 2.0], [3.0, 4.0]]        buffer of rows  f64[2,2]
                                        A               a list of the row numbers 0, 1
    row = A[i]                          row             row number A[i] of the buffer
    row[j] = v                          rows[A[i], j] = v
    A[i], A[j] = A[j], A[i]             A               the row numbers 1, 0
    [[0] * n] * m                       row numbers     0, 0, 0

A row number stands for the identity of a list. So whatever is done with the rows, they alias as
they do in Python; where the numbers are 0, 1, 2, ... they are not looked up.

A list becomes one of rows where an item at a run-time index is asked for. Where loops or branches
around have been begun since the list was made it must have been so before them: inference goes back
to there (`before_rows`, `MadeOfRows`).

*When it gives up*: rows that are empty, of different lengths or of something else than numbers; a
row that changes its length, or is given another list. Then a loop around is unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, is_number, number_value
from myia.infer.domain.heap import (
    AnyList,
    BufferObject,
    Contents,
    Heap,
    ListObject,
)
from myia.infer.domain.heap_arrays import ItemObject, RowObject
from myia.infer.domain.lengths import length_of
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, is_static_int
from myia.infer.domain.views import StridedSlice, reshape
from myia.infer.lists import growing_lists, item_aliases
from myia.infer.lists.item_aliases import item_templates_of
from myia.infer.lists.item_templates import (
    ItemTemplate,
    Rows,
    item_template,
    of_numbers,
    unified,
    unify_templates,
)
from myia.infer.lists.list_edits import stacks
from myia.infer.lists.list_members import OWN, make_members
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import array_constant

MIN_NUMBERS = 64  # fewer stay single values where a loop can be unrolled
WHY = "the index into a list of different objects"
T = TypeVar("T")


class MadeOfRows(Exception):
    """The list `id` must be one of rows before scope number `depth` of the context."""

    def __init__(self, id: int, depth: int):
        super().__init__()
        self.id, self.depth = id, depth


def before_rows(ctx: Context, infer: Callable[[], T]) -> T:
    """`infer()`, of a loop or a branch; again, when a list from before has become one of rows."""
    depth, heap = len(ctx.scopes), ctx.heap.copy()
    mark = ctx.mark()
    while True:
        ctx.scopes.append(heap)
        try:
            return infer()
        except MadeOfRows as request:
            if request.depth != depth:
                raise
            id = request.id
        finally:
            del ctx.scopes[depth:]
        ctx.rewind(heap, mark)
        ctx.last_fixed_points.clear()  # of lists that are rows now
        if is_list_of_lists(ctx.heap, ctx.heap[id]):
            make_rows(ctx, Ref(id))
        else:
            make_items(ctx, Ref(id))
        heap = ctx.heap.copy()
        mark = ctx.mark()


# ----- A list of lists as rows


def is_list_of_lists(heap: Heap, contents: Contents) -> bool:
    """A list of lists of numbers, all of one length."""
    if not isinstance(contents, ListObject) or not contents.items:
        return False
    if _rows_of_one_buffer(heap, contents) is not None:
        return True
    lengths = {_row_length(heap, item) for item in contents.items}
    return len(lengths) == 1 and None not in lengths and 0 not in lengths


def _row_length(heap: Heap, x: Abstract) -> int | None:
    row = heap[x.id] if isinstance(x, Ref) else None
    if isinstance(row, ListObject) and all(map(is_number, row.items)):
        return len(row.items)
    if isinstance(row, BufferObject) and row.template.kind == "number":
        n = growing_lists.base_and_offset(row)[0]
        return int(n.value) if is_static_int(n) and n.value == row.capacity else None
    return None


def has_run_time_numbers(heap: Heap, contents: ListObject) -> bool:
    rows = [heap[x.id] for x in contents.items if isinstance(x, Ref)]
    return any(not isinstance(n, Static) for row in rows for n in row.children())


def require_rows(ctx: Context, x: Ref) -> None:
    """Make the list one of rows, now or before the loops and branches around it."""
    contents = ctx.contents(x)
    if not isinstance(contents, ListObject) or not is_list_of_lists(ctx.heap, contents):
        ctx.needs_static(WHY)
    size = len(contents.items) * (_row_length(ctx.heap, contents.items[0]) or MIN_NUMBERS)
    if not stacks(ctx, few=size <= MIN_NUMBERS):
        ctx.needs_static(WHY)
    for depth, heap in enumerate(ctx.scopes):
        if x.id in heap:
            raise MadeOfRows(x.id, depth)
    make_rows(ctx, x)


def make_rows(ctx: Context, x: Ref) -> None:
    """Make the list one of rows, and the lists in it rows."""
    heap, contents = ctx.heap, ctx.contents(x)
    if not isinstance(contents, ListObject) or not is_list_of_lists(heap, contents):
        ctx.needs_static(WHY)
    if (known := _rows_of_one_buffer(heap, contents)) is not None:
        heap.objects[x.id] = known
        return
    ids = list(dict.fromkeys(item.id for item in contents.items if isinstance(item, Ref)))
    lists = [row for id in ids if isinstance(row := heap[id], AnyList)]
    try:
        template = unified([t for row in lists for t in _templates(row, heap)])
    except Mismatch:
        ctx.needs_static(WHY)
    assert template.aval is not None
    n = growing_lists.row_capacity(lists[0])
    parts = [part for row in lists for part in _numbers(row, template.aval.dtype)]
    whole = shaping.concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]
    leaf = Scalar(reshape(whole, (len(ids), n)), False)
    base = heap.new(contents)
    numbers = array_constant(
        np.array([ids.index(i.id) for i in contents.items if isinstance(i, Ref)], I64.dtype)
    )
    in_order = len(ids) == len(contents.items)
    was = {id: heap[id] for id in (x.id, *ids)}
    rows = Rows(base, tuple(ids), was, leaf.value, numbers if in_order else None, numbers)
    aval, floats = template.aval.with_shape((n,)), template.floats
    of_rows = ItemTemplate("list", aval, template.weak, rows, floats=floats)
    heap.objects[base] = BufferObject(of_rows, (leaf,), Static(len(ids)), 0, len(ids))
    for k, id in enumerate(ids):
        heap.inherit_alias_edges(id, base)
        for other in heap.alias_edges.get(id, ()):
            heap.add_alias_edge(base, other)
        heap.objects[id] = RowObject(base, Static(k))
    item = ItemTemplate("row", I64, True, static=rows)
    count = len(contents.items)
    heap.objects[x.id] = BufferObject(item, (Scalar(numbers, False),), Static(count), 0, count)


def require_items(ctx: Context, x: Ref) -> bool:
    """Make a list of lists, dicts or instances one of items (`item_objects.py`), as above."""
    contents = ctx.contents(x)
    if not isinstance(contents, ListObject) or not contents.items:
        return False
    try:
        template = unified(item_templates_of(contents, ctx.heap))
    except Mismatch:
        return False
    is_object = template.is_object or template.kind == "member"
    if not is_object or not (ctx.names_are_exact or stacks(ctx, few=True)):
        return False
    for depth, heap in enumerate(ctx.scopes):
        if x.id in heap:
            if heap[x.id].children():
                raise MadeOfRows(x.id, depth)
            break  # it begins to grow in a loop
    make_items(ctx, x)
    return True


def make_items(ctx: Context, x: Ref) -> None:
    """Make the list a buffer, and the objects in it items of it; those of the caller are copied."""
    heap, contents = ctx.heap, ctx.contents(x)
    assert isinstance(contents, ListObject)
    if ctx.names_are_exact and make_members(ctx, x):
        return
    template = unified(item_templates_of(contents, heap))
    buffer = growing_lists.to_buffer(contents, template, len(contents.items), heap)
    if isinstance(heap[x.id], ItemObject):
        ctx.write(x, buffer)
        return
    heap.objects[x.id] = buffer
    for k, item in enumerate(contents.items):
        item_aliases.track_copies(heap, item, x.id)
        if isinstance(item, Ref) and item.id >= 0 and isinstance(heap[item.id], OWN):
            heap.objects[item.id] = ItemObject(x.id, (Static(k),))


def _rows_of_one_buffer(heap: Heap, contents: ListObject) -> BufferObject | None:
    """A list of rows that another list has, too."""
    rows = [heap[x.id] for x in contents.items if isinstance(x, Ref)]
    known = [row for row in rows if isinstance(row, RowObject)]
    if len(known) < len(contents.items) or len({row.base for row in known}) > 1:
        return None
    items = [item_template(x, heap) for x in contents.items]
    values = [reshape(number_value(row.index, I64.dtype), (1,)) for row in known]
    numbers = shaping.concatenate(*values, axis=0) if len(values) > 1 else values[0]
    n = len(known)
    return BufferObject(items[0], (Scalar(numbers, False),), Static(n), 0, n)


def _templates(row: AnyList, heap: Heap) -> Iterator[ItemTemplate]:
    if isinstance(row, BufferObject):
        yield row.template
    else:
        yield from (item_template(x, heap) for x in row.items)


def _numbers(row: AnyList, dtype: np.dtype) -> Iterator[Value]:
    """The numbers of a list, as vectors that make one."""
    if isinstance(row, BufferObject):
        yield convert(row.rows[0].value, dtype)
    elif all(isinstance(x, Static) for x in row.items):
        known = [x.value for x in row.items if isinstance(x, Static)]
        yield array_constant(np.array([np.asarray(x).astype(dtype) for x in known], dtype))
    else:
        for x in row.items:
            yield reshape(number_value(x, dtype), (1,))


def is_as_before(heap: Heap, id: int, before: Contents) -> bool:
    """Whether the object has become a list of rows, or a row, and holds what it held `before`."""
    contents = heap[id]
    if isinstance(contents, RowObject):
        base = heap[contents.base]
        if not isinstance(base, BufferObject) or not isinstance(contents.index, Static):
            return False
        rows, same = base.template.static, base.rows[0].value is base.template.static.first
    elif isinstance(contents, BufferObject) and contents.template.kind == "row":
        rows = contents.template.static
        same = contents.rows[0].value is rows.numbers
        same = same and contents.offset == 0 and isinstance(contents.base, Static)
    else:
        return False
    return same and rows.was.get(id) is before


def objects_of_rows(ctx: Context, x: Ref, as_lists: bool) -> list[int] | None:
    """For a row the object that a write to it changes, for a list of rows that of each item.

    `as_lists`: the lists that these rows were, where they are known.
    """
    contents = ctx.heap[x.id]
    if isinstance(contents, RowObject):
        members = _buffer(ctx, contents).template.static.members
        if as_lists and isinstance(contents.index, Static):
            return [members[int(contents.index.value)]]
        return [contents.base]
    if not isinstance(contents, BufferObject) or contents.template.kind != "row":
        return None
    rows = contents.template.static
    if as_lists and contents.rows[0].value is rows.in_order:
        return list(rows.members)
    return [rows.base] * ctx.int_of(ctx.length(x), "the length of a list of lists")


# ----- Rows as lists


def row_of(ctx: Context, x: Abstract) -> RowObject | None:
    """The row that the list is, if it is one."""
    contents = ctx.heap[x.id] if isinstance(x, Ref) else None
    return contents if isinstance(contents, RowObject) else None


def row_length(ctx: Context, row: RowObject) -> int:
    return _buffer(ctx, row).rows[0].value.shape[1]


def _buffer(ctx: Context, row: RowObject) -> BufferObject:
    return ctx.contents_as(Ref(row.base), BufferObject)


def number_at(ctx: Context, row: RowObject, index: Abstract) -> Abstract:
    """A number of the row; the index is in range."""
    buffer = _buffer(ctx, row)
    value = _element(row, index).read(buffer.rows[0].value)
    return Scalar(value, buffer.template.weak)


def store_number(ctx: Context, row: RowObject, index: Abstract, x: Abstract) -> None:
    """Raises Mismatch if `x` is not a number."""
    buffer = _buffer(ctx, row)
    buffer = growing_lists.retyped(
        buffer,
        unify_templates(buffer.template, of_numbers(item_template(x, ctx.heap), buffer.template)),
        buffer.capacity,
    )
    whole = buffer.rows[0].value
    value = _element(row, index).write(whole, number_value(x, whole.dtype))
    _rewrite(ctx, row, buffer, value)


def _element(row: RowObject, index: Abstract) -> StridedSlice:
    starts = (length_of(row.index).number, length_of(index).number)
    return StridedSlice(starts, (1, 1), (1, 1), ())


def _rewrite(ctx: Context, row: RowObject, buffer: BufferObject, value: Value) -> None:
    ctx.write(Ref(row.base), replace(buffer, rows=(Scalar(value, False),)))


def _whole(row: RowObject, n: int) -> StridedSlice:
    return StridedSlice((length_of(row.index).number, 0), (1, n), (1, 1), (n,))


def row_contents(ctx: Context, row: RowObject) -> BufferObject:
    """The row as a list of its own: what is read of it."""
    buffer, n = _buffer(ctx, row), row_length(ctx, row)
    template = buffer.template
    value = _whole(row, n).read(buffer.rows[0].value)
    number = ItemTemplate("number", Aval(value.dtype), template.weak)
    return BufferObject(number, (Scalar(value, False),), Static(n), 0, n)


def write_row(ctx: Context, row: RowObject, contents: Contents) -> None:
    """Give the row other numbers."""
    buffer, n = _buffer(ctx, row), row_length(ctx, row)
    if not isinstance(contents, AnyList) or growing_lists.max_length_of(contents) != n:
        ctx.needs_static("the length of a list in a list of lists")
    if not is_static_int(growing_lists.base_and_offset(contents)[0]):
        ctx.needs_static("the length of a list in a list of lists")
    try:
        given = unified(_templates(contents, ctx.heap))
        template = unify_templates(buffer.template, of_numbers(given, buffer.template))
    except Mismatch:
        ctx.needs_static("the type of what is stored in a list of lists")
    buffer = growing_lists.retyped(buffer, template, buffer.capacity)
    whole = buffer.rows[0].value
    parts = list(_numbers(contents, whole.dtype))
    value = shaping.concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]
    if value.shape[0] != n:  # unused rows
        value = shaping.along_axis(value, 0, 0, n)
    _rewrite(ctx, row, buffer, _whole(row, n).write(whole, value))
