"""Subscripts of lists and tuples: items and slices, at compile-time and at run-time indices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import NumberKind, is_number, joined_all, kind_of
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import AnyList, BufferObject, DictObject, InstanceObject, ListObject
from myia.infer.domain.heap_arrays import RowObject
from myia.infer.domain.lengths import Length, length_of, static_length
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Choice,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.indexing.parse_subscripts import checked_index
from myia.infer.lists import growing_lists, list_edits, list_rows, list_slices
from myia.infer.numeric.constant_methods import python_result
from myia.infer.numeric.samples import has, type_of
from myia.infer.paths.branches import branch_options
from myia.infer.paths.choice import kind_of_option, same_function
from myia.infer.unsupported import UnsupportedContainer, UnsupportedIndex
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import array_constant

MAKE_A_LIST = "make a list of the items that stay"
CHANGED = AnyList | DictObject | InstanceObject


def static_key(ctx: Context, key: Abstract) -> Any:
    """The Python object of a compile-time subscript."""
    if isinstance(key, SliceValue):
        return slice(*(static_key(ctx, part) for part in key.children()))
    if isinstance(key, Tuple):
        return tuple(static_key(ctx, part) for part in key.items)
    if not isinstance(key, Static):
        ctx.needs_static("this subscript")
    return key.value


def sequence_item(
    ctx: Context, items: tuple[Abstract, ...], key: Abstract, kind: str
) -> Abstract | tuple[Abstract, ...]:
    """An item of a tuple, list or the like of known length, or a tuple of them."""
    if isinstance(key, SliceValue):
        return python_result(ctx, items.__getitem__, static_key(ctx, key))
    _refuse_other_index(ctx, key, kind)
    if isinstance(key, Scalar):
        return _dynamic_item(ctx, items, key, kind)
    return items[_sequence_index(ctx, key, len(items), kind)]


def _refuse_other_index(ctx: Context, key: Abstract, kind: str) -> None:
    """Lists and tuples have integer indices (those of arrays: `parse_subscripts.py`)."""
    cls = type_of(ctx, key)
    if cls is not None and not has(cls, "__index__"):
        name = kind.split()[0]
        message = f"{name} indices must be integers or slices, not {cls.__name__}"
        ctx.fail(BadType, message=message)
    if not is_number(key) or kind_of(key) not in "iub":
        ctx.fail(UnsupportedIndex, what=f"an index that is {ctx.describe(key)}")


def _out_of_range(kind: str) -> str:
    return "index out of range" if kind == "bytes" else f"{kind} index out of range"


def _sequence_index(ctx: Context, key: Abstract, n: int, kind: str) -> int:
    _refuse_other_index(ctx, key, kind)
    i = ctx.int_of(key, f"the index into a {kind.split()[0]}")
    if not -n <= i < n:
        ctx.fail(BadValue, message=_out_of_range(kind), exception="IndexError")
    return i


def _dynamic_item(ctx: Context, items: tuple[Abstract, ...], key: Scalar, kind: str) -> Abstract:
    """An item at a run-time index: the items are stacked into an array, if they are numbers."""
    if not items:
        ctx.fail(BadValue, message=_out_of_range(kind), exception="IndexError")
    if any(ctx.is_array(x) for x in items):
        ctx.needs_static(f"the index into a {kind} of different objects")
    if (found := _chosen_constant(ctx, items, key, kind)) is not None:
        return found
    if (groups := _groups_of_numbers(items)) is not None:
        return _item_of_a_group(ctx, items, groups, _index_of_run_time(ctx, items, key, kind))
    if not all(map(is_number, items)):
        list_edits.require_stackable(ctx, items, f"the index into a {kind} of different objects")
    index = _index_of_run_time(ctx, items, key, kind)
    stacked = growing_lists.stacked_list(ctx, items, objects=True)
    return growing_lists.item_at(ctx, stacked, index)


def _groups_of_numbers(items: Sequence[Abstract]) -> list[list[int]] | None:
    """The places of the numbers that are one kind; None: all are, or they are no numbers."""
    if not all(map(is_number, items)):
        return None
    kinds = [NumberKind.of(x) for x in items]
    if joined_all(kinds) is not None:
        return None
    groups: list[list[NumberKind]] = []
    for kind in {x.key: x for x in kinds}.values():
        fitting = (g for g in groups if joined_all([*g, kind]) is not None)
        if (group := next(fitting, None)) is None:
            groups.append([kind])
        else:
            group.append(kind)
    keys = [{x.key for x in group} for group in groups]
    return [[i for i, x in enumerate(kinds) if x.key in of_group] for of_group in keys]


def _item_of_a_group(
    ctx: Context, items: tuple[Abstract, ...], groups: list[list[int]], index: Value
) -> Choice:
    """The item at the index, as a choice of numbers of different kinds."""
    options = []
    for group in groups:
        of_group = tuple(x if i in group else items[group[0]] for i, x in enumerate(items))
        stacked = growing_lists.stacked_list(ctx, of_group)
        options.append(growing_lists.item_at(ctx, stacked, index))
    numbers = [next(k for k, group in enumerate(groups) if i in group) for i in range(len(items))]
    number = growing_lists.row_at(array_constant(np.array(numbers, I64.dtype)), index)
    return Choice(Scalar(number, True, 0, len(groups) - 1), tuple(options))


def _index_of_run_time(ctx: Context, items: Sequence[Abstract], key: Abstract, kind: str) -> Value:
    n = static_length(len(items))
    return checked_index(ctx, key, n, message=_out_of_range(kind)).value


def _chosen_constant(
    ctx: Context, items: tuple[Abstract, ...], key: Scalar, kind: str
) -> Abstract | None:
    """A function, string or member of an enumeration, or a tuple with some; None: it is another."""
    kinds = {_constant_kind(x) for x in items}
    if len(kinds) > 1 or None in kinds:
        return None
    options: list[Abstract] = []
    for x in items:
        if not any(map(partial(_is_one, x), options)):
            options.append(x)
    if len(options) == 1:
        return None
    if not list_edits.stacks(ctx, few=True):  # a loop may be unrolled
        ctx.needs_static(f"the index into a {kind}")
    index = _index_of_run_time(ctx, items, key, kind)
    if len(options) < len(items):
        numbers = [next(i for i, o in enumerate(options) if _is_one(x, o)) for x in items]
        index = growing_lists.row_at(array_constant(np.array(numbers, I64.dtype)), index)
    found = Choice(Scalar(index, True, 0, len(options) - 1), tuple(options))
    of_one_code = any(same_function(a, b) for a, b in combinations(options, 2))
    if of_one_code or isinstance(options[0], Tuple):  # what they hold is merged
        return branch_options(ctx, found, lambda option: option)
    return found


def _constant_kind(x: Abstract) -> Any:
    """Of a tuple its length, and whether it is all numbers: these are stacked."""
    if not isinstance(x, Tuple):
        return None if isinstance(x, Choice) else kind_of_option(x)
    kinds = [is_number(i) or _constant_kind(i) for i in x.items]
    return None if None in kinds or set(kinds) <= {True} else (x.cls, *kinds)


def _is_one(a: Abstract, b: Abstract) -> bool:
    both = isinstance(a, Static) and isinstance(b, Static)
    return a is b or (both and same_function(a, b))


def chosen_item(ctx: Context, items: Sequence[Abstract], key: Abstract, kind: str) -> Choice | None:
    """An item at a run-time index, to be changed: one of the items. None: they are not changed."""
    if not items or not isinstance(key, Scalar) or not are_changed_in_place(ctx, items):
        return None
    _refuse_other_index(ctx, key, kind)
    index = _index_of_run_time(ctx, items, key, kind)
    return Choice(Scalar(index, True, 0, len(items) - 1), tuple(items))


def are_changed_in_place(ctx: Context, xs: Sequence[Abstract]) -> bool:
    """Are they lists, dicts and instances?"""
    return all(isinstance(x, Ref) and isinstance(ctx.held(x), CHANGED) for x in xs)


def row_index(ctx: Context, row: RowObject, key: Abstract, kind: str = "list") -> Abstract:
    """The index of a number in a list of a list of lists."""
    _refuse_other_index(ctx, key, kind)
    n = static_length(list_rows.row_length(ctx, row))
    return checked_index(ctx, key, n, message=f"{kind} index out of range").abstract()


def list_part(ctx: Context, x: Ref, key: SliceValue) -> Ref:
    if list_edits.is_static_part(ctx, x, key):
        return list_slices.sliced(ctx, x, static_key(ctx, key))
    return list_edits.part(ctx, x, key)


def store_list_item(
    ctx: Context, x: Ref, contents: AnyList, key: Abstract, value: Abstract
) -> None:
    what = "list assignment"
    if isinstance(key, SliceValue):
        _store_list_part(ctx, x, contents, key, value)
    elif isinstance(contents, ListObject) and (not isinstance(key, Scalar) or not contents.items):
        items = list(contents.items)
        items[_sequence_index(ctx, key, len(items), what)] = value
        ctx.write(x, ListObject(tuple(items)))
    else:
        _refuse_other_index(ctx, key, what)
        buffer = list_edits.stack_in_place(ctx, x, "the index into a list", value)
        index = buffer_index(ctx, buffer, key, what)
        try:
            growing_lists.store_item(ctx, x, index.value, value)
        except Mismatch as m:
            ctx.fail(UnsupportedIndex, what=f"{m.a} turning into {m.b}", **m.help)


def _store_list_part(
    ctx: Context, x: Ref, contents: AnyList, key: SliceValue, value: Abstract
) -> None:
    static = list_edits.is_static_part(ctx, x, key)
    which, n = (
        (static_key(ctx, key), ctx.int_of(ctx.length(x), "a length")) if static else (None, 0)
    )
    new = list_slices.as_list(ctx, value)
    if is_number(value) or is_none(value):
        extended = which is not None and which.step not in (None, 1)
        to = "must assign iterable to extended slice" if extended else "can only assign an iterable"
        ctx.fail(BadType, message=to)
    if new is None:  # Python finds the slice, and takes all items, before it changes the list
        new = as_ref(ctx.call(Static(list), (value,), {}))
        if (now := ctx.contents(x)) is not contents:
            assert isinstance(now, AnyList)
            which, contents = _slice_found_before(ctx, x, which, n), now
    if which is not None and isinstance(contents, ListObject) and is_static_int(ctx.length(new)):
        items = list(contents.items)
        python_result(ctx, items.__setitem__, which, ctx.list_items(new))
        ctx.write(x, ListObject(tuple(items)))
    elif which is not None and is_static_int(ctx.length(new)):
        list_slices.store_slice(ctx, x, which, new)
    elif list_edits.has_step(ctx, key):
        list_edits.store_with_step(ctx, x, key, new)
    else:
        list_edits.store_part(ctx, x, key, new)


def _slice_found_before(ctx: Context, x: Ref, which: slice | None, n: int) -> slice:
    """The slice that `which` was while the list had n items; it may have others by now."""
    if which is None or not list_edits.is_static_part(ctx, x, SliceValue(NONE, NONE, NONE)):
        _refuse_changed_list(ctx)
    start, stop, step = python_result(ctx, which.indices, n)
    if step == 1:
        return slice(start, max(start, stop))
    if ctx.int_of(ctx.length(x), "a length") != n:
        _refuse_changed_list(ctx)
    return which


def _refuse_changed_list(ctx: Context) -> NoReturn:
    help_text = "make a list of them first, and store the list: `items = list(...)`"
    what = "a store of items that change the list"
    ctx.fail(UnsupportedIndex, what=what, help_text=help_text)


def delete_list_item(ctx: Context, x: Ref, contents: AnyList, key: Abstract) -> None:
    if isinstance(key, SliceValue) and not list_edits.is_static_part(ctx, x, key):
        if list_edits.has_step(ctx, key):
            what = "`del` of a slice of a list with a step and run-time bounds"
            ctx.fail(UnsupportedContainer, what=what, help_text=MAKE_A_LIST)
        list_edits.store_part(ctx, x, key, ctx.new(ListObject(())))
    elif isinstance(contents, ListObject) and not isinstance(key, Scalar):
        items = list(contents.items)
        if not isinstance(key, SliceValue):
            _sequence_index(ctx, key, len(items), "list assignment")
        python_result(ctx, items.__delitem__, static_key(ctx, key))
        ctx.write(x, ListObject(tuple(items)))
    elif isinstance(key, SliceValue):
        list_slices.delete_items(ctx, x, static_key(ctx, key))
    else:
        delete_at(ctx, x, key, "list assignment index out of range")


def delete_at(ctx: Context, x: Ref, key: Abstract, message: str) -> Abstract:
    """`x.pop(key)`, which is returned, at an index of run time; `message`: of the IndexError."""
    buffer = list_edits.stack_in_place(ctx, x, "the index of an item")
    index = buffer_index(ctx, buffer, key, message=message)
    item = growing_lists.item_at(ctx, x, index.value, taken=True)
    list_edits.delete(ctx, x, index)
    return item


def buffer_index(
    ctx: Context,
    contents: BufferObject,
    key: Abstract,
    kind: str = "list",
    message: str | None = None,
) -> Length:
    """The index of an item, made non-negative; checked unless proved in range."""
    _refuse_other_index(ctx, key, kind)
    n = length_of(growing_lists.list_length(contents))
    return checked_index(ctx, key, n, message=message or f"{kind} index out of range")
