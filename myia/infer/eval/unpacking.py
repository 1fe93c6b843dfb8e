"""`a, b = x` and `a, *b, c = x`, also of a list whose length is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Iterator,
    Range,
    SliceValue,
    Static,
    Tuple,
    as_number,
    is_none,
    is_static_int,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing import indexing
from myia.infer.loops import ranges
from myia.infer.loops.iterables import iterated
from myia.infer.loops.iterators import SEQUENCES, take
from myia.infer.loops.prefetching import early_or_late
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

I64 = np.dtype(np.int64)


def unpack(
    ctx: Context, x: Abstract, before: int, starred: bool, after: int
) -> tuple[Abstract, ...]:
    """The values of `before` targets, of the one with a star if there is one, and of `after`."""
    if is_none(x):
        ctx.fail(BadType, message="cannot unpack non-iterable NoneType object")
    if is_dynamic(ctx, x) or (isinstance(x, Range) and ranges.known_range(x) is None):
        x = ctx.call(Static(list), (x,), {})
    given = x = iterated(ctx, x)
    if not starred and isinstance(x, Iterator) and x.kind in SEQUENCES:
        x = _taken(ctx, x, before + after + 1)
    if isinstance(ctx.held(x), BufferObject) and not is_static_int(ctx.length(x)):
        return _unpack_list(ctx, x, before, starred, after)
    items = ctx.list_items(x)
    too_few, too_many = _messages(before + after, starred)
    if len(items) < before + after:
        ctx.fail(BadValue, message=too_few.format(len(items)))
    if len(items) > before + after and not starred:
        take(ctx, given, to_end=False)  # Python leaves the other items
        ctx.fail(BadValue, message=too_many)
    if not starred:
        return tuple(items)
    middle = ctx.new(ListObject(items[before : len(items) - after]))
    return (*items[:before], middle, *items[len(items) - after :])


def _taken(ctx: Context, x: Iterator, most: int) -> Abstract:
    """The items of an iterator; no more than `most`, where taking others has an effect."""

    def all_items() -> Abstract:
        return Tuple(ctx.list_items(x))

    def first_items() -> Abstract:
        return ctx.call(Static(first_of), (x, Static(most)), {})

    return early_or_late(ctx, (x,), all_items, first_items)


def first_of(items: Any, n: int) -> Any:
    """At most n items, in a list, as a program takes them."""
    found: list[Any] = []
    for item in items:
        found.append(item)
        if len(found) == n:
            break
    return found


def _messages(wanted: int, starred: bool) -> tuple[str, str]:
    """Python's, for too few values (how many, is to be filled in) and for too many."""
    expected = f"expected {'at least ' if starred else ''}{wanted}"
    too_few = f"not enough values to unpack ({expected}, got {{}})"
    return too_few, f"too many values to unpack ({expected})"


def _unpack_list(
    ctx: Context, x: Abstract, before: int, starred: bool, after: int
) -> tuple[Abstract, ...]:
    """Items of a list of run-time length, which is checked."""
    n, wanted = number_value(as_number(ctx.length(x)), I64), constant(before + after, I64)
    too_few, too_many = _messages(before + after, starred)
    ctx.check(logic.lt(n, wanted), ValueError, too_few, n)
    if not starred:
        ctx.check(logic.gt(n, wanted), ValueError, too_many)
    first = [indexing.getitem(ctx, x, Static(i)) for i in range(before)]
    last = [indexing.getitem(ctx, x, Static(i)) for i in range(-after, 0)]
    if not starred:
        return (*first, *last)
    middle = SliceValue(Static(before), Static(-after) if after else NONE, NONE)
    return (*first, indexing.getitem(ctx, x, middle), *last)
