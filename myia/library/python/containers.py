"""Methods of Python's lists, dicts and tuples."""

from __future__ import annotations

import copy
from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue, Unsupported
from myia.infer.domain.heap import BufferObject, DictObject, ListObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import NONE, Abstract, Iterator, Ref, Static, Tuple
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing.indexing import dict_key, fail_missing, getitem
from myia.infer.lists import growing_lists, list_slices
from myia.infer.operators import comparison, operators
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.registry import as_is, function, method

# ----- Lists


@method("list", "append", dynamic=as_is)
def _append(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    try:
        growing_lists.append(ctx, self, item)
    except Mismatch as m:
        ctx.fail(Unsupported, what=f"{m.a} turning into {m.b}", **m.help)
    return NONE


@method("list", "extend", dynamic=as_is)
def _extend(ctx: Context, self: Ref, items: Abstract) -> Abstract:
    for item in ctx.list_items(items):
        _append(ctx, self, item)
    return NONE


def _static_items(ctx: Context, self: Ref, what: str) -> ListObject:
    contents = ctx.contents(self)
    if isinstance(contents, BufferObject):
        ctx.fail(
            Unsupported,
            what=f"`{what}` of a list built in a loop",
            help_text="use an array and an index",
        )
    return contents


@method("list", "pop", dynamic=as_is)
def _pop(ctx: Context, self: Ref, index: Abstract = Static(-1)) -> Abstract:
    contents = ctx.contents(self)
    if isinstance(contents, BufferObject):
        return _pop_grown(ctx, self, index)
    items = list(contents.items)
    i = ctx.int_of(index, "the index of an item")
    if not -len(items) <= i < len(items):
        ctx.fail(BadValue, message="pop index out of range", exception="IndexError")
    item = items.pop(i)
    ctx.write(self, ListObject(tuple(items)))
    return item


def _pop_grown(ctx: Context, self: Ref, index: Abstract) -> Abstract:
    """`pop` of a list that has grown in a loop, whose length may be dynamic."""
    i = ctx.int_of(index, "the index of an item")
    if i == -1:
        return list_slices.pop_last(ctx, self)
    item = getitem(ctx, self, index)
    list_slices.delete_items(ctx, self, i)
    return item


@method("list", "insert", dynamic=as_is)
def _insert(ctx: Context, self: Ref, index: Abstract, item: Abstract) -> Abstract:
    i = ctx.int_of(index, "the index of an item")
    list_slices.store_slice(ctx, self, slice(i, i), ctx.new(ListObject((item,))))
    return NONE


@method("list", "remove", dynamic=as_is)
def _remove(ctx: Context, self: Ref, x: Abstract) -> Abstract:
    items = list(_static_items(ctx, self, "remove").items)
    del items[_index_of_equal(ctx, tuple(items), x, "list.remove(x): x not in list")]
    ctx.write(self, ListObject(tuple(items)))
    return NONE


@method("list", "index", dynamic=as_is)
def _list_index(ctx: Context, self: Ref, x: Abstract) -> Abstract:
    items = _static_items(ctx, self, "index").items
    return Static(_index_of_equal(ctx, items, x, f"{ctx.describe(x)} is not in list"))


@method("list", "count", dynamic=as_is)
def _list_count(ctx: Context, self: Ref, x: Abstract) -> Abstract:
    return _count_items(ctx, _static_items(ctx, self, "count").items, x)


def _index_of_equal(ctx: Context, items: tuple[Abstract, ...], x: Abstract, missing: str) -> int:
    """The index of the first item that equals `x`."""
    for i, item in enumerate(items):
        equal = comparison.is_or_equals(ctx, item, x)
        if ctx.static(equal, "which item of a list this is"):
            return i
    ctx.fail(BadValue, message=missing)


def _count_items(ctx: Context, items: tuple[Abstract, ...], x: Abstract) -> Abstract:
    total: Abstract = Static(0)
    for item in items:
        equal = comparison.is_or_equals(ctx, item, x)
        total = operators.binary(ctx, "+", total, equal)
    return total


@method("list", "sort", dynamic=as_is)
def _sort(ctx: Context, self: Ref, **options: Abstract) -> Abstract:
    _static_items(ctx, self, "sort")
    found = ctx.call(Static(sorted), (self,), options)
    ctx.write(self, ctx.contents(found))
    return NONE


@method("list", "reverse", dynamic=as_is)
def _reverse(ctx: Context, self: Ref) -> Abstract:
    list_slices.replace_items(ctx, self, list_slices.sliced(ctx, self, slice(None, None, -1)))
    return NONE


@method("list", "clear", dynamic=as_is)
def _clear(ctx: Context, self: Ref) -> Abstract:
    ctx.write(self, ListObject(()))
    return NONE


@method("list", "copy", dynamic=as_is)
def _copy(ctx: Context, self: Ref) -> Abstract:
    return growing_lists.copied_list(ctx, self)


@function(copy.copy)
def _shallow_copy(ctx: Context, x: Abstract) -> Abstract:
    """A shallow copy; values other than containers, instances and arrays are immutable."""
    if not isinstance(x, Ref):
        return x
    return (
        deep_copied(ctx, x, {})
        if ctx.is_array(x) or is_dynamic(ctx, x)
        else growing_lists.copied_list(ctx, x)
    )


@function(copy.deepcopy)
def _deep_copy(ctx: Context, x: Abstract) -> Abstract:
    return deep_copied(ctx, x, {})


@method("dict", "copy", dynamic=as_is)
def _copy_dict(ctx: Context, self: Ref) -> Abstract:
    contents = ctx.contents(self)
    is_dict = contents.cls.copy is dict.copy  # which makes a dict of a subclass, too
    return ctx.new(replace(contents, cls=dict if is_dict else contents.cls))


# ----- Dicts


@method("dict", "keys", dynamic=as_is)
def _keys(ctx: Context, self: Ref) -> Abstract:
    return Iterator("keys", (self,))


@method("dict", "values", dynamic=as_is)
def _values(ctx: Context, self: Ref) -> Abstract:
    return Iterator("values", (self,))


@method("dict", "items", dynamic=as_is)
def _items(ctx: Context, self: Ref) -> Abstract:
    return Iterator("items", (self,))


@method("dict", "get", dynamic=as_is)
def _get(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    return getitem(ctx, self, key) if dict_key(ctx, key) in ctx.contents(self).keys else default


@method("dict", "update", dynamic=as_is)
def _update(ctx: Context, self: Ref, other: Abstract | None = None, /, **items) -> Abstract:
    contents = ctx.contents(self)
    found = dict(zip(contents.keys, contents.values))
    if other is not None:
        new = ctx.contents(ctx.call(Static(dict), (other,), {}))
        found.update(zip(new.keys, new.values))
    found.update(items)
    ctx.write(self, contents.with_items(found))
    return NONE


@method("dict", "pop", dynamic=as_is)
def _pop_item(ctx: Context, self: Ref, key: Abstract, *default: Abstract) -> Abstract:
    contents, wanted = ctx.contents(self), dict_key(ctx, key)
    if wanted not in contents.keys:
        return default[0] if default else fail_missing(ctx, wanted)
    value = getitem(ctx, self, key)
    found = dict(zip(contents.keys, contents.values))
    del found[wanted]
    ctx.write(self, contents.with_items(found))
    return value


@method("dict", "popitem", dynamic=as_is)
def _popitem(ctx: Context, self: Ref) -> Abstract:
    contents = ctx.contents(self)
    if not contents.keys:
        message = "popitem(): dictionary is empty"
        ctx.fail(BadValue, message=message, exception="KeyError")
    ctx.write(self, contents.with_items(dict(zip(contents.keys[:-1], contents.values))))
    return Tuple((Static(contents.keys[-1]), contents.values[-1]))


@method("dict", "clear", dynamic=as_is)
def _clear_dict(ctx: Context, self: Ref) -> Abstract:
    ctx.write(self, ctx.contents(self).with_items({}))
    return NONE


@function(dict.fromkeys)
def _fromkeys(ctx: Context, keys: Abstract, value: Abstract = NONE) -> Abstract:
    known = tuple(dict.fromkeys(dict_key(ctx, key) for key in ctx.list_items(keys)))
    return ctx.new(DictObject(known, (value,) * len(known)))


@method("dict", "setdefault", dynamic=as_is)
def _setdefault(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    contents, wanted = ctx.contents(self), dict_key(ctx, key)
    if wanted not in contents.keys:
        found = {**dict(zip(contents.keys, contents.values)), wanted: default}
        ctx.write(self, contents.with_items(found))
    return getitem(ctx, self, key)


# ----- Tuples


@method("tuple", "index")
def _index(ctx: Context, self: Tuple, x: Abstract) -> Abstract:
    return Static(_index_of_equal(ctx, self.items, x, "tuple.index(x): x not in tuple"))


@method("tuple", "count")
def _count(ctx: Context, self: Tuple, x: Abstract) -> Abstract:
    return _count_items(ctx, self.items, x)


@method("namedtuple", "_asdict")
def _asdict(ctx: Context, self: Tuple) -> Abstract:
    return ctx.new(DictObject(self.cls._fields, self.items))


@method("namedtuple", "_replace")
def _replace(ctx: Context, self: Tuple, /, **changes: Abstract) -> Abstract:
    fields = self.cls._fields
    return Tuple(tuple(changes.get(n, x) for n, x in zip(fields, self.items)), self.cls)
