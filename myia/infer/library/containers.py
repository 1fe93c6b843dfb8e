"""Methods of Python's containers."""

from __future__ import annotations

from myia.infer import lists
from myia.infer.context import Context
from myia.infer.errors import BadValue, Unsupported
from myia.infer.heap import BufferObject, DictObject, ListObject
from myia.infer.indexing import dict_key, getitem
from myia.infer.join import Mismatch
from myia.infer.registry import method
from myia.infer.values import NONE, Abstract, Ref, Static, Tuple

# ----- Lists


@method("list", "append")
def _append(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    try:
        lists.append(ctx, self, item)
    except Mismatch as m:
        ctx.fail(Unsupported, what=f"{m.a} turning into {m.b}")
    return NONE


@method("list", "extend")
def _extend(ctx: Context, self: Ref, items: Abstract) -> Abstract:
    for item in ctx.list_items(items):
        _append(ctx, self, item)
    return NONE


def _known(ctx: Context, self: Ref, what: str) -> ListObject:
    contents = ctx.contents(self)
    if isinstance(contents, BufferObject):
        ctx.fail(
            Unsupported,
            what=f"`{what}` of a list built in a loop",
            help_text="use an array and an index",
        )
    return contents


@method("list", "pop")
def _pop(ctx: Context, self: Ref, index: Abstract = Static(-1)) -> Abstract:
    contents = _known(ctx, self, "pop")
    items = list(contents.items)
    i = ctx.int_of(index, "the index of an item")
    if not -len(items) <= i < len(items):
        ctx.fail(BadValue, message="pop index out of range", exception="IndexError")
    item = items.pop(i)
    ctx.write(self, ListObject(tuple(items)))
    return item


@method("list", "insert")
def _insert(ctx: Context, self: Ref, index: Abstract, item: Abstract) -> Abstract:
    items = list(_known(ctx, self, "insert").items)
    items.insert(ctx.int_of(index, "the index of an item"), item)
    ctx.write(self, ListObject(tuple(items)))
    return NONE


@method("list", "reverse")
def _reverse(ctx: Context, self: Ref) -> Abstract:
    ctx.write(self, ListObject(_known(ctx, self, "reverse").items[::-1]))
    return NONE


@method("list", "clear")
def _clear(ctx: Context, self: Ref) -> Abstract:
    ctx.write(self, ListObject(()))
    return NONE


@method("list", "copy")
def _copy(ctx: Context, self: Ref) -> Abstract:
    return lists.copied(ctx, self)


@method("dict", "copy")
def _copy_dict(ctx: Context, self: Ref) -> Abstract:
    return ctx.new(ctx.contents(self))


# ----- Dicts


@method("dict", "keys")
def _keys(ctx: Context, self: Ref) -> Abstract:
    return Tuple(tuple(Static(k) for k in ctx.contents(self).keys))


@method("dict", "values")
def _values(ctx: Context, self: Ref) -> Abstract:
    return Tuple(ctx.contents(self).values)


@method("dict", "items")
def _items(ctx: Context, self: Ref) -> Abstract:
    contents = ctx.contents(self)
    pairs = zip(contents.keys, contents.values)
    return Tuple(tuple(Tuple((Static(k), v)) for k, v in pairs))


@method("dict", "get")
def _get(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    return getitem(ctx, self, key) if dict_key(ctx, key) in ctx.contents(self).keys else default


@method("dict", "update")
def _update(ctx: Context, self: Ref, other: Abstract | None = None, /, **items) -> Abstract:
    contents = ctx.contents(self)
    found = dict(zip(contents.keys, contents.values))
    if other is not None:
        new = ctx.contents(other)
        found.update(zip(new.keys, new.values))
    found.update(items)
    ctx.write(self, DictObject(tuple(found), tuple(found.values())))
    return NONE


@method("dict", "pop")
def _pop_item(ctx: Context, self: Ref, key: Abstract, *default: Abstract) -> Abstract:
    contents, wanted = ctx.contents(self), dict_key(ctx, key)
    if wanted not in contents.keys and default:
        return default[0]
    value = getitem(ctx, self, key)
    found = dict(zip(contents.keys, contents.values))
    del found[wanted]
    ctx.write(self, DictObject(tuple(found), tuple(found.values())))
    return value


@method("dict", "setdefault")
def _setdefault(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    contents, wanted = ctx.contents(self), dict_key(ctx, key)
    if wanted not in contents.keys:
        keys, values = (*contents.keys, wanted), (*contents.values, default)
        ctx.write(self, DictObject(keys, values))
    return getitem(ctx, self, key)


# ----- Tuples


@method("tuple", "index")
def _index(ctx: Context, self: Tuple, x: Abstract) -> Abstract:
    for i, item in enumerate(self.items):
        if isinstance(item, Static) and isinstance(x, Static) and item.value == x.value:
            return Static(i)
    ctx.fail(BadValue, message="tuple.index(x): x not in tuple")


@method("namedtuple", "_replace")
def _replace(ctx: Context, self: Tuple, /, **changes: Abstract) -> Abstract:
    fields = self.cls._fields
    return Tuple(tuple(changes.get(n, x) for n, x in zip(fields, self.items)), self.cls)
