"""Subscripts of arrays and containers: which rule applies to which object and which key.

array   basic slices, integer arrays, masks, dynamic slices: the other files of this folder
list    items and slices at compile-time indices; run-time indices where items are stacked
dict    compile-time keys
str, tuple, range: compile-time subscripts, evaluated by Python
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import (
    AnyList,
    ArrayObject,
    BufferObject,
    DictObject,
    DynamicArray,
    FlatView,
    ListObject,
)
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.lengths import length_of
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Choice,
    Outside,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_ref,
    is_none,
    may_be_none,
)
from myia.infer.dynamic.access import bounding_aval, is_dynamic
from myia.infer.indexing import dynamic_subscripts
from myia.infer.indexing.dict_items import dict_item, dict_key, store_dict_item
from myia.infer.indexing.dynamic_slices import static_slice
from myia.infer.indexing.integer_arrays import gather_items, is_array_index, scatter_items
from myia.infer.indexing.list_items import (
    buffer_index,
    delete_list_item,
    list_part,
    row_index,
    sequence_item,
    static_key,
    store_list_item,
)
from myia.infer.indexing.masks import is_mask
from myia.infer.indexing.parse_subscripts import (
    checked_index,
    has_ellipsis,
    slice_of_range,
    subscript_of,
    with_slices,
)
from myia.infer.item_dtypes import with_known_dtypes
from myia.infer.lists import growing_lists, list_rows
from myia.infer.lists.nested_sequences import as_array, common_dtype
from myia.infer.numeric.constant_methods import evaluate_constant
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import broadcast_for_assignment
from myia.infer.numeric.samples import (
    NoSample,
    fail_without,
    sample,
)
from myia.infer.paths.branches import branch_options, on_each, with_none
from myia.infer.registry import SUBSCRIPTS
from myia.infer.unsupported import UnsupportedIndex
from myia.ir.avals import Aval
from myia.primitives.arrays import shaping
from myia.primitives.pointwise import logic

I64 = np.dtype(np.int64)
VIEW_OR_COPY = "a view, or a copy if the index is an array without dimensions"  # why read-only


# ----- Containers

INDEXED = (str, bytes, tuple, range, dict, enum.EnumMeta)  # constants that have items


def getitem(ctx: Context, x: Abstract, key: Abstract) -> Abstract:
    """`x[key]`"""
    key = with_slices(ctx, key)
    if isinstance(key, Choice):
        return branch_options(ctx, key, lambda option: getitem(ctx, x, option))
    if isinstance(x, Ref):
        if (ends := slice_of_range(ctx, x, key)) is not None:  # a copy, as of an array of integers
            return _copied(ctx, getitem(ctx, x, ends))
        if ctx.is_array(x) or is_dynamic(ctx, x):
            part = _array_item(ctx, x, _with_arrays(ctx, key))
            if isinstance(ctx.heap[x.id], FlatView):
                return _copied(ctx, part)
            return _as_selected(ctx, x, key, part)
        if (row := list_rows.row_of(ctx, x)) is not None and not isinstance(key, SliceValue):
            return list_rows.number_at(ctx, row, row_index(ctx, row, key))
        contents = ctx.contents(x)
        if isinstance(contents, DictObject):
            return dict_item(ctx, contents, key, x)
        if isinstance(contents, AnyList) and isinstance(key, SliceValue):
            return list_part(ctx, x, key)
        if isinstance(contents, ListObject):
            if isinstance(key, Scalar) and list_rows.is_list_of_lists(ctx.heap, contents):
                list_rows.require_rows(ctx, x)
                return getitem(ctx, x, key)
            if isinstance(key, Scalar) and x.id >= 0 and list_rows.require_items(ctx, x):
                return getitem(ctx, x, key)
            items = sequence_item(ctx, contents.items, key, "list")
            assert isinstance(items, Abstract)
            return items
        if isinstance(contents, BufferObject):
            return growing_lists.item_at(ctx, x, buffer_index(ctx, contents, key).value)
    if isinstance(x, Tuple):
        items = sequence_item(ctx, x.items, key, "tuple")
        return Tuple(items) if isinstance(items, tuple) else items
    if isinstance(x, Static) and isinstance(x.value, (str, bytes)) and isinstance(key, Scalar):
        kind = "string" if isinstance(x.value, str) else "bytes"
        item = sequence_item(ctx, tuple(map(Static, x.value)), key, kind)
        assert isinstance(item, Abstract)
        return item
    if isinstance(x, Static) and isinstance(x.value, INDEXED):
        return evaluate_constant(ctx, operator.getitem, x.value, static_key(ctx, key))
    if isinstance(x, Static) and id(x.value) in SUBSCRIPTS:
        of = SUBSCRIPTS[id(x.value)]
        return with_known_dtypes(ctx, (key,), lambda xs: of(ctx, *xs))
    if isinstance(x, Outside):
        return ctx.root(Answer(operator.getitem, x.value, static_key(ctx, key)))
    if isinstance(x, Range):
        return _item_of_range(ctx, x, key)
    if isinstance(x, Scalar) and not x.weak and _selects_whole_number(key):
        return Scalar(x.value, False, x.lo, x.hi, boxed=x.boxed if has_ellipsis(key) else False)
    if (found := ctx.special_method(x, "__getitem__")) is not None:
        return ctx.call(found, (key,), {})
    what, methods = ctx.describe(x), ("__getitem__", "__class_getitem__")
    fail_without(ctx, x, methods, "{} object is not subscriptable", f"a subscript of {what}")


def _item_of_range(ctx: Context, x: Range, key: Abstract) -> Abstract:
    if not is_number(key):
        ctx.needs_static("a part of a range")
    items, message = ctx.items_of(x), "range object index out of range"
    index = checked_index(ctx, key, length_of(items.length), message=message)
    return items.item(index.abstract())


def _selects_whole_number(key: Abstract) -> bool:
    """`x[()]` and `x[...]`, the subscripts of a number."""
    return has_ellipsis(key) or (isinstance(key, Tuple) and not key.items)


def setitem(ctx: Context, x: Abstract, key: Abstract, value: Abstract) -> None:
    """`x[key] = value`"""
    key = with_slices(ctx, key)
    if ctx.is_array(x) or is_dynamic(ctx, x):
        key = slice_of_range(ctx, x, key) or _with_arrays(ctx, key)
        _store_in_array(ctx, as_ref(x), key, value)
        return
    if (row := list_rows.row_of(ctx, x)) is not None and not isinstance(key, SliceValue):
        try:
            index = row_index(ctx, row, key, "list assignment")
            list_rows.store_number(ctx, row, index, value)
        except Mismatch:
            ctx.needs_static("the type of what is stored in a list of lists")
        return
    contents = ctx.held(x)
    if isinstance(contents, DictObject):
        store_dict_item(ctx, as_ref(x), key, value)
    elif isinstance(key, Choice):

        def store(option: Abstract) -> Abstract:
            setitem(ctx, x, option, value)
            return NONE

        branch_options(ctx, key, store)
    elif isinstance(contents, AnyList):
        store_list_item(ctx, as_ref(x), contents, key, value)
    elif (found := ctx.special_method(x, "__setitem__")) is not None:
        ctx.call(found, (key, value), {})
    else:
        what = ctx.describe(x)
        message = "{} object does not support item assignment"
        fail_without(ctx, x, ["__setitem__"], message, f"assignment to an item of {what}")


def delitem(ctx: Context, x: Abstract, key: Abstract) -> None:
    """`del x[key]`"""
    key, contents = with_slices(ctx, key), ctx.held(x)
    if isinstance(contents, DictObject):
        dict_item(ctx, contents, key)
        values = dict(zip(contents.keys, contents.values))
        values.pop(dict_key(ctx, key), None)
        ctx.write(as_ref(x), contents.with_items(values))
    elif isinstance(contents, AnyList):
        delete_list_item(ctx, as_ref(x), contents, key)
    elif (found := ctx.special_method(x, "__delitem__")) is not None:
        ctx.call(found, (key,), {})
    else:
        if is_none(x):
            ctx.fail(BadType, message="'NoneType' object does not support item deletion")
        ctx.fail(UnsupportedIndex, what=f"deletion of an item of {ctx.describe(x)}")


# ----- Arrays


def _with_arrays(ctx: Context, key: Abstract) -> Abstract:
    """The subscript with ranges as arrays of integers."""
    if isinstance(key, Range) or (isinstance(key, Static) and isinstance(key.value, range)):
        return as_array(ctx, key, I64)
    if isinstance(key, Tuple):
        return Tuple(tuple(_with_arrays(ctx, k) for k in key.items), key.cls)
    return key


def _array_item(ctx: Context, x: Ref, key: Abstract) -> Abstract:
    if is_dynamic(ctx, x) or dynamic_subscripts.involves_dynamic_size(ctx, x, key):
        return dynamic_subscripts.get_item(ctx, x, key)
    subscript = subscript_of(ctx, key, len(ctx.shape(x)))
    if any(map(is_array_index, subscript.entries)):
        return gather_items(ctx, x, subscript)
    return ctx.view(x, static_slice(ctx, x, subscript), boxed=has_ellipsis(key))


def _copied(ctx: Context, x: Abstract) -> Abstract:
    """A copy of the array; numbers are immutable."""
    return ctx.call(ctx.getattr(x, "copy"), (), {}) if isinstance(x, Ref) else x


def _as_selected(ctx: Context, x: Ref, key: Abstract, item: Abstract) -> Abstract:
    """`item`, a view; by an integer that is an array without dimensions NumPy selects a copy."""
    keys = key.items if isinstance(key, Tuple) else (key,)
    boxed = {k.boxed for k in keys if isinstance(k, Scalar) and k.dtype.kind in "iu"}
    if not isinstance(item, Ref) or boxed <= {False}:
        return item
    made = _copied(ctx, item)
    if True not in boxed:  # known at run time: valid until a write shows the difference
        contents = ctx.contents(as_ref(made))
        assert isinstance(contents, (ArrayObject, DynamicArray))
        ctx.heap.objects[as_ref(made).id] = replace(contents, readonly=VIEW_OR_COPY)
        ctx.heap.add_copy(x.id, as_ref(made).id)
    return made


def _store_in_array(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    """`x[key] = value` of an array; what may be None, or one of several objects, on each path."""

    def number(values: Sequence[Abstract]) -> Abstract:
        return _number_of_none(ctx, x) if is_none(values[0]) else values[0]

    def store(values: Sequence[Abstract]) -> Abstract:
        _store_array_item(ctx, x, key, number(values))
        return NONE

    if may_be_none(value) and is_number(value.value):
        value = with_none(ctx, [value], number)
    with_none(ctx, [value], lambda values: on_each(ctx, values, store))


def _number_of_none(ctx: Context, x: Ref) -> Abstract:
    """What NumPy stores for None: NaN, or False."""
    found = np.zeros(1, bounding_aval(ctx, x).dtype)
    try:
        found[0] = None
    except TypeError as e:
        ctx.fail(BadType, message=str(e))
    return Static(found[0])


def _store_array_item(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    aval = bounding_aval(ctx, x)
    is_array = ctx.is_array(value) or is_dynamic(ctx, value)
    if isinstance(value, (Tuple, Ref)) and not is_array:
        value = _items_as_array(ctx, value, aval.dtype)
    if not (is_number(value) or isinstance(value, Ref)):
        _refuse_element(ctx, value, aval.dtype)
    _check_cast(ctx, value, aval)
    if not _has_array(key):
        value = element(ctx, value, aval.dtype)
    of_number = not is_dynamic(ctx, value) and ctx.shape(value) in ((), (1,))
    if of_number and ctx.is_array(x) and ctx.is_array(key) and is_mask(ctx, key):
        _store_number_by_mask(ctx, x, key, value)
        return
    if is_dynamic(ctx, value) or dynamic_subscripts.involves_dynamic_size(ctx, x, key):
        dynamic_subscripts.store_item(ctx, x, key, value)
        return
    subscript = subscript_of(ctx, key, len(ctx.shape(x)))
    if any(map(is_array_index, subscript.entries)):
        scatter_items(ctx, x, subscript, value)
        return
    x, step = ctx.composed_view(x, static_slice(ctx, x, subscript))
    ctx.store_view(x, step, broadcast_for_assignment(ctx, value, aval.with_shape(step.shape)))


def _refuse_element(ctx: Context, value: Abstract, dtype: np.dtype) -> NoReturn:
    """What is no number: the error that NumPy raises for it."""
    message = f"cannot store {ctx.describe(value)} in an array"
    try:
        np.zeros(1, dtype)[0] = sample(ctx, value)
    except (TypeError, ValueError) as e:
        ctx.fail(BadValue, message=message, exception=type(e).__name__)
    except NoSample:
        pass
    ctx.fail(UnsupportedIndex, what=f"the store of {ctx.describe(value)} in an array")


def _items_as_array(ctx: Context, value: Abstract, dtype: np.dtype) -> Abstract:
    """A sequence to be stored: integers are made of its numbers one by one."""
    is_real = common_dtype(ctx, value).kind != "c"
    return as_array(ctx, value, dtype if dtype.kind in "iu" and is_real else None)


def _has_array(key: Abstract) -> bool:
    """A subscript by masks or integer arrays: NumPy casts what is stored there."""
    return any(isinstance(k, Ref) for k in (key.items if isinstance(key, Tuple) else (key,)))


def _check_cast(ctx: Context, value: Abstract, aval: Aval) -> None:
    kind = bounding_aval(ctx, value).dtype.kind if isinstance(value, Ref) else kind_of(value)
    if kind == "c" and aval.dtype.kind != "c":
        ctx.fail(BadType, message=f"cannot store a complex number in an array of {aval.dtype}")


def _store_number_by_mask(ctx: Context, x: Ref, mask: Ref, value: Abstract) -> None:
    """`x[mask] = number`"""
    aval = array_aval(ctx.heap, x.id)
    shape = ctx.shape(mask)
    if shape != aval.shape[: len(shape)]:
        message = f"boolean index of shape {shape} did not match an array of shape {aval.shape}"
        ctx.fail(BadValue, message=message, exception="IndexError")
    fill = broadcast_for_assignment(ctx, value, aval)
    dims = tuple(range(len(shape)))
    here = shaping.broadcast(ctx.read(mask), shape=aval.shape, dims=dims)
    ctx.store(x, logic.select(here, fill, ctx.read(x)))
