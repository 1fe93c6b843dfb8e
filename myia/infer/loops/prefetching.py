"""Prefetched items: computed before Python computes them, while nobody can tell.

    found = chain(x, y)      ->      items = x[0], x[1], ..., y[0], ...
    x[1] = 0.0
    for v in found: ...              takes x[1] as it was before: a wrong number

What has been read for prefetched items is recorded. They are out of date as soon as one of these
objects is written to. If one is taken then, the iterator is noted in `ctx.to_resume`: the program
is inferred again, with a generator in its place, which computes an item when it is taken
(`eval/program.py`). So it is if computing them has an effect: it would come too early.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from myia.infer.domain.context import Context
from myia.infer.domain.errors import CertainError, NeedsStatic
from myia.infer.domain.heap import CellObject, Invalidated
from myia.infer.domain.values import NONE, Abstract, Ref, Static, Tuple, is_static_int
from myia.infer.domain.values import Iterator as AnIterator
from myia.infer.loops.iterables import BY_GETITEM, ITERATORS, Items, items_of
from myia.infer.loops.iterators import EVERYWHERE, SEQUENCES, place_of
from myia.infer.unsupported import UnsupportedIteration
from myia.ir.builder import current_builder
from myia.ir.core import has_effect
from myia.source.diagnostics import MyiaError

MAX_GETITEM_ITEMS = 512  # items that `__getitem__` gives one by one, until its IndexError
PREFETCHED = "prefetched"  # the kind of an iterator over such items


def comes_late(ctx: Context, kind: str) -> bool:
    """Must the iterator of this kind that is made here compute each item when it is taken?"""
    return place_of(ctx, kind) in ctx.resumed or EVERYWHERE in ctx.resumed


def new_version(ctx: Context, kind: str) -> Ref:
    """What becomes invalid when the items of the iterator that is made here are out of date."""
    version = ctx.new(CellObject(NONE))
    ctx.places[version.id] = place_of(ctx, kind)
    ctx.prefetched_in[version.id] = tuple(ctx.handlers.stack)
    return version


class HasEffect(Exception):
    """What was to be computed early has an effect: a write, an output, a run-time check."""


@contextmanager
def without_effect(ctx: Context, *sources: Abstract) -> Iterator[set[int]]:
    """`HasEffect` at the end if there was one. The objects that are read.

    It is no effect that items of `sources` are taken.
    """
    start, mark = ctx.heap.copy(), (len(current_builder().ops), len(ctx.checks))
    states = {id for x in sources for id in _states(x)}
    with ctx.heap.recorded_reads() as reads:
        yield reads
    found = any(map(has_effect, current_builder().ops[mark[0] :])) or len(ctx.checks) > mark[1]
    if found or ctx.heap.written_since(start, states):
        raise HasEffect
    reads -= states


def _states(x: Abstract) -> Iterator[int]:
    """Where iterators hold how much of them was taken."""
    if isinstance(x, AnIterator) and isinstance(x.state, Ref):
        yield x.state.id
    if isinstance(x, (AnIterator, Tuple)):
        for y in x.items:
            yield from _states(y)


@contextmanager
def prefetching(ctx: Context, version: Ref, *sources: Abstract) -> Iterator[None]:
    """What is computed inside comes early; if it has an effect, the program is inferred again."""
    try:
        with without_effect(ctx, *sources) as reads:
            yield
    except HasEffect:
        refuse(ctx, version)
    _watch(ctx, version, reads)


def _watch(ctx: Context, version: Ref, reads: set[int]) -> None:
    for id in reads:
        if id in ctx.heap and not ctx.is_of_checks(id):
            ctx.heap.add_copy(id, version.id)


T = TypeVar("T")


def early_or_late(
    ctx: Context,
    sources: Sequence[Abstract],
    early: Callable[[], T],
    late: Callable[[], T],
    version: Ref | None = None,
) -> T:
    """What `early` gives; if that is refused or has an effect, what `late` gives."""
    start = ctx.heap.copy()
    mark = ctx.mark()
    try:
        with without_effect(ctx, *sources) as reads:
            found = early()
    except (MyiaError, HasEffect):
        ctx.rewind(start, mark)
        return late()
    if version is not None:
        _watch(ctx, version, reads)
    return found


def all_or_each(ctx: Context, container: Ref, early: Callable[[], T], late: Callable[[], T]) -> T:
    """What `early` makes of all items that are to be added to a container, else what `late` does.

    `late` adds each when it has been taken: taking items reads or writes the container, or their
    values are known in an unrolled loop only.
    """
    start, mark, before = ctx.heap.copy(), ctx.mark(), ctx.contents(container)
    try:
        with ctx.heap.recorded_reads() as reads:
            found = early()
        if container.id not in reads and ctx.contents(container) is before:
            return found
    except NeedsStatic:
        pass
    ctx.rewind(start, mark)
    return late()


def require_current(ctx: Context, version: Ref) -> None:
    """Items are taken that are not out of date, or the program is inferred again."""
    # What computing them raises may be caught where they are taken.
    had = ctx.prefetched_in.get(version.id)  # None: iterators of two paths, which nobody watches
    other = had is None or any(all(x is not y for y in had) for x in ctx.handlers.stack)
    if other or isinstance(ctx.heap[version.id], Invalidated):
        refuse(ctx, version)


def refuse(ctx: Context, version: Ref) -> NoReturn:
    """Refuse the program, unless it can be inferred with a generator there."""
    ctx.to_resume.add(ctx.places.get(version.id, EVERYWHERE))
    what = "an iterator over what is changed meanwhile"
    help_text = "make a list of it first, and use the list: `items = list(...)`"
    ctx.fail(UnsupportedIteration, what=what, help_text=help_text)


def computed_early(ctx: Context, x: Abstract, early: Callable[[], T]) -> T:
    """What `early` makes of items of `x`; an error if taking them has an effect."""
    try:
        with without_effect(ctx, x):
            return early()
    except HasEffect:
        what = "taking items of an iterator before Python does, which has an effect,"
        help_text = "make a list of it first, and use the list: `items = list(...)`"
        ctx.fail(UnsupportedIteration, what=what, help_text=help_text)


def prefetched(
    ctx: Context,
    kind: str,
    sources: Sequence[Abstract],
    early: Callable[[], tuple[Abstract, ...]],
    late: Callable[[], Abstract],
) -> Abstract:
    """An iterator over the items that `early` gives, or, if they come too early, what `late` gives.

    That iterator has no state: it gives its items each time.
    """
    if comes_late(ctx, kind):
        return late()
    version = new_version(ctx, kind)

    def items() -> Abstract:
        return over_prefetched(Tuple(early()), version)

    return early_or_late(ctx, sources, items, late, version)


def _by_getitem(ctx: Context, x: Ref) -> Abstract:
    """The items of an instance by its `__getitem__`, until that raises IndexError."""

    def early() -> tuple[Abstract, ...]:
        getitem = ctx.special_method(x, "__getitem__")
        return _items_until_index_error(ctx, getitem) if getitem is not None else ()

    def late() -> Abstract:
        return ctx.call(Static(items_by_getitem), (x,), {})

    return prefetched(ctx, "getitem", (x,), early, late)


BY_GETITEM.append(_by_getitem)


def _items_until_index_error(ctx: Context, getitem: Abstract) -> tuple[Abstract, ...]:
    items: list[Abstract] = []
    while len(items) < MAX_GETITEM_ITEMS:
        try:
            items.append(ctx.call(getitem, (Static(len(items)),), {}))
        except CertainError as error:
            if issubclass(error.exception, IndexError):
                return tuple(items)
            raise
    what = f"iteration by `__getitem__` over more than {MAX_GETITEM_ITEMS} items"
    ctx.fail(UnsupportedIteration, what=what)


def items_by_getitem(xs: Any) -> Generator[Any]:
    """The same, each when it is taken, as a program has it."""
    i = 0
    while True:
        try:
            item = xs[i]
        except IndexError:
            return
        yield item
        i += 1


def current_items(ctx: Context, items: Items, version: Ref) -> Items:
    """The same items, which must not be out of date when they are taken."""

    def item(i: Abstract) -> Abstract:
        require_current(ctx, version)
        return items.item(i)

    def has_item(i: int) -> bool:
        there = items.has(i)
        if not there and isinstance(ctx.heap[version.id], Invalidated):
            refuse(ctx, version)  # there may be others behind the last one
        return there

    known = is_static_int(items.length) or items.has_item is not None
    return replace(items, item=item, has_item=has_item if known else None)


def over_prefetched(items: Abstract, version: Ref) -> AnIterator:
    """An iterator without a state over prefetched items."""
    return AnIterator(PREFETCHED, (items, version))


def _items(ctx: Context, x: AnIterator) -> Items:
    items, version = x.items
    assert isinstance(version, Ref)
    return current_items(ctx, items_of(ctx, items), version)


def _sequence(ctx: Context, x: AnIterator) -> Abstract:
    items, version = x.items
    assert isinstance(version, Ref)
    require_current(ctx, version)
    return items


ITERATORS[PREFETCHED] = _items
SEQUENCES[PREFETCHED] = _sequence
