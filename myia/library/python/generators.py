"""Iterators over generators, as generators: their source is compiled like a user's.

    enumerate(g)      ->      i = 0
                              for item in g:
                                  yield i, item
                                  i += 1

Items of other iterables have an index (`iterators.py`, `itertools_.py`); those of a generator come
one after the other. No source takes an item that Python would not take. Those of `itertools` are in
`library/source/python/itertools_.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from myia.infer.domain import values
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNDEFINED,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    Tuple,
)
from myia.infer.generators.resumption import has_not_ended, resume, returned_by, unwrapped
from myia.infer.generators.weaving import ENDLESS, is_expression, resumed
from myia.infer.loops.iterables import items_of, iterated
from myia.infer.loops.iterators import (
    AS_GENERATOR,
    has_items,
    is_generator,
    items_taken,
    iterator,
    sequence_of,
    use_up,
)
from myia.infer.loops.prefetching import comes_late, early_or_late, new_version, over_prefetched
from myia.infer.operators.comparison import compare
from myia.infer.parameters import keeps_none
from myia.infer.paths.branches import branch
from myia.infer.registry import as_is, function, method
from myia.infer.unsupported import UnsupportedIteration
from myia.library.source.python.itertools_ import forget
from myia.library.support.from_source import call_source
from myia.primitives.core import desugared

ENDLESS_LENGTH = 2**62  # of iterables without end whose items have an index
Source = Callable[..., Any]
Handler = Callable[..., Abstract]


def comes_one_by_one(x: Abstract) -> bool:
    """Have the items of `x` no index, or no end?"""
    return is_generator(x) or (isinstance(x, values.Iterator) and x.kind in ENDLESS)


def of_instances(handler: Handler) -> Handler:
    """Instances with an `__iter__` are asked for their iterator when the function is called."""

    @functools.wraps(handler)
    def given(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return handler(ctx, *(iterated(ctx, x) for x in args), **kwargs)

    return given


def over_generators(source: Source) -> Callable[[Handler], Handler]:
    """The handler of a function of iterables, with the source that it has over generators."""

    def decorate(handler: Handler) -> Handler:
        @of_instances
        @functools.wraps(handler)
        def either(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
            if any(map(comes_one_by_one, (*args, *kwargs.values()))):
                return call_source(ctx, source, args, kwargs)
            return handler(ctx, *args, **kwargs)

        return either

    return decorate


# ----- Built-in functions


def enumerate_(iterable: Any, start: Any = 0) -> Iterator[Any]:
    i = start
    for item in iterable:
        yield i, item
        i += 1


def map_(f: Any, *iterables: Any) -> Iterator[Any]:
    if len(iterables) == 1:
        for item in iterables[0]:
            try:
                found = f(item)
            except StopIteration:  # Python's `map` lets it through: it ends the loop
                return
            yield found
    else:
        for row in zip(*iterables):
            try:
                found = f(*row)
            except StopIteration:
                return
            yield found


def filter_(f: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        try:
            passes = item if f is None else f(item)
        except StopIteration:
            return
        if passes:
            yield item


def iter_until(f: Any, sentinel: Any) -> Iterator[Any]:
    while True:
        item = f()
        if item == sentinel:
            return
        yield item


def reversed_by_index(x: Any, length: int) -> Iterator[Any]:
    """`reversed` of an object by its `__getitem__`."""
    for i in range(length - 1, -1, -1):
        try:
            item = x[i]
        except (IndexError, StopIteration):
            return
        yield item


def next_or(iterator: Any, default: Any) -> Any:
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def any_(iterable: Any, /) -> Any:
    found = False
    for item in iterable:
        if item:
            found = True
            break
    return found


def all_(iterable: Any, /) -> Any:
    found = True
    for item in iterable:
        if not item:
            found = False
            break
    return found


# ----- `zip`: of one generator and of iterables whose items have an index, and of several


def zip_several(first: Any, *others: Any) -> Iterator[Any]:
    for item in first:
        there, row = _taken(others)
        if not there:
            return
        yield item, *row


def _taken(generators: Any) -> Any:
    """Whether each generator has a next item, and the tuple of them; the first that has none ends
    it."""


@function(_taken, dynamic=as_is)
def _taken_of(ctx: Context, generators: Abstract) -> Abstract:
    there, row = _next_row(ctx, generators.children()).children()
    return Tuple((there, Tuple(()) if row is UNDEFINED else row))


def _next_row(ctx: Context, generators: Sequence[Abstract]) -> Abstract:
    if not generators:
        return Tuple((TRUE, Tuple(())))
    first, *others = generators
    assert is_generator(first)
    there, item = resume(ctx, first)

    def with_others() -> Abstract:
        has_not_ended(ctx, first)
        all_there, row = _next_row(ctx, others).children()
        if row is not UNDEFINED:
            found = row.value if isinstance(row, Optional) else row
            row = Tuple((unwrapped(item), *found.children()))
        return Tuple((all_there, row))

    return branch(ctx, there, with_others, lambda: Tuple((FALSE, UNDEFINED)))


def zip_(before: Any, items: Any, after: Any) -> Iterator[Any]:
    i = 0
    if _has_row(before, i):
        row = _row(before, i)  # before the generator goes on, which may change what it is read from
        for item in items:
            if not _has_row(after, i):
                return
            yield (*row, item, *_row(after, i))
            i += 1
            if not _has_row(before, i):
                return
            row = _row(before, i)


def zip_strict(rows: Any, counts: Any) -> Iterator[Any]:
    yield from rows
    first, least, before = counts[0], min(counts), ""
    for i, count in enumerate(counts):
        if i > 0:
            before = "argument 1" if i == 1 else f"arguments 1-{i}"
        if count < first and count == least:
            raise ValueError(f"zip() argument {i + 1} is shorter than {before}")
        if count > first and first == least:
            raise ValueError(f"zip() argument {i + 1} is longer than {before}")


def _has_row(rows: Any, i: Any) -> Any:
    """Is there a row at `i` now?"""


def _row(rows: Any, i: Any) -> Any:
    """The row at `i`, which there is."""


@function(_has_row, dynamic=as_is)
def _is_row(ctx: Context, rows: Abstract, i: Abstract) -> Abstract:
    length = items_of(ctx, rows).length
    if isinstance(length, Static) and length.value >= ENDLESS_LENGTH:
        return TRUE
    return compare(ctx, "<", i, length)


@function(_row, dynamic=as_is)
def _row_at(ctx: Context, rows: Abstract, i: Abstract) -> Abstract:
    items = items_of(ctx, rows)
    if isinstance(i, Scalar):
        most = bounds(items.length)[1]
        i = Scalar(i.value, True, 0, None if most is None else most - 1)
    return items.item(i)


def zip_generator(ctx: Context, iterables: tuple[Abstract, ...]) -> Abstract:
    """A `zip` with a generator among its iterables."""
    found = [i for i, x in enumerate(iterables) if is_generator(x)]
    if len(found) > 1:
        return _zip_of_several(ctx, iterables)
    at = found[0] if found else 0
    before, after = (
        values.Iterator("zip", tuple(without_state(ctx, x) for x in part)) if part else ENDLESS_ROWS
        for part in (iterables[:at], iterables[at + 1 :])
    )
    return call_source(ctx, zip_, (before, iterables[at], after), {})


def _zip_of_several(ctx: Context, iterables: tuple[Abstract, ...]) -> Abstract:
    """By lists of all items, if the generators are expressions, and that makes no difference."""

    def late() -> Abstract:
        others = (x if is_generator(x) else each_of(ctx, x) for x in iterables[1:])
        return call_source(ctx, zip_several, (iterables[0], *others), {})

    if comes_late(ctx, "zip_several") or not all(
        is_expression(ctx, x) for x in iterables if is_generator(x)
    ):
        return late()
    version = new_version(ctx, "zip_several")

    def early() -> Abstract:
        lists = (
            over_prefetched(sequence_of(ctx, x), version) if is_generator(x) else x
            for x in iterables
        )
        return iterator(ctx, "zip", *lists)

    return early_or_late(ctx, iterables, early, late, version)


ENDLESS_ROWS = values.Iterator("repeat_forever", (Tuple(()),))


def without_state(ctx: Context, x: Abstract) -> Abstract:
    """What gives the items of `x` each time; from now on `x` counts as used in part."""
    if not isinstance(x, values.Iterator):
        return x
    taken = items_taken(ctx, x)
    if isinstance(x.state, Ref) and not has_items(ctx, x):
        return Tuple(())
    if taken:
        what = "a generator beside an iterator of which items were taken"
        ctx.fail(UnsupportedIteration, what=what, help_text="take its items in a loop of their own")
    return replace(x, items=tuple(without_state(ctx, y) for y in x.items), state=NONE)


# ----- `next`, and iterators that go on where they stopped


def each(items: Any) -> Iterator[Any]:
    yield from items


def each_of(ctx: Context, x: Abstract) -> Abstract:
    """A generator of the items of `x`."""
    return call_source(ctx, each, (x,), {})


def _as_generator(ctx: Context, x: values.Iterator) -> values.Iterator:
    found = each_of(ctx, x)
    assert is_generator(found)
    return resumed(ctx, found)


AS_GENERATOR.append(_as_generator)


def next_of_generator(
    ctx: Context, x: values.Iterator, default: Abstract | None = None, *, sent: Abstract = NONE
) -> Abstract:
    """`next(x[, default])`, `x.send(sent)`"""
    there, item = resume(ctx, x, sent)

    def end() -> Abstract:
        if default is not None:
            return default
        return ctx.fail(BadValue, message="", exception="StopIteration")

    found = branch(ctx, there, lambda: unwrapped(item), end)
    if default is None and not ctx.handlers.catches(StopIteration):
        has_not_ended(ctx, x)
    return found


@method("generator", "send", dynamic=as_is)
@keeps_none
def _send(ctx: Context, self: values.Iterator, value: Abstract) -> Abstract:
    return next_of_generator(ctx, self, sent=value)


@method("generator", "__next__", dynamic=as_is)
def _next(ctx: Context, self: values.Iterator) -> Abstract:
    return next_of_generator(ctx, self)


@method("generator", "close", dynamic=as_is)
def _close(ctx: Context, self: values.Iterator) -> Abstract:
    use_up(ctx, self)
    return NONE


@function(forget, dynamic=as_is)
def _forget(ctx: Context, items: Abstract) -> Abstract:
    use_up(ctx, items)
    return NONE


@function(desugared.returned, dynamic=as_is)
def _returned(ctx: Context, x: Abstract) -> Abstract:
    return returned_by(ctx, x) if is_generator(x) else NONE
