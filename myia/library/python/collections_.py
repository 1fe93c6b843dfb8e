"""`defaultdict`, `Counter` and `deque` that the program makes, and sets that it changes."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import OF_AN_ARGUMENT, CellObject, DictObject, SetObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Closure,
    Iterator,
    Ref,
    Scalar,
    Static,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.indexing.dict_items import dict_key, fail_missing
from myia.infer.loops.iterables import Items, items_of
from myia.infer.loops.iterators import SEQUENCES, iterator
from myia.infer.loops.prefetching import all_or_each
from myia.infer.numeric.constant_methods import is_set, items_of_new_set, set_items
from myia.infer.numeric.samples import require_hashable
from myia.infer.operators import operators
from myia.infer.operators.numpy_operands import is_numpys
from myia.infer.registry import as_is, function, method, property_
from myia.infer.stand_ins import MADE
from myia.infer.unsupported import UnsupportedContainer
from myia.library.python.iterators import items_of_kind
from myia.library.source.python import deques
from myia.library.source.python.deques import new_deque
from myia.library.support.from_source import call_source

FACTORY = "a function without parameters, a class, or a lambda of them"


@function(collections.defaultdict)
def _defaultdict(
    ctx: Context, factory: Abstract = NONE, x: Abstract | None = None, /, **items: Abstract
) -> Abstract:
    made = ctx.call(Static(dict), () if x is None else (x,), items)
    contents = ctx.contents_as(made, DictObject)
    held = [child for child in factory.children() if not isinstance(child, (Ref, Static))]
    if held or not isinstance(factory, (Static, Closure)):
        what = f"a defaultdict of {ctx.describe(factory)}"
        ctx.fail(UnsupportedContainer, what=what, help_text=f"give it {FACTORY}")
    cls: Any = collections.defaultdict
    return ctx.new(DictObject(contents.keys, contents.values, cls, factory))


@function(collections.OrderedDict)
def _ordered_dict(ctx: Context, x: Abstract | None = None, /, **items: Abstract) -> Abstract:
    made = ctx.call(Static(dict), () if x is None else (x,), items)
    contents = ctx.contents_as(made, DictObject)
    return ctx.new(DictObject(contents.keys, contents.values, collections.OrderedDict))


@property_("dict", "fromkeys")
def _fromkeys(ctx: Context, self: Abstract) -> Abstract:
    cls = ctx.contents_as(self, DictObject).cls
    if cls is not dict:
        ctx.fail(UnsupportedContainer, what=f"`fromkeys` of a {cls.__name__}")
    return Static(dict.fromkeys)


@method("dict", "move_to_end", dynamic=as_is)
def _move_to_end(
    ctx: Context, self: Abstract, key: Abstract, last: Abstract = Static(True)
) -> Abstract:
    contents = ctx.contents_as(self, DictObject)
    if not issubclass(contents.cls, collections.OrderedDict):
        message = f"{contents.cls.__name__!r} object has no attribute 'move_to_end'"
        ctx.fail(BadValue, message=message, exception="AttributeError")
    moved = dict_key(ctx, key)
    if moved not in contents.keys:
        fail_missing(ctx, moved)
    items = dict(zip(contents.keys, contents.values))
    first = {moved: items.pop(moved)}
    to_end = ctx.static(last, "the end of an OrderedDict")
    ctx.write(as_ref(self), contents.with_items(items | first if to_end else first | items))
    return NONE


@property_("dict", "default_factory")
def _default_factory(ctx: Context, self: Abstract) -> Abstract:
    contents = ctx.contents_as(self, DictObject)
    if not hasattr(contents.cls, "default_factory"):
        message = f"{contents.cls.__name__!r} object has no attribute 'default_factory'"
        ctx.fail(BadValue, message=message, exception="AttributeError")
    if contents.factory is None or contents.factory is OF_AN_ARGUMENT:
        ctx.fail(UnsupportedContainer, what="the factory of a defaultdict that is an argument")
    return contents.factory


@function(collections.deque)
def _deque(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return call_source(ctx, new_deque, args, kwargs)


MADE[deques.Deque] = collections.deque


@function(deques.items_of, dynamic=as_is)
def _iterated(ctx: Context, deque: Abstract, items: Abstract, changes: Abstract) -> Abstract:
    # In a cell: a loop that takes the items carries an iterator, but no cell that nobody writes.
    return iterator(ctx, "deque", deque, items, ctx.new(CellObject(changes)))


@function(deques.added_by_the_other, dynamic=as_is)
def _added_by_the_other(
    ctx: Context, deque: Abstract, items: Abstract, other: Abstract
) -> Abstract:
    if is_numpys(ctx, other):
        return operators.binary(ctx, "+", items, other)
    method = ctx.special_method(other, "__radd__")
    return Static(NotImplemented) if method is None else ctx.call(method, (deque,), {})


@function(deques.reversed_items_of, dynamic=as_is)
def _iterated_in_reverse(
    ctx: Context, deque: Abstract, items: Abstract, changes: Abstract
) -> Abstract:
    return iterator(ctx, "reversed deque", deque, items, ctx.new(CellObject(changes)))


@items_of_kind("deque")
def _items_of_deque(ctx: Context, x: Iterator) -> Items:
    return _while_unchanged(ctx, x, x.items[1])


@items_of_kind("reversed deque")
def _reversed_items_of_deque(ctx: Context, x: Iterator) -> Items:
    items = x.items[1]
    return _while_unchanged(ctx, x, Iterator("reversed", (items, ctx.length(items))))


def _while_unchanged(ctx: Context, x: Iterator, items: Abstract) -> Items:
    """The items of a deque. Python raises an error where it changes meanwhile."""
    _require_unchanged(ctx, x)
    part = items_of(ctx, items)

    def item(i: Abstract) -> Abstract:
        _require_unchanged(ctx, x)
        return part.item(i)

    def has_item(i: int) -> bool:
        _require_unchanged(ctx, x)
        return part.has(i)

    return replace(part, item=item, has_item=has_item if part.has_item else None)


def _require_unchanged(ctx: Context, x: Iterator) -> None:
    of, _, cell = x.items
    now, before = ctx.getattr(of, "changes"), ctx.contents_as(as_ref(cell), CellObject).content
    if isinstance(now, Scalar) and isinstance(before, Scalar):
        same = now.value is before.value
    else:
        same = is_static_int(now) and is_static_int(before) and now.value == before.value
    if not same:
        what = "a deque that is changed while a loop runs over it"
        help_text = "loop over a copy: `for x in list(d):`"
        ctx.fail(UnsupportedContainer, what=what, help_text=help_text)


def _all_of_deque(ctx: Context, x: Iterator) -> Abstract:
    _require_unchanged(ctx, x)
    return x.items[1]


SEQUENCES["deque"] = _all_of_deque


@function(collections.Counter)
def _counter(ctx: Context, x: Abstract | None = None, /, **items: Abstract) -> Abstract:
    counts: dict[Any, Abstract] = {}
    given = ctx.held(x) if x is not None else None
    if isinstance(given, DictObject):
        counts.update(zip(given.keys, given.values))
    elif x is not None and not is_none(x):
        found = collections.Counter(dict_key(ctx, item) for item in ctx.list_items(x))
        counts.update((key, Static(n)) for key, n in found.items())
    for key, value in items.items():
        known = counts.get(key)
        counts[key] = value if known is None else operators.binary(ctx, "+", value, known)
    return ctx.new(DictObject(tuple(counts), tuple(counts.values()), collections.Counter))


# ----- Sets. What order Python gives to a set that was changed is not known.


def _static_items(ctx: Context, self: Ref) -> dict[Any, Abstract]:
    if not ctx.contents_as(self, SetObject).own:
        help_text = "change a copy: `seen = set(seen)`; or use a dict: `seen[x] = True`"
        ctx.fail(UnsupportedContainer, what="changing a set of the caller", help_text=help_text)
    return {dict_key(ctx, item): item for item in set_items(ctx, self)}


def _static_item(ctx: Context, item: Abstract) -> Any:
    require_hashable(ctx, item)
    return items_of_new_set(ctx, (item,))[0]


def _rewrite(ctx: Context, self: Ref, items: dict[Any, Abstract]) -> Abstract:
    ctx.write(self, SetObject(set, tuple(items.values()), ordered=not items, own=True))
    return NONE


@method("set", "add", dynamic=as_is)
def _add(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    items, key = _static_items(ctx, self), _static_item(ctx, item)
    items.setdefault(key, Static(key))
    return _rewrite(ctx, self, items)


@method("set", "update", dynamic=as_is)
def _update(ctx: Context, self: Ref, *others: Abstract) -> Abstract:
    for other in others:
        if isinstance(other, Iterator):
            early, late = partial(_items_of_new, ctx, other), partial(_add_each, ctx, self, other)
            items = all_or_each(ctx, self, early, late)
        else:
            items = _items_of(ctx, other)
        for item in items:
            _add(ctx, self, item)
    return NONE


def _items_of_new(ctx: Context, x: Abstract) -> tuple[Abstract, ...]:
    return tuple(map(Static, items_of_new_set(ctx, _items_of(ctx, x))))


def _add_each(ctx: Context, self: Ref, other: Abstract) -> tuple[Abstract, ...]:
    """Nothing: all have been added."""
    call_source(ctx, update_, (self, other), {})
    return ()


def update_(items: Any, others: Any) -> None:
    for x in others:
        items.add(x)


def _items_of(ctx: Context, x: Abstract) -> tuple[Abstract, ...]:
    return set_items(ctx, x) if is_set(ctx, x) else ctx.list_items(x)


def _keys_of(ctx: Context, others: Iterable[Abstract]) -> list[dict[Any, Abstract]]:
    """The items of each iterable."""
    return [{_static_item(ctx, item): item for item in _items_of(ctx, x)} for x in others]


@method("set", "intersection_update", dynamic=as_is)
def _intersection_update(ctx: Context, self: Ref, *others: Abstract) -> Abstract:
    items, found = _static_items(ctx, self), _keys_of(ctx, others)
    return _rewrite(ctx, self, {k: x for k, x in items.items() if all(k in f for f in found)})


@method("set", "difference_update", dynamic=as_is)
def _difference_update(ctx: Context, self: Ref, *others: Abstract) -> Abstract:
    items, found = _static_items(ctx, self), _keys_of(ctx, others)
    return _rewrite(ctx, self, {k: x for k, x in items.items() if not any(k in f for f in found)})


@method("set", "symmetric_difference_update", dynamic=as_is)
def _symmetric_difference_update(ctx: Context, self: Ref, other: Abstract) -> Abstract:
    items, (new,) = _static_items(ctx, self), _keys_of(ctx, (other,))
    both = {k: x for k, x in {**items, **new}.items() if (k in items) != (k in new)}
    return _rewrite(ctx, self, both)


@method("set", "discard", dynamic=as_is)
def _discard(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    items = _static_items(ctx, self)
    items.pop(_static_item(ctx, item), None)
    return _rewrite(ctx, self, items)


@method("set", "remove", dynamic=as_is)
def _remove(ctx: Context, self: Ref, item: Abstract) -> Abstract:
    key = _static_item(ctx, item)
    if key not in _static_items(ctx, self):
        message = f"{key!r} is not in the set"
        ctx.fail(BadValue, message=message, exception="KeyError", arguments=(key,))
    return _discard(ctx, self, item)


@method("set", "clear", dynamic=as_is)
def _clear(ctx: Context, self: Ref) -> Abstract:
    return _rewrite(ctx, self, {})
