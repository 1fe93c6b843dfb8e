"""Methods of Python's lists, dicts and tuples."""

from __future__ import annotations

import copy
from collections import OrderedDict
from functools import partial
from typing import Any

from myia.infer.boundary.exceptions import raise_error, raised
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import AnyList, BufferObject, DictObject, ListObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Iterator,
    NewException,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing.dict_items import dict_key, fail_missing, has_key
from myia.infer.indexing.indexing import delitem, getitem, setitem
from myia.infer.indexing.list_items import delete_at
from myia.infer.lists import growing_lists, list_edits, list_searches, list_slices
from myia.infer.loops.iterables import iterated
from myia.infer.loops.prefetching import all_or_each
from myia.infer.numeric.constant_methods import python_result
from myia.infer.numeric.f_strings import format_parts
from myia.infer.numeric.samples import index_of
from myia.infer.operators import comparison, operators
from myia.infer.parameters import keeps_none, of_none
from myia.infer.paths.branches import branch
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.registry import as_is, function, method
from myia.infer.unsupported import UnsupportedContainer
from myia.library.python.sequences import without_the_list
from myia.library.support.from_source import call_source
from myia.source.hidden import HIDDEN

# ----- Lists


@method("list", "append", dynamic=as_is)
@keeps_none
def _append(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    try:
        growing_lists.append(ctx, self, item)
    except Mismatch as m:
        how: Any = m.help
        ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **how)
    return NONE


def extend_(xs: Any, items: Any) -> None:
    for x in items:
        xs.append(x)


@method("list", "extend", dynamic=as_is)
def _extend(ctx: Context, self: Ref, items: Abstract) -> Abstract:
    items = iterated(ctx, items)
    if isinstance(items, Iterator):
        return call_source(ctx, extend_, (self, items), {})
    new = list_slices.as_list(ctx, items)
    if new is not None and not is_static_int(ctx.length(new)):
        return call_source(ctx, extend_, (self, growing_lists.copied_list(ctx, new)), {})
    for item in ctx.list_items(items):
        _append(ctx, self, item)
    return NONE


def _static_items(ctx: Context, self: Ref, what: str) -> ListObject:
    contents = ctx.contents(self)
    if not isinstance(contents, ListObject):
        ctx.fail(
            UnsupportedContainer,
            what=f"`{what}` of a list built in a loop",
            help_text="use an array and an index",
        )
    return contents


@method("list", "pop", dynamic=as_is)
def _pop(ctx: Context, self: Ref, index: Abstract = Static(-1)) -> Abstract:
    index = index_of(ctx, index)
    contents = ctx.contents(self)
    if is_static_int(index) and index.value == -1:
        return list_slices.pop_last(ctx, self)
    assert isinstance(contents, AnyList)
    if isinstance(contents, BufferObject) or (isinstance(index, Scalar) and contents.items):
        if is_static_int(index) and index.value == 0:
            return delete_at(ctx, self, index, list_slices.POP_FROM_EMPTY)
        list_slices.check_not_empty(ctx, self)
        return delete_at(ctx, self, index, "pop index out of range")
    items = list(contents.items)
    i = ctx.int_of(index, "the index of an item")
    item = python_result(ctx, items.pop, i)
    ctx.write(self, ListObject(tuple(items)))
    return item


@method("list", "insert", dynamic=as_is)
@keeps_none
def _insert(ctx: Context, self: Ref, index: Abstract, item: Abstract) -> Abstract:
    index = index_of(ctx, index)
    contents = ctx.contents(self)
    if isinstance(contents, ListObject) and (is_static_int(index) or not contents.items):
        i = ctx.int_of(index, "the index of an item") if contents.items else 0
        list_slices.store_slice(ctx, self, slice(i, i), ctx.new(ListObject((item,))))
        return NONE
    try:
        list_edits.insert(ctx, self, index, item)
    except Mismatch as m:
        ctx.fail(UnsupportedContainer, what=f"{m.a} turning into {m.b}", **m.help)
    return NONE


@method("list", "remove", dynamic=as_is)
@of_none
def _remove(ctx: Context, self: Ref, x: Abstract) -> Abstract:
    missing = NewException(ValueError, (Static("list.remove(x): x not in list"),))
    delitem(ctx, self, _position(ctx, self, x, missing))
    return NONE


def _known_items(ctx: Context, self: Ref | Tuple, what: str) -> tuple[Abstract, ...]:
    return self.items if isinstance(self, Tuple) else _static_items(ctx, self, what).items


def index_between(xs: Any, x: Any, message: str, start: int, stop: int | None) -> int:
    for i in list_edits.indices(len(xs), start, stop, 1):
        if x in (xs[i],):
            return i
    raise ValueError(message)


@method("tuple", "index")
@method("list", "index", dynamic=as_is)
@of_none
def _index(
    ctx: Context, self: Ref | Tuple, x: Abstract, start: Abstract = NONE, stop: Abstract = NONE
) -> Abstract:
    message: Abstract = Static(f"{HIDDEN} is not in list")
    if isinstance(self, Tuple):
        message = Static("tuple.index(x): x not in tuple")
    elif isinstance(x, (Static, Scalar)):
        message = format_parts(ctx, (("r", None), " is not in list"), (x,))
    if not is_none(start):
        start, stop = (i if is_none(i) else index_of(ctx, i) for i in (start, stop))
        return call_source(ctx, index_between, (self, x, message, start, stop), {})
    return _position(ctx, self, x, NewException(ValueError, (message,)))


@method("tuple", "count")
@method("list", "count", dynamic=as_is)
@of_none
def _count(ctx: Context, self: Ref | Tuple, x: Abstract) -> Abstract:
    equal = partial(comparison.compare, ctx, "==")
    if isinstance(self, Ref) and (found := list_searches.count(ctx, self, x, equal)) is not None:
        return found
    total: Abstract = Static(0)
    for item in _known_items(ctx, self, "count"):
        same = comparison.is_or_equals(ctx, item, x)
        total = operators.binary(ctx, "+", total, same)
    return total


def _position(ctx: Context, self: Ref | Tuple, x: Abstract, missing: NewException) -> Abstract:
    """The index of the first item that equals `x`; `missing`: the error if there is none."""
    equal = partial(comparison.compare, ctx, "==")
    if isinstance(self, Ref):
        found = list_searches.index(ctx, self, x, equal, raised(ctx, missing))
        if found is not None:
            return found
    return _first_equal(ctx, _known_items(ctx, self, "index"), x, missing, 0)


def _first_equal(
    ctx: Context, items: tuple[Abstract, ...], x: Abstract, missing: NewException, i: int
) -> Abstract:
    if i == len(items):
        raise_error(ctx, missing)
    return branch(
        ctx,
        comparison.is_or_equals(ctx, items[i], x),
        lambda: Static(i),
        lambda: _first_equal(ctx, items, x, missing, i + 1),
    )


@method("list", "sort", dynamic=as_is)
def _sort(ctx: Context, self: Ref, **options: Abstract) -> Abstract:
    if (key := options.get("key")) is not None:
        options["key"] = without_the_list(ctx, key, self)
    found = list_slices.as_list(ctx, ctx.call(Static(sorted), (self,), options))
    assert found is not None
    list_slices.replace_items(ctx, self, found)
    return NONE


@method("list", "reverse", dynamic=as_is)
def _reverse(ctx: Context, self: Ref) -> Abstract:
    if not is_static_int(ctx.length(self)):
        list_edits.reverse(ctx, self)
        return NONE
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
@of_none
def _shallow_copy(ctx: Context, x: Abstract) -> Abstract:
    """A shallow copy; values other than containers, instances and arrays are immutable."""
    if not isinstance(x, Ref):
        return x
    if isinstance(contents := ctx.contents(x), DictObject):
        return ctx.new(contents.copied())
    return (
        deep_copied(ctx, x, {})
        if ctx.is_array(x) or is_dynamic(ctx, x)
        else growing_lists.copied_list(ctx, x)
    )


@function(copy.deepcopy)
@of_none
def _deep_copy(ctx: Context, x: Abstract) -> Abstract:
    found = deep_copied(ctx, x, {}, with_resources=True)
    if isinstance(contents := ctx.held(found), DictObject):
        ctx.heap.objects[as_ref(found).id] = contents.copied()
    return found


# ----- Dicts


def _dict(ctx: Context, x: Abstract) -> DictObject:
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if not isinstance(contents, DictObject):
        ctx.fail(BadType, message=f"{ctx.describe(x)} is not a dict")
    return contents


def _items(contents: DictObject) -> dict[Any, Abstract]:
    return dict(zip(contents.keys, contents.values))


@method("dict", "copy", dynamic=as_is)
def _copy_dict(ctx: Context, self: Ref) -> Abstract:
    contents = _dict(ctx, self)
    copied: Any = contents.cls
    is_dict = copied.copy is dict.copy  # which makes a dict of a subclass, too
    if is_dict:
        return ctx.new(DictObject(contents.keys, contents.values))
    return ctx.new(contents.copied())


def _view(kind: str) -> None:
    def handler(ctx: Context, self: Ref) -> Abstract:
        return Iterator(kind, (self,))

    method("dict", kind, dynamic=as_is)(handler)


_view("keys")
_view("values")
_view("items")


@method("dict", "get", dynamic=as_is)
@keeps_none
def _get(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    known = has_key(ctx, _dict(ctx, self), key)
    return branch(ctx, known, lambda: getitem(ctx, self, key), lambda: default)


@method("dict", "update", dynamic=as_is)
@keeps_none
def _update(
    ctx: Context, self: Ref, other: Abstract | None = None, /, **items: Abstract
) -> Abstract:
    new = {} if other is None else _new_items(ctx, self, other)
    contents = _dict(ctx, self)
    ctx.write(self, contents.with_items({**_items(contents), **new, **items}))
    return NONE


def _new_items(ctx: Context, self: Ref, other: Abstract) -> dict[Any, Abstract]:
    """What `other` adds to the dict; nothing if it was to be added one by one, and has been."""
    if not isinstance(other, Iterator):
        return _items(_dict(ctx, ctx.call(Static(dict), (other,), {})))

    def early() -> dict[Any, Abstract]:
        return _items(_dict(ctx, ctx.call(Static(dict), (other,), {})))

    def late() -> dict[Any, Abstract]:
        call_source(ctx, update_, (self, other), {})
        return {}

    return all_or_each(ctx, self, early, late)


def update_(d: Any, items: Any) -> None:
    for i, item in enumerate(items):
        pair = tuple(item)
        if len(pair) != 2:
            which = f"dictionary update sequence element #{i}"
            raise ValueError(f"{which} has length {len(pair)}; 2 is required")
        d[pair[0]] = pair[1]


@method("dict", "pop", dynamic=as_is)
@keeps_none
def _pop_item(ctx: Context, self: Ref, key: Abstract, *default: Abstract) -> Abstract:
    contents, wanted = _dict(ctx, self), dict_key(ctx, key)
    if wanted not in contents.keys:
        return default[0] if default else fail_missing(ctx, wanted)
    value, left = getitem(ctx, self, key), _items(contents)
    del left[wanted]
    ctx.write(self, contents.with_items(left))
    return value


@method("dict", "popitem", dynamic=as_is)
def _popitem(ctx: Context, self: Ref, last: Abstract | None = None) -> Abstract:
    contents = _dict(ctx, self)
    left = _items(contents)
    if not left:
        ordered = issubclass(contents.cls, OrderedDict)
        message = f"{'' if ordered else 'popitem(): '}dictionary is empty"
        ctx.fail(BadValue, message=message, exception="KeyError")
    at_end = last is None or ctx.static(last, "the end of an OrderedDict")
    key = contents.keys[-1 if at_end else 0]
    value = left.pop(key)
    ctx.write(self, contents.with_items(left))
    return Tuple((Static(key), value))


@method("dict", "clear", dynamic=as_is)
def _clear_dict(ctx: Context, self: Ref) -> Abstract:
    ctx.write(self, _dict(ctx, self).with_items({}))
    return NONE


@function(dict.fromkeys)
@keeps_none
def _fromkeys(ctx: Context, keys: Abstract, value: Abstract = NONE) -> Abstract:
    known = tuple(dict.fromkeys(dict_key(ctx, key) for key in ctx.list_items(keys)))
    return ctx.new(DictObject(known, (value,) * len(known)))


@method("dict", "setdefault", dynamic=as_is)
@keeps_none
def _setdefault(ctx: Context, self: Ref, key: Abstract, default: Abstract = NONE) -> Abstract:
    known = has_key(ctx, _dict(ctx, self), key)

    def store() -> Abstract:
        setitem(ctx, self, key, default)
        return NONE

    branch(ctx, known, lambda: NONE, store)
    return getitem(ctx, self, key)


# ----- Tuples


@method("namedtuple", "_asdict")
def _asdict(ctx: Context, self: Tuple) -> Abstract:
    return ctx.new(DictObject(_fields(self), self.items))


@method("namedtuple", "_replace")
@keeps_none
def _replace(ctx: Context, self: Tuple, /, **changes: Abstract) -> Abstract:
    items = zip(_fields(self), self.items)
    return Tuple(tuple(changes.get(n, x) for n, x in items), self.cls)


def _fields(x: Tuple) -> tuple[str, ...]:
    """The names of the items of a named tuple."""
    return x.cls._fields  # type: ignore[union-attr]  # only such classes have the methods above
