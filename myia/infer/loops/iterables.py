"""What a `for` can run over: a number of items, and the item at an index."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from myia.infer.domain.context import STATIC_ARRAYS, Context
from myia.infer.domain.dtypes import INT64_MAX, bounds, number_value
from myia.infer.domain.errors import BadType, BadValue, CertainError, Unsupported
from myia.infer.domain.heap import (
    BufferObject,
    DictObject,
    DynamicArray,
    DynamicView,
    InstanceObject,
    Invalidated,
    ListObject,
)
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    Abstract,
    Iterator,
    Opaque,
    Range,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_static_int,
)
from myia.infer.dynamic import access
from myia.infer.indexing import dynamic_subscripts, indexing
from myia.infer.operators import operators
from myia.infer.paths import growing_lists
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

CHANGED = "a list that is changed while a loop runs over it"
MAX_GETITEM_ITEMS = 512  # that `__getitem__` may give, one by one
TOO_MANY_ITERATIONS = "this loop makes more than the {most} trips that it was given as a bound"
MAX_UNROLLED_ITEMS = 8  # lists of up to so many items are unrolled: XLA fuses their bodies


@dataclass(frozen=True)
class Items:
    """The items of an iterable: how many (`length`), and the item at an index (`item(index)`).

    `length` is a static int or an integer scalar. `unroll`: the loop is unrolled, because the items
    differ in type or are few. `current_item(i)` reads item `i` of a list that the loop body may
    change (None past its end).
    """

    length: Abstract
    item: Callable[[Abstract], Abstract]
    unroll: bool = False
    current_item: Callable[[int], Abstract | None] | None = None

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
        return ITERATORS[x.kind](ctx, x)
    if isinstance(x, Static) and isinstance(x.value, (str, tuple, frozenset, range)):
        items = sorted(x.value) if isinstance(x.value, frozenset) else x.value
        return _static_items(ctx, tuple(Static(i) for i in items))
    if isinstance(x, Ref):
        return _object(ctx, x, ctx.contents(x))
    if isinstance(x, Opaque):
        return Items(ctx.length(x), lambda i: indexing.getitem(ctx, x, i))
    if isinstance(x, Static) and isinstance(x.value, enum.EnumMeta):
        return _static_items(ctx, tuple(map(Static, x.value)))
    ctx.fail(BadType, message=f"{ctx.describe(x)} is not iterable")


def _object(ctx: Context, x: Ref, contents) -> Items:
    if isinstance(contents, STATIC_ARRAYS):
        count = Static(ctx.shape(x)[0])
        return Items(count, lambda i: indexing.getitem(ctx, x, i))
    if isinstance(contents, (DynamicArray, DynamicView)):
        count = access.dynamic_axes_of(ctx, x)[0]
        n = access.bounding_aval(ctx, x).shape[0]
        count = Static(n) if count is None else count.length.abstract()
        return Items(count, lambda i: dynamic_subscripts.row(ctx, x, i))
    if isinstance(contents, ListObject):
        return _list(ctx, x, contents)
    if isinstance(contents, BufferObject):
        return _buffer(ctx, x, contents)
    if isinstance(contents, DictObject):
        return _static_items(ctx, tuple(Static(k) for k in contents.keys))
    if isinstance(contents, InstanceObject):
        return _instance(ctx, x)
    ctx.fail(Unsupported, what=f"iteration over {ctx.describe(x)}")


def _instance(ctx: Context, x: Ref) -> Items:
    """By its `__iter__`, else by its `__getitem__`."""
    if (found := ctx.special_method(x, "__iter__")) is not None:
        items = ctx.call(found, (), {})
        if ctx.special_method(items, "__next__") is None:
            return items_of(ctx, items)
        help_text = "give `__iter__` a list to return: `return iter(items)`"
        ctx.fail(Unsupported, what="iteration by `__next__`", help_text=help_text)
    if (found := ctx.special_method(x, "__getitem__")) is not None:
        return _static_items(ctx, _items_until_index_error(ctx, found))
    ctx.fail(BadType, message=f"{ctx.describe(x)} is not iterable")


def _items_until_index_error(ctx: Context, getitem: Abstract) -> tuple[Abstract, ...]:
    items: list[Abstract] = []
    while len(items) < MAX_GETITEM_ITEMS:
        try:
            items.append(ctx.call(getitem, (Static(len(items)),), {}))
        except CertainError as error:
            if issubclass(error.exception, IndexError):
                return tuple(items)
            raise
    ctx.fail(
        Unsupported, what=f"iteration by `__getitem__` over more than {MAX_GETITEM_ITEMS} items"
    )


def _buffer(ctx: Context, x: Ref, contents: BufferObject) -> Items:
    def item(i: Abstract) -> Abstract:
        if not growing_lists.have_same_length(ctx.contents(x), contents):
            ctx.fail(Unsupported, what=CHANGED)
        return growing_lists.item_at(ctx, x, _index(i))

    return Items(growing_lists.list_length(contents), item)


def _index(i: Abstract) -> Value:
    return number_value(i, np.dtype(np.int64))


def _static_items(ctx: Context, items: tuple[Abstract, ...]) -> Items:
    return _known(ctx, items, lambda i: items[i])


def _list(ctx: Context, x: Ref, contents: ListObject) -> Items:
    def live(i: int) -> Abstract | None:
        now = ctx.contents(x)
        if not isinstance(now, ListObject):
            ctx.fail(Unsupported, what=CHANGED)
        return now.items[i] if i < len(now.items) else None

    def item(i: int) -> Abstract:
        found = live(i)
        return ctx.fail(Unsupported, what=CHANGED) if found is None else found

    return _known(ctx, contents.items, item, live, x)


def _known(
    ctx: Context,
    items: tuple[Abstract, ...],
    item: Callable[[int], Abstract],
    live: Callable[[int], Abstract | None] | None = None,
    holder: Ref | None = None,
) -> Items:
    """Items known one by one: stacked when there are many of one type, else unrolled.

    `item(i)` is item `i` at a compile-time index, `holder` the list that the items are in.
    """
    ref = _stack(ctx, items, holder) if len(items) > MAX_UNROLLED_ITEMS else None

    def at(i: Abstract) -> Abstract:
        if ref is None or is_static_int(i):
            return item(ctx.int_of(i, "the index into items of different types"))
        if isinstance(ctx.heap[ref.id], Invalidated):
            ctx.needs_static(f"the index into {CHANGED}")
        return growing_lists.item_at(ctx, ref, _index(i))

    return Items(Static(len(items)), at, ref is None, live)


def _stack(ctx: Context, items: tuple[Abstract, ...], holder: Ref | None) -> Ref | None:
    """The items as rows, if they are of one type; stale when one of them or the list changes."""
    try:
        ref = growing_lists.stacked_list(ctx, items)
    except Mismatch:
        return None
    if not ctx.contents(ref).rows:
        return None
    if holder is not None:
        ctx.heap.add_copy(holder.id, ref.id)
    return ref


def _range(ctx: Context, x: Range) -> Items:
    start, stop, step = x.start, x.stop, x.step
    if all(map(is_static_int, (start, stop, step))):
        known = range(int(start.value), int(stop.value), int(step.value))
        return Items(Static(len(known)), lambda i: _range_item(x, known, i))
    step = ctx.int_of(step, "the step of a range")
    if step == 0:
        ctx.fail(BadType, message="range() arg 3 must not be zero")
    return Items(_range_count(ctx, start, stop, step), lambda i: _range_item(x, None, i))


def _range_count(ctx: Context, start: Abstract, stop: Abstract, step: int) -> Abstract:
    """max(0, ceil((stop - start) / step))"""
    span = (
        operators.binary(ctx, "-", stop, start)
        if step > 0
        else operators.binary(ctx, "-", start, stop)
    )
    size = abs(step)
    if size != 1:
        rounded = operators.binary(ctx, "+", span, Static(size - 1))
        span = operators.binary(ctx, "//", rounded, Static(size))
    if is_static_int(span):
        return Static(max(0, span.value))
    _, hi = bounds(span)
    count = span.value if span.lo is not None and span.lo >= 0 else arithmetic.max(span.value, 0)
    return Scalar(count, True, max(0, span.lo or 0), None if hi is None else max(0, hi))


def _range_item(x: Range, known: range | None, i: Abstract) -> Abstract:
    """start + i*step, which cannot overflow: it lies in the range."""
    if known is not None and is_static_int(i):
        return Static(known[i.value])
    step = int(x.step.value)
    value = _index(i) if step == 1 else arithmetic.mul(_index(i), step)
    if not (is_static_int(x.start) and x.start.value == 0):
        value = arithmetic.add(value, _index(x.start))
    if known is not None:
        lo, hi = sorted((known[0], known[-1])) if len(known) else (0, 0)
    else:
        ends = (x.start, x.stop) if step > 0 else (x.stop, x.start)
        lo, hi = bounds(ends[0])[0], bounds(ends[1])[1]
        # The open end is not reached.
        lo, hi = (lo, _shift(hi, -1)) if step > 0 else (_shift(lo, 1), hi)
        hi = INT64_MAX - 1 if hi is None and step > 0 else hi
    return Scalar(value, True, lo, hi)


def _shift(x: int | None, by: int) -> int | None:
    return None if x is None else x + by


# ----- zip, enumerate, reversed, map, filter


def _shortest(ctx: Context, parts: list[Items]) -> Abstract:
    count = parts[0].length
    for part in parts[1:]:
        if is_static_int(count) and is_static_int(part.length):
            count = Static(min(count.value, part.length.value))
        else:
            a, b = _index(count), _index(part.length)
            highs = [h for h in (bounds(count)[1], bounds(part.length)[1]) if h is not None]
            count = Scalar(arithmetic.min(a, b), True, 0, min(highs, default=None))
    return count


def _zip(ctx: Context, x: Iterator) -> Items:
    parts = [items_of(ctx, item) for item in x.items]
    if not parts:
        return _static_items(ctx, ())
    unroll = any(p.unroll for p in parts)
    return Items(_shortest(ctx, parts), lambda i: Tuple(tuple(p.item(i) for p in parts)), unroll)


def _enumerate(ctx: Context, x: Iterator) -> Items:
    part, start = items_of(ctx, x.items[0]), x.items[1]

    def item(i: Abstract) -> Abstract:
        return Tuple((operators.binary(ctx, "+", i, start), part.item(i)))

    return Items(part.length, item, part.unroll)


def _reversed(ctx: Context, x: Iterator) -> Items:
    part = items_of(ctx, x.items[0])
    last = operators.binary(ctx, "-", part.length, Static(1))

    def item(i: Abstract) -> Abstract:
        j = operators.binary(ctx, "-", last, i)
        if isinstance(j, Scalar):  # between 0 and the last, whatever its arithmetic can prove
            j = Scalar(j.value, True, 0, bounds(last)[1])
        return part.item(j)

    return Items(part.length, item, part.unroll)


def _bounded(ctx: Context, x: Iterator) -> Items:
    """The first `most` items, and one that raises."""
    part, most = items_of(ctx, x.items[0]), x.items[1].value
    low, high = bounds(part.length)
    if high is not None and high <= most:
        return part

    def item(i: Abstract) -> Abstract:
        message = TOO_MANY_ITERATIONS.format(most=most)
        if not is_static_int(i):
            ctx.check(logic.ge(_index(i), constant(most, np.int64)), ValueError, message)
        elif i.value >= most:
            ctx.fail(BadValue, message=message)
        return part.item(i)

    if is_static_int(part.length):
        return replace(part, length=Static(most + 1), item=item)
    count = arithmetic.min(_index(part.length), most + 1)
    low = min(low or 0, most + 1)
    return replace(part, length=Scalar(count, True, low, most + 1), item=item)


ITERATORS: dict[str, Callable[[Context, Iterator], Items]] = {
    "iter": lambda ctx, x: items_of(ctx, x.items[0]),
    "bounded": _bounded,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _reversed,
}
