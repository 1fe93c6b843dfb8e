"""The iterables of a `for`: a length, and the item at an index.

Every iterable becomes `Items`, so that a loop is one IR loop over indices. Items of a compile-time
sequence are stacked into a buffer if they have one type and are many; otherwise the loop is
unrolled. `zip`, `enumerate` and their like combine the items of other iterables
(`library/python/iterators.py`).

An instance whose iterator has a `__next__` is a generator.

*When it gives up*: lists whose length changes while a compiled loop runs over them are refused.
"""

from __future__ import annotations

import collections.abc
import enum
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, is_number, number_value
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import (
    BufferObject,
    Contents,
    DictObject,
    DynamicArray,
    DynamicView,
    InstanceObject,
    Invalidated,
    ListObject,
    SetObject,
)
from myia.infer.domain.heap_arrays import STATIC_ARRAYS
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    Abstract,
    Iterator,
    Number,
    Opaque,
    Outside,
    Range,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_number,
    as_ref,
    is_static_int,
)
from myia.infer.dynamic import access
from myia.infer.indexing import dynamic_subscripts, indexing
from myia.infer.lists import growing_lists, item_objects, list_rows
from myia.infer.loops import ranges
from myia.infer.loops.iterators import has_items, items_taken
from myia.infer.numeric.samples import error_of, fail_without, has
from myia.infer.operators import operators
from myia.infer.unsupported import UnsupportedIteration
from myia.ir.core import Value

CHANGED_LIST = "a list that is changed while a loop runs over it"
ITERATED = ("__iter__", "__getitem__")  # methods of what a loop may run over
MAX_ADDED_ITEMS = 512  # to a list while its items are taken one by one
MAX_UNROLLED_ITEMS = 8  # lists of up to so many items are unrolled: XLA fuses their bodies


@dataclass(frozen=True)
class Items:
    """The items of an iterable: how many (`length`), and the item at an index (`item(index)`).

    `unroll`: the loop is unrolled, because the items
    differ in type or are few. `has_item(i)`: is there an item `i` now, of a list that the loop body
    may change? None: that does not change.
    """

    length: Number
    item: Callable[[Abstract], Abstract]
    unroll: bool = False
    has_item: Callable[[int], bool] | None = None

    def has(self, i: int) -> bool:
        """Is there an item `i` now? `length` must be known, or `has_item`."""
        if self.has_item is not None:
            return self.has_item(i)
        assert isinstance(self.length, Static)
        return i < self.length.value

    @property
    def max_length(self) -> int | None:
        """The greatest number of items, where it is known."""
        return bounds(self.length)[1]


def items_of(ctx: Context, x: Abstract) -> Items:
    """The items of `x`; an error when it cannot be iterated."""
    x = ctx.force(x)
    if isinstance(x, Range):
        return _range(ctx, x)
    if isinstance(x, Tuple):
        return _static_items(ctx, x.items)
    if isinstance(x, Iterator):
        taken = items_taken(ctx, x)
        found = ITERATORS[x.kind](ctx, x) if has_items(ctx, x) else _static_items(ctx, ())
        return items_after(ctx, found, taken) if taken else found
    if isinstance(x, Static) and isinstance(x.value, (str, bytes, tuple, frozenset, range)):
        return _static_items(ctx, tuple(map(Static, x.value)))
    if isinstance(x, Ref):
        return _object(ctx, x, ctx.heap[x.id] if list_rows.row_of(ctx, x) else ctx.contents(x))
    if isinstance(x, Opaque):
        return Items(as_number(ctx.length(x)), lambda i: indexing.getitem(ctx, x, i))
    if isinstance(x, Static) and isinstance(x.value, enum.EnumMeta):
        return _static_items(ctx, tuple(map(Static, ctx.fact(Answer(tuple, x.value)))))
    if isinstance(x, Outside):
        if isinstance(x.value, collections.abc.Iterator):
            ctx.fail(
                UnsupportedIteration, what=f"iteration over {ctx.describe(x)}, which changes it,"
            )
        return items_of(ctx, ctx.root(Answer(tuple, x.value)))
    refuse_iteration(ctx, x)


def each_item(ctx: Context, items: Items) -> Generator[Abstract]:
    """The items one by one, of a list that may change meanwhile those that it has then."""
    most = ctx.int_of(items.length, "the number of items") + MAX_ADDED_ITEMS
    i = 0
    while items.has(i):
        if i >= most:
            ctx.fail(UnsupportedIteration, what=f"a list that grows by {i} items while it is read")
        yield items.item(Static(i))
        i += 1


def items_after(ctx: Context, items: Items, taken: int) -> Items:
    """The items that are left after some."""
    there = items.has_item

    def item(i: Abstract) -> Abstract:
        j = operators.binary(ctx, "+", i, Static(taken))
        hi = items.max_length
        if isinstance(j, Scalar):
            j = replace(j, lo=taken, hi=None if hi is None else hi - 1)
        return items.item(j)

    return replace(
        items,
        length=ranges.length(ctx, Static(taken), items.length, Static(1)),
        item=item,
        has_item=None if there is None else lambda i: there(i + taken),
    )


def require_iterables(ctx: Context, *xs: Abstract) -> None:
    """Python asks for their iterators when `zip` and its like are called."""
    for x in xs:
        if isinstance(x, Scalar) or (isinstance(x, Static) and not _is_iterable(x.value)):
            refuse_iteration(ctx, x)


def _is_iterable(x: object) -> bool:
    return any(has(type(x), name) for name in ITERATED)


def refuse_iteration(ctx: Context, x: Abstract) -> NoReturn:
    what = ctx.describe(x)
    error = error_of(ctx, iter, (x,), {})
    if isinstance(error, TypeError):  # NumPy's scalars have `__getitem__`
        ctx.fail(BadType, message=str(error))
    fail_without(ctx, x, ITERATED, "{} object is not iterable", f"iteration over {what}")


def _object(ctx: Context, x: Ref, contents: Contents) -> Items:
    if (row := list_rows.row_of(ctx, x)) is not None:
        return Items(
            Static(list_rows.row_length(ctx, row)), lambda i: list_rows.number_at(ctx, row, i)
        )
    if isinstance(contents, STATIC_ARRAYS):
        return Items(Static(ctx.shape(x)[0]), lambda i: indexing.getitem(ctx, x, i))
    if isinstance(contents, (DynamicArray, DynamicView)):
        axis = access.dynamic_axes_of(ctx, x)[0]
        n = access.bounding_aval(ctx, x).shape[0]
        length = Static(n) if axis is None else axis.length.abstract()
        return Items(length, lambda i: dynamic_subscripts.row(ctx, x, i))
    if isinstance(contents, ListObject):
        return _list(ctx, x, contents)
    if isinstance(contents, SetObject):
        if not contents.ordered:
            help_text = "write `sorted(...)` of it, or a tuple"
            ctx.fail(
                UnsupportedIteration, what="the order of a set of constants", help_text=help_text
            )
        return _static_or_stacked(ctx, contents.items, contents.items.__getitem__)
    if isinstance(contents, BufferObject):
        return _buffer(ctx, x, contents)
    if isinstance(contents, DictObject):
        return _dict_items(ctx, x, lambda now, i: Static(now.keys[i]))
    if isinstance(contents, InstanceObject):
        return _instance(ctx, x)
    ctx.fail(UnsupportedIteration, what=f"iteration over {ctx.describe(x)}")


# What gives the items of an instance by its `__getitem__` (`prefetching.py`).
BY_GETITEM: list[Callable[[Context, Ref], Abstract]] = []


def iterated(ctx: Context, x: Abstract) -> Abstract:
    """What a loop over `x` runs over, if `x` is an instance: by `__iter__` or by `__getitem__`."""
    if has_only_getitem(ctx, x):
        return BY_GETITEM[0](ctx, as_ref(x))
    items = iterator_of(ctx, x)
    if items is x and ctx.special_method(x, "__iter__") is None:
        return x
    return ctx.call(Static(items_by_next), (items,), {}) if has_next(ctx, items) else items


def has_only_getitem(ctx: Context, x: Abstract) -> bool:
    """Is it an instance with a `__getitem__` that has no `__iter__`?"""
    is_instance = isinstance(ctx.held(x), InstanceObject)
    if not is_instance or ctx.special_method(x, "__iter__") is not None:
        return False
    return ctx.special_method(x, "__getitem__") is not None


def iterator_of(ctx: Context, x: Abstract) -> Abstract:
    """`iter(x)` of an instance with an `__iter__`; any other `x` as it is."""
    if not isinstance(ctx.held(x), InstanceObject):
        return x
    found = ctx.special_method(x, "__iter__")
    return x if found is None else ctx.call(found, (), {})


def has_next(ctx: Context, x: Abstract) -> bool:
    """Is it an instance with a `__next__` of its own?"""
    is_instance = isinstance(ctx.held(x), InstanceObject)
    return is_instance and ctx.special_method(x, "__next__") is not None


def items_by_next(iterator: Any) -> Generator[Any]:
    """What a loop over the instance runs over, as a program has it."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def _instance(ctx: Context, x: Ref) -> Items:
    if (items := iterated(ctx, x)) is not x:
        return items_of(ctx, items)
    refuse_iteration(ctx, x)


def _buffer(ctx: Context, x: Ref, contents: BufferObject) -> Items:
    lengths = item_objects.lengths_of(ctx, x)

    def item(i: Abstract) -> Abstract:
        now = ctx.contents_as(x, BufferObject)
        same = lengths is not None and item_objects.lengths_of(ctx, x) is lengths
        if not same and not growing_lists.have_same_length(now, contents):
            ctx.fail(UnsupportedIteration, what=CHANGED_LIST)
        return growing_lists.item_at(ctx, x, index_value(i))

    return Items(growing_lists.list_length(contents), item)


def _dict_items(ctx: Context, x: Abstract, get: Callable[[DictObject, int], Abstract]) -> Items:
    """`get(contents, i)` of each key, or the error if the body of the loop adds or removes keys."""
    contents = ctx.contents_as(x, DictObject)
    first = contents.keys

    def current(i: int) -> Abstract | None:
        now = ctx.contents_as(x, DictObject)
        if len(now.keys) != len(first):
            message = "dictionary changed size during iteration"
            ctx.fail(BadValue, message=message, exception="RuntimeError")
        if now.keys != first:
            ctx.fail(
                UnsupportedIteration, what="a dict whose keys change while a loop runs over it"
            )
        return get(now, i) if i < len(first) else None

    items = tuple(get(contents, i) for i in range(len(first)))
    return _static_or_stacked(ctx, items, current, lambda i: current(i) is not None)


def index_value(i: Abstract) -> Value:
    """An index as a value of int64."""
    return number_value(i, np.dtype(np.int64))


def _static_items(ctx: Context, items: tuple[Abstract, ...]) -> Items:
    return _static_or_stacked(ctx, items, lambda i: items[i])


def _list(ctx: Context, x: Ref, contents: ListObject) -> Items:
    if _is_long_matrix(ctx, contents):
        list_rows.require_rows(ctx, x)
        return items_of(ctx, x)
    if ctx.names_are_exact and list_rows.require_items(ctx, x):
        return items_of(ctx, x)

    def current(i: int) -> Abstract | None:
        now = ctx.contents(x)
        if not there(i):
            return None
        if isinstance(now, ListObject):
            return now.items[i]
        return growing_lists.item_at(ctx, x, index_value(Static(i)))

    def there(i: int) -> bool:
        now = ctx.contents(x)
        if _stacked_in_place(ctx, x, len(contents.items)):
            return i < len(contents.items)
        if not isinstance(now, ListObject):
            ctx.fail(UnsupportedIteration, what=CHANGED_LIST)
        return i < len(now.items)

    return _static_or_stacked(ctx, contents.items, current, there, x)


def _is_long_matrix(ctx: Context, contents: ListObject) -> bool:
    """A list of lists that a loop runs over as rows of an array."""
    heap, long = ctx.heap, len(contents.items) > MAX_UNROLLED_ITEMS
    takes_rows = long and ctx.stacks_lists is not False
    return (
        takes_rows
        and list_rows.is_list_of_lists(heap, contents)
        and list_rows.has_run_time_numbers(heap, contents)
    )


def _stacked_in_place(ctx: Context, x: Ref, n: int) -> Ref | None:
    """The list, if it has become a buffer since the loop began, of as many items still."""
    now = ctx.contents(x)
    if not isinstance(now, BufferObject):
        return None
    length = growing_lists.list_length(now)
    return x if is_static_int(length) and length.value == n else None


def _static_or_stacked(
    ctx: Context,
    items: tuple[Abstract, ...],
    item: Callable[[int], Abstract | None],
    has_item: Callable[[int], bool] | None = None,
    source: Ref | None = None,
) -> Items:
    """Items known one by one: stacked when there are many of one type, else unrolled.

    `item(i)` is item `i` at a compile-time index, `source` the list that the items are in.
    """
    ref = _stack(ctx, items, source) if len(items) > MAX_UNROLLED_ITEMS else None

    def at(i: Abstract) -> Abstract:
        if ref is None and (numbers := _few_numbers(ctx, i, item, len(items))) is not None:
            return growing_lists.item_at(ctx, numbers, index_value(i))
        if ref is None or is_static_int(i):
            found = item(ctx.int_of(i, "the index into items of different types"))
            return ctx.fail(UnsupportedIteration, what=CHANGED_LIST) if found is None else found
        if isinstance(ctx.heap[ref.id], Invalidated):
            if source is not None and (now := _stacked_in_place(ctx, source, len(items))):
                return growing_lists.item_at(ctx, now, index_value(i))
            ctx.needs_static(f"the index into {CHANGED_LIST}")
        if any(row.value.aval.ndim > 1 for row in ctx.contents_as(ref, BufferObject).rows):
            ctx.stacked_reads.add(index_value(i))
        return growing_lists.item_at(ctx, ref, index_value(i))

    return Items(Static(len(items)), at, ref is None, has_item)


def _few_numbers(
    ctx: Context, i: Abstract, item: Callable[[int], Abstract | None], n: int
) -> Ref | None:
    """The present items as rows, if they are numbers of one type; else `i` must be known."""
    found = [x for k in range(n) if (x := item(k)) is not None and is_number(x)]
    few = 0 < len(found) == n and not is_static_int(i)
    return _stack(ctx, tuple(found), None) if few else None


def _stack(ctx: Context, items: tuple[Abstract, ...], source: Ref | None) -> Ref | None:
    """The items as rows, if they have one type; a write to an item or the list invalidates them."""
    try:
        ref = growing_lists.stacked_list(ctx, items)
    except Mismatch:
        return None
    if not ctx.contents_as(ref, BufferObject).rows:
        return None
    if source is not None:
        ctx.heap.add_copy(source.id, ref.id)
    return ref


def _range(ctx: Context, x: Range) -> Items:
    if (known := ranges.known_range(x)) is not None:
        length: Number = Static(len(known))
    else:
        length = ranges.length(ctx, x.start, x.stop, x.step)
    return Items(length, lambda i: ranges.item(x, i))


# ----- Iterators by kind


def _dict_view(get: Callable[[DictObject, int], Abstract]) -> Callable[[Context, Iterator], Items]:
    return lambda ctx, x: _dict_items(ctx, x.items[0], get)


# Those of `zip`, `map`, `itertools.product`, ... are registered by the library.
ITERATORS: dict[str, Callable[[Context, Iterator], Items]] = {
    "keys": _dict_view(lambda d, i: Static(d.keys[i])),
    "values": _dict_view(lambda d, i: d.values[i]),
    "items": _dict_view(lambda d, i: Tuple((Static(d.keys[i]), d.values[i]))),
    "iter": lambda ctx, x: items_of(ctx, x.items[0]),
}
