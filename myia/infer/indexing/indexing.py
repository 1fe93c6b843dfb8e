"""Subscripts of arrays and containers: which rule applies to which object and which key.

array   basic slices, integer arrays, masks, dynamic slices: the other files of this folder
list    items and slices at compile-time indices; run-time indices where items are stacked
dict    compile-time keys
str, tuple, range: compile-time subscripts, evaluated by Python
"""

from __future__ import annotations

import collections
import enum
import operator
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.errors import BadType, BadValue, Unsupported
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import AnyList, BufferObject, DictObject, ListObject, RowObject
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.lengths import Length, length_of, static_length
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    Abstract,
    Outside,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_ref,
    is_static_int,
)
from myia.infer.dynamic.access import bounding_aval, is_dynamic
from myia.infer.indexing import dynamic_subscripts
from myia.infer.indexing.dynamic_slices import static_slice
from myia.infer.indexing.integer_arrays import gather_items, is_array_index, scatter_items
from myia.infer.indexing.masks import is_mask
from myia.infer.indexing.parse_subscripts import (
    checked_index,
    subscript_of,
    with_slices,
)
from myia.infer.lists import growing_lists, list_edits, list_rows, list_slices
from myia.infer.lists.nested_sequences import as_array, common_dtype
from myia.infer.numeric.constant_methods import evaluate_constant
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import broadcast_for_assignment
from myia.infer.numeric.samples import (
    NoSample,
    fail_without,
    has,
    require_hashable,
    sample,
    type_of,
)
from myia.infer.registry import SUBSCRIPTS
from myia.ir.avals import Aval
from myia.primitives.arrays import shaping
from myia.primitives.pointwise import logic

I64 = np.dtype(np.int64)


# ----- Containers


def getitem(ctx: Context, x: Abstract, key: Abstract) -> Abstract:
    """`x[key]`"""
    key = with_slices(key)
    if isinstance(x, Ref):
        if ctx.is_array(x) or is_dynamic(ctx, x):
            key = _with_arrays(ctx, key)
        if is_dynamic(ctx, x) or (
            ctx.is_array(x) and dynamic_subscripts.involves_dynamic_size(ctx, x, key)
        ):
            return dynamic_subscripts.get_item(ctx, x, key)
        if ctx.is_array(x):
            return _array_item(ctx, x, key)
        if (row := list_rows.row_of(ctx, x)) is not None and not isinstance(key, SliceValue):
            return list_rows.number_at(ctx, row, _row_index(ctx, row, key))
        contents = ctx.contents(x)
        if isinstance(contents, DictObject):
            return _dict_item(ctx, contents, key)
        if isinstance(contents, AnyList) and isinstance(key, SliceValue):
            return _list_part(ctx, x, key)
        if isinstance(contents, ListObject):
            if isinstance(key, Scalar) and list_rows.is_list_of_lists(ctx.heap, contents):
                list_rows.require_rows(ctx, x)
                return getitem(ctx, x, key)
            items = _sequence_item(ctx, contents.items, key, "list")
            assert isinstance(items, Abstract)
            return items
        if isinstance(contents, BufferObject):
            return growing_lists.item_at(ctx, x, buffer_index(ctx, contents, key).value)
    if isinstance(x, Tuple):
        items = _sequence_item(ctx, x.items, key, "tuple")
        return Tuple(items) if isinstance(items, tuple) else items
    if isinstance(x, Static) and isinstance(x.value, (str, tuple, range, dict, enum.EnumMeta)):
        return evaluate_constant(ctx, operator.getitem, x.value, static_key(ctx, key))
    if isinstance(x, Static) and id(x.value) in SUBSCRIPTS:
        return SUBSCRIPTS[id(x.value)](ctx, key)
    if isinstance(x, Outside):
        return ctx.root(Answer(operator.getitem, x.value, static_key(ctx, key)))
    if isinstance(x, Range):
        return ctx.items_of(x).item(key)
    if isinstance(x, Scalar) and not x.weak and _selects_whole_number(key):
        return Scalar(x.value, False, x.lo, x.hi, boxed=x.boxed if _has_ellipsis(key) else False)
    if (found := ctx.special_method(x, "__getitem__")) is not None:
        return ctx.call(found, (key,), {})
    what, methods = ctx.describe(x), ("__getitem__", "__class_getitem__")
    fail_without(ctx, x, methods, f"{what} is not subscriptable", f"a subscript of {what}")


def _selects_whole_number(key: Abstract) -> bool:
    """`x[()]` and `x[...]`, the subscripts of a number."""
    return _has_ellipsis(key) or (isinstance(key, Tuple) and not key.items)


def setitem(ctx: Context, x: Abstract, key: Abstract, value: Abstract) -> None:
    """`x[key] = value`"""
    key = with_slices(key)
    if ctx.is_array(x) or is_dynamic(ctx, x):
        _store_array_item(ctx, as_ref(x), _with_arrays(ctx, key), ctx.force(value))
        return
    if (row := list_rows.row_of(ctx, x)) is not None and not isinstance(key, SliceValue):
        try:
            index = _row_index(ctx, row, key, "list assignment")
            list_rows.store_number(ctx, row, index, value)
        except Mismatch:
            ctx.needs_static("the type of what is stored in a list of lists")
        return
    contents = ctx.held(x)
    if isinstance(contents, DictObject):
        values = dict(zip(contents.keys, contents.values))
        values[dict_key(ctx, key)] = value
        ctx.write(as_ref(x), contents.with_items(values))
    elif isinstance(contents, AnyList):
        _store_list_item(ctx, as_ref(x), contents, key, value)
    elif (found := ctx.special_method(x, "__setitem__")) is not None:
        ctx.call(found, (key, value), {})
    else:
        what = ctx.describe(x)
        message = f"{what} does not support item assignment"
        fail_without(ctx, x, ["__setitem__"], message, f"assignment to an item of {what}")


def delitem(ctx: Context, x: Abstract, key: Abstract) -> None:
    """`del x[key]`"""
    key, contents = with_slices(key), ctx.held(x)
    if isinstance(contents, DictObject):
        _dict_item(ctx, contents, key)
        values = dict(zip(contents.keys, contents.values))
        values.pop(dict_key(ctx, key), None)
        ctx.write(as_ref(x), contents.with_items(values))
    elif isinstance(contents, AnyList):
        _delete_list_item(ctx, as_ref(x), contents, key)
    else:
        ctx.fail(Unsupported, what=f"deletion of an item of {ctx.describe(x)}")


def static_key(ctx: Context, key: Abstract) -> Any:
    """The Python object of a compile-time subscript."""
    if isinstance(key, SliceValue):
        return slice(*(static_key(ctx, part) for part in key.children()))
    if isinstance(key, Tuple):
        return tuple(static_key(ctx, part) for part in key.items)
    if not isinstance(key, Static):
        ctx.needs_static("this subscript")
    return key.value


def dict_key(ctx: Context, key: Abstract) -> Any:
    """A compile-time, hashable key."""
    require_hashable(ctx, key)
    return static_key(ctx, key)


def _dict_item(ctx: Context, contents: DictObject, key: Abstract) -> Abstract:
    value = dict_key(ctx, key)
    if value not in contents.keys and issubclass(contents.cls, collections.Counter):
        return Static(0)
    if value not in contents.keys and hasattr(contents.cls, "__missing__"):
        what = f"a missing key of a {contents.cls.__name__}, {value!r},"
        ctx.fail(Unsupported, what=what, help_text="write `d.setdefault(key, default)`")
    if value not in contents.keys:
        fail_missing(ctx, value)
    return contents.values[contents.keys.index(value)]


def fail_missing(ctx: Context, key: Any) -> NoReturn:
    ctx.fail(BadValue, message=f"key {key!r} is not in the dict", exception="KeyError")


def _sequence_item(
    ctx: Context, items: tuple[Abstract, ...], key: Abstract, kind: str
) -> Abstract | tuple[Abstract, ...]:
    """An item of a tuple or list of known length, or a tuple of them."""
    if isinstance(key, SliceValue):
        return items[static_key(ctx, key)]
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
        ctx.fail(Unsupported, what=f"an index that is {ctx.describe(key)}")


def _sequence_index(ctx: Context, key: Abstract, n: int, kind: str) -> int:
    _refuse_other_index(ctx, key, kind)
    i = ctx.int_of(key, f"the index into a {kind.split()[0]}")
    if not -n <= i < n:
        ctx.fail(BadValue, message=f"{kind} index out of range", exception="IndexError")
    return i


def _dynamic_item(ctx: Context, items: tuple[Abstract, ...], key: Scalar, kind: str) -> Abstract:
    """An item at a run-time index: the items are stacked into an array, if they are numbers."""
    if not items or not all(is_number(x) for x in items):
        ctx.needs_static(f"the index into a {kind} of different objects")
    index = checked_index(ctx, key, static_length(len(items)), message=f"{kind} index out of range")
    return growing_lists.item_at(ctx, growing_lists.stacked_list(ctx, items), index.value)


def _row_index(ctx: Context, row: RowObject, key: Abstract, kind: str = "list") -> Abstract:
    """The index of a number in a list of a list of lists."""
    _refuse_other_index(ctx, key, kind)
    n = static_length(list_rows.row_length(ctx, row))
    return checked_index(ctx, key, n, message=f"{kind} index out of range").abstract()


def _list_part(ctx: Context, x: Ref, key: SliceValue) -> Ref:
    if list_edits.is_static_part(ctx, x, key):
        return list_slices.sliced(ctx, x, static_key(ctx, key))
    return list_edits.part(ctx, x, key)


def _store_list_item(
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
            ctx.fail(Unsupported, what=f"{m.a} turning into {m.b}", **m.help)


def _store_list_part(
    ctx: Context, x: Ref, contents: AnyList, key: SliceValue, value: Abstract
) -> None:
    static = list_edits.is_static_part(ctx, x, key)
    new = list_slices.as_list(ctx, value) or ctx.new(ListObject(ctx.list_items(value)))
    if isinstance(contents, ListObject) and static:
        items = list(contents.items)
        items[static_key(ctx, key)] = ctx.list_items(value)
        ctx.write(x, ListObject(tuple(items)))
    elif static and is_static_int(ctx.length(new)):
        list_slices.store_slice(ctx, x, static_key(ctx, key), new)
    else:
        list_edits.store_part(ctx, x, key, new)


def _delete_list_item(ctx: Context, x: Ref, contents: AnyList, key: Abstract) -> None:
    if isinstance(key, SliceValue) and not list_edits.is_static_part(ctx, x, key):
        list_edits.store_part(ctx, x, key, ctx.new(ListObject(())))
    elif isinstance(contents, ListObject) and not isinstance(key, Scalar):
        items = list(contents.items)
        if not isinstance(key, SliceValue):
            _sequence_index(ctx, key, len(items), "list assignment")
        del items[static_key(ctx, key)]
        ctx.write(x, ListObject(tuple(items)))
    elif isinstance(key, SliceValue):
        list_slices.delete_items(ctx, x, static_key(ctx, key))
    else:
        delete_at(ctx, x, key, "list assignment index out of range")


def delete_at(ctx: Context, x: Ref, key: Abstract, message: str) -> Abstract:
    """`x.pop(key)`, which is returned, at an index of run time; `message`: of the IndexError."""
    buffer = list_edits.stack_in_place(ctx, x, "the index of an item")
    index = buffer_index(ctx, buffer, key, message=message)
    item = growing_lists.item_at(ctx, x, index.value)
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


# ----- Arrays


def _with_arrays(ctx: Context, key: Abstract) -> Abstract:
    """The subscript with ranges as arrays of integers."""
    if isinstance(key, Range) or (isinstance(key, Static) and isinstance(key.value, range)):
        return ctx.as_array(key)
    if isinstance(key, Tuple):
        return Tuple(tuple(_with_arrays(ctx, k) for k in key.items), key.cls)
    return key


def _array_item(ctx: Context, x: Ref, key: Abstract) -> Abstract:
    subscript = subscript_of(ctx, key, len(ctx.shape(x)))
    if any(map(is_array_index, subscript.entries)):
        return gather_items(ctx, x, subscript)
    return ctx.view(x, static_slice(ctx, x, subscript), boxed=_has_ellipsis(key))


def _has_ellipsis(key: Abstract) -> bool:
    """True for `x[..., 0]`, which is an array without dimensions where `x[0]` is a number."""
    keys = key.items if isinstance(key, Tuple) else (key,)
    if isinstance(key, Static) and isinstance(key.value, tuple):
        keys = tuple(map(Static, key.value))
    return any(isinstance(k, Static) and k.value is Ellipsis for k in keys)


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
    ctx.fail(Unsupported, what=f"the store of {ctx.describe(value)} in an array")


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
