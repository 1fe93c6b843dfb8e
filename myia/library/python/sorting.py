"""`sorted`, `list.sort` by run-time values: items as columns, sorted by those of keys. Heaps.

    sorted(xs, key=f)           the columns of [f(x) for x in xs], then those of xs
    sorted(xs, reverse=True)    the columns backwards, sorted, and backwards: the sort stays stable
    objects, lists              by how many are less, as their `<` says

Tuples are compared item by item, as the columns of their numbers are. Python's order of a list with
NaN in it depends on its algorithm, so that raises ValueError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.heap import AnyList, BufferObject, ListObject
from myia.infer.domain.lengths import length_of
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, Static, Tuple, as_ref, is_none
from myia.infer.indexing.indexing import getitem
from myia.infer.lists import growing_lists, item_aliases, list_edits, list_slices
from myia.infer.lists.item_leaves import values_there
from myia.infer.lists.item_templates import ItemTemplate, unified
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.library.source.python import heaps
from myia.library.support.from_source import call_source
from myia.primitives.arrays import shaping
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.sorting import sort_p
from myia.primitives.pointwise import logic

I64 = np.dtype(np.int64)


def keys_of(xs: Any, key: Any) -> Any:
    return [key(x) for x in xs]


def sorted_by_key(ctx: Context, x: Ref, key: Abstract, reverse: bool) -> Ref:
    """`sorted(x, key=key, reverse=reverse)` of a list of run-time length."""
    keys = x if is_none(key) else as_ref(call_source(ctx, keys_of, (x, key), {}))
    return sorted_by_values(ctx, x, keys, reverse)


def sorted_by_values(ctx: Context, x: Ref, keys: Ref, reverse: bool) -> Ref:
    """The items of `x` in the order of their `keys`, where only run-time values decide it."""
    if (constants := _constants(ctx, x)) is not None:
        return _chosen(ctx, constants, _with_ranks(ctx, keys), reverse)
    if keys is not x:
        keys = _with_ranks(ctx, keys)
    if _template(ctx, keys).has_objects:  # by their `<`
        return as_ref(call_source(ctx, heaps.sorted_by_order, (x, keys, Static(reverse)), {}))
    # The list of the keys may be known to be shorter than the room of `x`.
    room = max(growing_lists.row_capacity(_list(ctx, xs)) for xs in (x, keys))
    by = values_there(ctx, _buffer(ctx, keys, room))
    items = by if keys is x else _buffer(ctx, x, room)
    columns = [row.value for row in by.rows]
    _require_order(ctx, by.template)
    n = length_of(growing_lists.list_length(items))
    whole = n.number == items.capacity
    number = shaping.iota(shape=(items.capacity,), axis=0, dtype=I64)
    used = logic.lt(number, shaping.broadcast(n.value, shape=(items.capacity,), dims=()))
    _check_order(ctx, columns, None if whole else used)
    first = [] if whole else [used if reverse else logic.not_(used)]
    if any(row.value.aval.ndim > 1 for row in items.rows):
        order = ctx.array(_sorted_columns([*first, *columns], [number], reverse)[-1])
        return taken(ctx, x, items, order)
    rest = [] if keys is x else [row.value for row in items.rows]
    found = _sorted_columns([*first, *columns], rest, reverse)
    return _new(ctx, x, items, found[-len(items.rows) :])


def _constants(ctx: Context, x: Ref) -> tuple[Abstract, ...] | None:
    """The items of a list of strings, functions or the like, or of tuples with some."""
    contents = _list(ctx, x)
    if not isinstance(contents, ListObject) or any(isinstance(i, Ref) for i in contents.items):
        return None
    try:
        unified(item_aliases.item_templates_of(contents, ctx.heap))
    except Mismatch:
        return contents.items
    return None


def _chosen(ctx: Context, items: tuple[Abstract, ...], keys: Ref, reverse: bool) -> Ref:
    """The items, each chosen by its number in the order of the keys."""
    by, n = _buffer(ctx, keys, len(items)), len(items)
    _require_order(ctx, by.template)
    columns = [row.value for row in by.rows]
    _check_order(ctx, columns, None)
    number = shaping.iota(shape=(n,), axis=0, dtype=I64)
    order = ctx.array(_sorted_columns(columns, [number], reverse)[-1])
    found: list[Abstract] = []
    for i in range(n):
        k = getitem(ctx, order, Static(i))
        assert isinstance(k, Scalar)
        found.append(getitem(ctx, Tuple(items), replace(k, lo=0, hi=n - 1)))
    return ctx.new(ListObject(tuple(found)))


def _with_ranks(ctx: Context, keys: Ref) -> Ref:
    """The keys, with the place in the order of all strings instead of each string."""
    contents = _list(ctx, keys)
    if not isinstance(contents, ListObject):
        return keys
    found = _ranked(contents.items)
    return keys if found is None else ctx.new(ListObject(found))


def _ranked(xs: Sequence[Abstract]) -> tuple[Abstract, ...] | None:
    """None: there are no strings, or not in the same places."""
    if all(isinstance(x, Static) and isinstance(x.value, str) for x in xs):
        values = [x.value for x in xs if isinstance(x, Static)]
        ranks = {value: Static(i) for i, value in enumerate(sorted({*values}))}
        return tuple(ranks[value] for value in values)
    tuples = [x for x in xs if isinstance(x, Tuple)]
    if len(tuples) < len(xs) or len({len(x.items) for x in tuples}) > 1:
        return None
    columns = list(zip(*(x.items for x in tuples)))
    ranked = [_ranked(column) for column in columns]
    if not any(ranked):
        return None
    known = [new or column for new, column in zip(ranked, columns)]
    return tuple(map(Tuple, zip(*known)))


def taken(ctx: Context, x: Ref, items: BufferObject, order: Abstract) -> Ref:
    """A new list: the items of `x` with these numbers."""
    rows = [ctx.read(as_ref(getitem(ctx, ctx.array(row.value), order))) for row in items.rows]
    return _new(ctx, x, items, rows)


def _new(ctx: Context, x: Ref, items: BufferObject, rows: Sequence[Value]) -> Ref:
    leaves = tuple(Scalar(row, False) for row in rows)
    new = ctx.new(replace(items, rows=leaves))  # of a list without a bound: with its capacity
    list_edits.inherit_items(ctx, Ref(item_aliases.owner(ctx.heap, x.id)), new)
    return new


SORT_NUMBERS = "use `np.sort` or `np.argsort` on an array"


def _list(ctx: Context, x: Abstract) -> AnyList:
    assert isinstance(x, Ref)
    contents = ctx.contents(x)
    assert isinstance(contents, AnyList)
    return contents


def _template(ctx: Context, x: Abstract) -> ItemTemplate:
    try:
        return unified(item_aliases.item_templates_of(_list(ctx, x), ctx.heap))
    except Mismatch:
        ctx.fail(UnsupportedFunction, what="`sorted` by run-time values", help_text=SORT_NUMBERS)


def _buffer(ctx: Context, x: Abstract, capacity: int) -> BufferObject:
    return growing_lists.to_buffer(_list(ctx, x), _template(ctx, x), capacity, ctx.heap)


def _require_order(ctx: Context, template: ItemTemplate) -> None:
    """Numbers, or tuples of them."""
    if template.kind == "number" and template.aval is not None:
        if template.aval.dtype.kind == "c":
            message = "'<' not supported between instances of 'complex' and 'complex'"
            ctx.fail(BadType, message=message)
        return
    if template.kind != "tuple" or not template.leaves:
        ctx.fail(UnsupportedFunction, what="`sorted` by run-time values", help_text=SORT_NUMBERS)
    for part in template.items:
        if part.kind != "static":  # the same in all
            _require_order(ctx, part)


def _check_order(ctx: Context, columns: Sequence[Value], used: Value | None) -> None:
    """A run-time check that there is no NaN."""
    for column in columns:
        if column.dtype.kind == "f":
            unordered = logic.ne(column, column)
            if used is not None:
                unordered = logic.and_(unordered, used)
            message = "the order of NaN in a list that is sorted is not defined"
            ctx.check(reduce_or(unordered, axes=(0,)), ValueError, message)


def _sorted_columns(keys: list[Value], rest: list[Value], reverse: bool) -> list[Value]:
    columns = [*keys, *rest]
    if reverse:
        columns = [shaping.flip(x, axes=(0,)) for x in columns]
    found = list(emit(sort_p, *columns, axis=0, keys=len(keys)))
    return [shaping.flip(x, axes=(0,)) for x in found] if reverse else found


@function(heaps.take_last, dynamic=as_is)
def _take_last(ctx: Context, heap: Ref) -> Abstract:
    return list_slices.pop_last(ctx, heap, heaps.EMPTY)


# ----- Heaps of objects: a number for each item, and the items in another order


@function(heaps.holds_objects, dynamic=as_is)
def _holds_objects(ctx: Context, heap: Abstract) -> Abstract:
    contents = ctx.held(heap)
    if not isinstance(contents, AnyList):
        return Static(False)
    try:
        templates = item_aliases.item_templates_of(contents, ctx.heap)
        return Static(bool(templates) and unified(templates).has_objects)
    except Mismatch:
        return Static(False)


@function(heaps.positions, dynamic=as_is)
def _positions(ctx: Context, heap: Ref) -> Abstract:
    buffer = list_edits.stack_in_place(ctx, heap, "the order of the items")
    return ctx.array(shaping.iota(shape=(buffer.capacity,), axis=0, dtype=I64))


@function(heaps.reorder, dynamic=as_is)
def _reorder(ctx: Context, heap: Ref, order: Ref) -> Abstract:
    new = taken(ctx, heap, ctx.contents_as(heap, BufferObject), order)
    list_slices.replace_items(ctx, heap, new)
    return NONE
