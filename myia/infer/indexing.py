"""Subscripts: of arrays (basic indexing, integer arrays, masks) and of containers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myia.infer import lists
from myia.infer.context import Context, array_aval
from myia.infer.errors import BadType, BadValue, Unsupported
from myia.infer.heap import BufferObject, DictObject, ListObject
from myia.infer.join import Mismatch
from myia.infer.layout import in_c_order
from myia.infer.numbers import bounds, is_number, kind_of, number_value
from myia.infer.operands import operand
from myia.infer.values import (
    Abstract,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    is_none,
    static_int,
)
from myia.infer.views import Window, reshape
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives import arithmetic, logic, shaping
from myia.primitives.define import constant
from myia.primitives.indexing import index_dims, scatter, take

I64 = np.dtype(np.int64)


# ----- Containers


def getitem(ctx: Context, x: Abstract, key: Abstract) -> Abstract:
    """`x[key]`"""
    if ctx.is_array(x):
        return _array_item(ctx, x, key)
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        if isinstance(contents, DictObject):
            return _dict_item(ctx, contents, key)
        if isinstance(contents, ListObject):
            items = _sequence_item(ctx, contents.items, key, "list")
            return ctx.new(ListObject(items)) if isinstance(items, tuple) else items
        if isinstance(contents, BufferObject):
            return _buffer_item(ctx, x, key)
    if isinstance(x, Tuple):
        items = _sequence_item(ctx, x.items, key, "tuple")
        return Tuple(items) if isinstance(items, tuple) else items
    if isinstance(x, Static) and isinstance(x.value, (str, tuple, range, dict)):
        return Static(x.value[static_key(ctx, key)])
    if isinstance(x, Range):
        return ctx.sequence(x).item(key)
    if (found := ctx.special_method(x, "__getitem__")) is not None:
        return ctx.call(found, (key,), {})
    ctx.fail(BadType, message=f"{ctx.describe(x)} is not subscriptable")


def setitem(ctx: Context, x: Abstract, key: Abstract, value: Abstract) -> None:
    """`x[key] = value`"""
    if ctx.is_array(x):
        _store_array_item(ctx, x, key, ctx.force(value))
        return
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, DictObject):
        items = dict(zip(contents.keys, contents.values))
        items[dict_key(ctx, key)] = value
        ctx.write(x, DictObject(tuple(items), tuple(items.values())))
    elif isinstance(contents, ListObject):
        items = list(contents.items)
        if isinstance(key, SliceValue):
            items[static_key(ctx, key)] = ctx.list_items(value)
        else:
            items[_position(ctx, key, len(items), "list assignment")] = value
        ctx.write(x, ListObject(tuple(items)))
    elif isinstance(contents, BufferObject):
        _store_buffer_item(ctx, x, key, value)
    elif (found := ctx.special_method(x, "__setitem__")) is not None:
        ctx.call(found, (key, value), {})
    else:
        ctx.fail(BadType, message=f"{ctx.describe(x)} does not support item assignment")


def delitem(ctx: Context, x: Abstract, key: Abstract) -> None:
    """`del x[key]`"""
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, DictObject):
        _dict_item(ctx, contents, key)
        items = dict(zip(contents.keys, contents.values))
        del items[dict_key(ctx, key)]
        ctx.write(x, DictObject(tuple(items), tuple(items.values())))
    elif isinstance(contents, ListObject):
        items = list(contents.items)
        del items[static_key(ctx, key)]
        ctx.write(x, ListObject(tuple(items)))
    else:
        ctx.fail(Unsupported, what=f"deletion of an item of {ctx.describe(x)}")


def static_key(ctx: Context, key: Abstract):
    """A compile-time subscript as Python has it."""
    if isinstance(key, SliceValue):
        return slice(*(static_key(ctx, part) for part in key.children()))
    if isinstance(key, Tuple):
        return tuple(static_key(ctx, part) for part in key.items)
    if not isinstance(key, Static):
        ctx.needs_static("this subscript")
    return key.value


def dict_key(ctx: Context, key: Abstract):
    """A compile-time, hashable key."""
    value = static_key(ctx, key)
    try:
        hash(value)
    except TypeError as e:
        ctx.fail(BadType, message=str(e))
    return value


def _dict_item(ctx: Context, contents: DictObject, key: Abstract) -> Abstract:
    value = dict_key(ctx, key)
    if value not in contents.keys:
        ctx.fail(BadValue, message=f"key {value!r} is not in the dict", exception="KeyError")
    return contents.values[contents.keys.index(value)]


def _sequence_item(ctx: Context, items: tuple, key: Abstract, kind: str):
    """An item of a tuple or list of known length, or a tuple of them."""
    if isinstance(key, SliceValue):
        return items[static_key(ctx, key)]
    if isinstance(key, Scalar) and kind_of(key) in "iub":
        return _dynamic_item(ctx, items, key, kind)
    return items[_position(ctx, key, len(items), kind)]


def _position(ctx: Context, key: Abstract, n: int, kind: str) -> int:
    i = ctx.int_of(key, f"the index into a {kind.split()[0]}")
    if not -n <= i < n:
        ctx.fail(BadValue, message=f"{kind} index out of range", exception="IndexError")
    return i


def _dynamic_item(ctx: Context, items: tuple, key: Scalar, kind: str) -> Abstract:
    """An item at a run-time index: the items are stacked, if they are numbers."""
    if not items or not all(is_number(x) for x in items):
        ctx.needs_static(f"the index into a {kind} of different objects")
    return lists.item_at(ctx, lists.stacked(ctx, items), index_value(ctx, key, len(items)))


def _buffer_item(ctx: Context, x: Ref, key: Abstract) -> Abstract:
    contents = ctx.contents(x)
    count = lists.length(contents)
    if isinstance(key, SliceValue):
        ctx.int_of(count, "the length of a list that is sliced")
        part = range(count.value)[static_key(ctx, key)]
        items = tuple(lists.item_at(ctx, x, constant(i, I64)) for i in part)
        return ctx.new(ListObject(items))
    return lists.item_at(ctx, x, _buffer_index(ctx, contents, key))


def _store_buffer_item(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    contents = ctx.contents(x)
    if isinstance(key, SliceValue):
        ctx.fail(
            Unsupported,
            what="a store into a slice of a list built in a loop",
            help_text="use an array: `hs = np.zeros((n, ...))`",
        )
    try:
        lists.store(ctx, x, _buffer_index(ctx, contents, key), value)
    except Mismatch as m:
        ctx.fail(Unsupported, what=f"{m.a} turning into {m.b}")


def _buffer_index(ctx: Context, contents: BufferObject, key: Abstract) -> Value:
    """The index of an item, made non-negative; checked unless proved in range."""
    count = lists.length(contents)
    if static_int(count):
        return index_value(ctx, key, count.value)
    n = count.value
    index = number_value(key, I64)
    lo, hi = bounds(key)
    if hi is not None and hi < 0:
        index = arithmetic.add(index, n)
    elif lo is None or lo < 0:
        index = logic.select(logic.lt(index, constant(0, I64)), arithmetic.add(index, n), index)
    outside = logic.or_(logic.lt(index, constant(0, I64)), logic.ge(index, n))
    ctx.check(outside, IndexError, "list index out of range")
    return index


# ----- Indices


def index_value(ctx: Context, key: Abstract, n: int) -> Value:
    """An index into an axis of `n` elements, made non-negative; checked unless proved in range."""
    if not is_number(key) or kind_of(key) not in "iub":
        ctx.fail(BadType, message=f"an index must be an integer, not {ctx.describe(key)}")
    lo, hi = bounds(key)
    if static_int(key):
        if not -n <= lo < n:
            message = f"index {lo} is out of bounds for axis with size {n}"
            ctx.fail(BadValue, message=message, exception="IndexError")
        return constant(lo % n, I64)
    value = number_value(key, I64)
    if not (lo is not None and hi is not None and -n <= lo and hi < n):
        below = logic.lt(value, constant(-n, I64))
        outside = logic.or_(below, logic.ge(value, constant(n, I64)))
        ctx.check(outside, IndexError, f"index out of bounds for axis with size {n}")
    if lo is not None and lo >= 0:
        return value
    wrapped = arithmetic.add(value, n)
    if hi is not None and hi < 0:
        return wrapped
    return logic.select(logic.lt(value, constant(0, I64)), wrapped, value)


@dataclass(frozen=True)
class Subscript:
    """A subscript of an array, one entry for each of its axes, and the axes that `None` adds."""

    entries: tuple[Abstract, ...]
    new_axes: tuple[int, ...]  # positions among the entries before which an axis is added


def _subscript(ctx: Context, key: Abstract, ndim: int) -> Subscript:
    """Ellipsis expanded, missing axes taken whole."""
    keys = key.items if isinstance(key, Tuple) else (key,)
    if isinstance(key, Static) and isinstance(key.value, tuple):
        keys = tuple(map(Static, key.value))
    whole = SliceValue(Static(None), Static(None), Static(None))
    entries: list[Abstract] = []
    new_axes: list[int] = []
    given = sum(_axes_of(ctx, k) for k in keys)
    for k in keys:
        if is_none(k):
            new_axes.append(len(entries))
        elif isinstance(k, Static) and k.value is Ellipsis:
            entries += [whole] * (ndim - given)
        else:
            entries.append(k)
    missing = ndim - sum(_axes_of(ctx, k) for k in entries)
    if missing < 0:
        message = f"too many indices for array: array is {ndim}-dimensional"
        ctx.fail(BadValue, message=message, exception="IndexError")
    return Subscript((*entries, *[whole] * missing), tuple(new_axes))


def _axes_of(ctx: Context, k: Abstract) -> int:
    """How many axes an entry indexes."""
    if is_none(k) or (isinstance(k, Static) and k.value is Ellipsis):
        return 0
    if ctx.is_array(k) and array_aval(ctx.heap, k.id).dtype.kind == "b":
        return len(ctx.shape(k))
    return 1


def _is_array_index(ctx: Context, k: Abstract) -> bool:
    return isinstance(k, (Ref, Tuple))


def window(ctx: Context, shape: tuple[int, ...], subscript: Subscript) -> Window:
    """Basic indexing: where the part taken starts, its extents, and the shape it is seen in."""
    starts, sizes, strides, seen = [], [], [], []
    for axis, (entry, n) in enumerate(zip(subscript.entries, shape)):
        seen += [1] * subscript.new_axes.count(axis)
        if isinstance(entry, SliceValue):
            start, size, stride = _slice(ctx, entry, n)
            seen.append(size)
        else:
            index = index_value(ctx, entry, n)
            start, size, stride = int(entry.value) % n if static_int(entry) else index, 1, 1
        starts.append(start)
        sizes.append(size)
        strides.append(stride)
    seen += [1] * subscript.new_axes.count(len(shape))
    return Window(tuple(starts), tuple(sizes), tuple(strides), tuple(seen))


def _slice(ctx: Context, entry: SliceValue, n: int) -> tuple[int | Value, int, int]:
    """Start, number and stride of a slice: compile-time, or `x[i : i + 3]`."""
    parts = entry.children()
    if all(isinstance(p, Static) for p in parts):
        try:
            taken = range(n)[slice(*(p.value for p in parts))]
        except (TypeError, ValueError) as e:
            ctx.fail(BadType, message=str(e))
        return (taken.start if len(taken) else 0), len(taken), taken.step
    size = _constant_extent(entry)
    if size is None:
        ctx.needs_static("the length of a slice")
    lo, hi = bounds(entry.start)
    start = number_value(entry.start, I64)
    # NumPy would take less of a slice that leaves the axis: its length would be a run-time value.
    if not (lo is not None and lo >= 0 and hi is not None and hi + size <= n):
        failed = logic.or_(
            logic.lt(start, constant(0, I64)), logic.gt(start, constant(n - size, I64))
        )
        ctx.check(failed, IndexError, f"a slice of run-time bounds leaves an axis of size {n}")
    return start, size, 1


def _constant_extent(entry: SliceValue) -> int | None:
    """`c` of `x[i : i + c]`"""
    start, stop, step = entry.children()
    one = is_none(step) or (static_int(step) and step.value == 1)
    if not one or not isinstance(start, Scalar) or not isinstance(stop, Scalar):
        return None
    (base, scale, a), (other, scale_too, b) = start.place, stop.place
    return max(0, b - a) if base is other and scale == scale_too else None


# ----- Arrays


def _array_item(ctx: Context, x: Ref, key: Abstract) -> Abstract:
    shape = ctx.shape(x)
    subscript = _subscript(ctx, key, len(shape))
    if any(_is_array_index(ctx, k) or _is_bool(k) for k in subscript.entries):
        return _gather(ctx, x, subscript)
    return ctx.view(x, window(ctx, shape, subscript))


def _is_bool(k: Abstract) -> bool:
    return is_number(k) and kind_of(k) == "b"


def _store_array_item(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    shape = ctx.shape(x)
    aval = array_aval(ctx.heap, x.id)
    if isinstance(value, (Tuple, Ref)) and not ctx.is_array(value):
        value = ctx.as_array(value)
    if not (is_number(value) or ctx.is_array(value)):
        ctx.fail(BadType, message=f"cannot store {ctx.describe(value)} in an array")
    _check_cast(ctx, value, aval)
    if ctx.is_array(key) and array_aval(ctx.heap, key.id).dtype.kind == "b":
        _store_where(ctx, x, key, value)
        return
    subscript = _subscript(ctx, key, len(shape))
    if any(_is_array_index(ctx, k) or _is_bool(k) for k in subscript.entries):
        _scatter(ctx, x, subscript, value)
        return
    step = window(ctx, shape, subscript)
    fitted = _fit(ctx, value, aval.with_shape(step.shape))
    ctx.store(x, step.write(ctx.read(x), fitted))


def _check_cast(ctx: Context, value: Abstract, aval: Aval) -> None:
    kind = array_aval(ctx.heap, value.id).dtype.kind if isinstance(value, Ref) else kind_of(value)
    if kind == "c" and aval.dtype.kind != "c":
        ctx.fail(BadType, message=f"cannot store a complex number in an array of {aval.dtype}")


def _fit(ctx: Context, value: Abstract, aval: Aval) -> Value:
    """The value to be stored, broadcast to its place (leading axes of extent 1 are dropped)."""
    shape = ctx.shape(value)
    while len(shape) > aval.ndim and shape[0] == 1:
        shape = shape[1:]
    if isinstance(value, Ref) and shape != ctx.shape(value):
        value = ctx.array(reshape(ctx.read(value), shape))
    try:
        fits = np.broadcast_shapes(shape, aval.shape) == aval.shape
    except ValueError:
        fits = False
    if not fits:
        message = f"could not broadcast input array from shape {shape} into shape {aval.shape}"
        ctx.fail(BadValue, message=message)
    if isinstance(value, Static) and aval.dtype.kind in "biu":
        value = Static(np.asarray(value.value).astype(aval.dtype)[()])
    return operand(ctx, value, aval)


def _store_where(ctx: Context, x: Ref, mask: Ref, value: Abstract) -> None:
    """`x[mask] = number`"""
    aval = array_aval(ctx.heap, x.id)
    shape = ctx.shape(mask)
    if shape != aval.shape[: len(shape)]:
        message = f"boolean index of shape {shape} did not match an array of shape {aval.shape}"
        ctx.fail(BadValue, message=message, exception="IndexError")
    if ctx.shape(value) not in ((), (1,)):
        ctx.fail(
            Unsupported,
            what="a store of an array at a mask",
            help_text="use `np.where(mask, values, x)` with values of x's shape",
        )
    fill = _fit(ctx, value, aval)
    dims = tuple(range(len(shape)))
    here = shaping.broadcast(ctx.read(mask), shape=aval.shape, dims=dims)
    ctx.store(x, logic.select(here, fill, ctx.read(x)))


# ----- Integer arrays


def _gather(ctx: Context, x: Ref, subscript: Subscript) -> Abstract:
    axis, index = _one_array_index(ctx, subscript)
    shape = ctx.shape(x)
    rows = _checked_rows(ctx, index, shape[axis])
    if rows.aval.size == 0:
        taken = (*shape[:axis], *rows.shape, *shape[axis + 1 :])
        return ctx.array(constant(0, array_aval(ctx.heap, x.id).dtype, taken))
    # NumPy puts the axes of the index first in memory, wherever they are in the result.
    return ctx.array(take(ctx.read(x), rows, axis), contiguous=axis == 0 and in_c_order(ctx, x))


def _scatter(ctx: Context, x: Ref, subscript: Subscript, value: Abstract) -> None:
    axis, index = _one_array_index(ctx, subscript)
    shape, aval = ctx.shape(x), array_aval(ctx.heap, x.id)
    rows = _checked_rows(ctx, index, shape[axis])
    place = (*shape[:axis], *rows.shape, *shape[axis + 1 :])
    fitted = _fit(ctx, value, aval.with_shape(place))
    n = rows.aval.ndim
    dims = index_dims(
        offset_dims=tuple(i for i in range(fitted.aval.ndim) if not axis <= i < axis + n),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
    )
    indices = reshape(rows, (*rows.shape, 1))
    stored = scatter(ctx.read(x), indices, fitted, dims=dims, mode="clip", unique=False)
    ctx.store(x, stored)


def _one_array_index(ctx: Context, subscript: Subscript) -> tuple[int, Ref]:
    """The axis that an integer array indexes, the others being taken whole."""
    found = [(i, k) for i, k in enumerate(subscript.entries) if not _is_whole(k)]
    if len(found) != 1 or subscript.new_axes or _is_bool(found[0][1]):
        ctx.fail(
            Unsupported,
            what="this mixture of indices",
            help_text="index with one integer array, the other axes whole",
        )
    axis, index = found[0]
    index = ctx.as_array(index) if not ctx.is_array(index) else index
    if array_aval(ctx.heap, index.id).dtype.kind not in "iu":
        ctx.fail(
            Unsupported,
            what="an index that is not an array of integers",
            help_text="select with `np.where(mask, x, other)`: its shape is known",
        )
    return axis, index


def _is_whole(k: Abstract) -> bool:
    return isinstance(k, SliceValue) and all(is_none(p) for p in k.children())


def _checked_rows(ctx: Context, index: Ref, n: int) -> Value:
    """Integer indices made non-negative, checked at run time."""
    value = operand(ctx, index, Aval(I64, ctx.shape(index)))
    if n == 0 and value.aval.size > 0:
        message = "index is out of bounds for axis with size 0"
        ctx.fail(BadValue, message=message, exception="IndexError")
    zero = constant(0, I64, value.shape)
    failed = logic.or_(
        logic.lt(value, constant(-n, I64, value.shape)),
        logic.ge(value, constant(n, I64, value.shape)),
    )
    ctx.check(ctx.any(failed), IndexError, f"index out of bounds for axis with size {n}")
    return logic.select(logic.lt(value, zero), arithmetic.add(value, n), value)
