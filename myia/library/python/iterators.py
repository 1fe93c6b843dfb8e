"""`zip`, `enumerate`, `reversed`, `map`, `filter`: iterators over the items of other iterables."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds
from myia.infer.domain.errors import BadType, BadValue, CertainError
from myia.infer.domain.heap import InstanceObject, ListObject
from myia.infer.domain.lengths import at_most, length_of
from myia.infer.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Abstract,
    Closure,
    Iterator,
    Number,
    PyFunction,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_number,
    is_none,
    is_static_int,
)
from myia.infer.loops.iterables import (
    ITERATORS,
    Items,
    has_next,
    has_only_getitem,
    items_of,
    iterated,
    iterator_of,
    require_iterables,
)
from myia.infer.loops.iterators import (
    SEQUENCES,
    USED_UP,
    is_generator,
    items_taken,
    iterator,
    reiterable,
    set_state,
    set_taken,
)
from myia.infer.loops.loop_forms import loop
from myia.infer.loops.prefetching import (
    PREFETCHED,
    comes_late,
    current_items,
    new_version,
    prefetched,
    prefetching,
)
from myia.infer.loops.unrolling import LoopCode, States
from myia.infer.numeric.samples import error_of, index_of
from myia.infer.operators import operators
from myia.infer.operators.truth import truth
from myia.infer.parameters import keeps_none
from myia.infer.paths.branches import branch
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedIteration
from myia.ir.core import walk
from myia.library.python.generators import (
    Handler,
    comes_one_by_one,
    each_of,
    enumerate_,
    filter_,
    iter_until,
    map_,
    next_of_generator,
    next_or,
    of_instances,
    over_generators,
    reversed_by_index,
    without_state,
    zip_generator,
    zip_strict,
)
from myia.library.support.from_source import call_source
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

STORES = (py.store_cell, py.store_global, py.setattr_, py.setitem, py.delitem)
ACTS = (*STORES, py.call, py.raise_, py.assert_)  # what a function may do beside computing


def items_of_kind(kind: str) -> Callable[[Callable], Callable]:
    """Register the function that gives the items of an `Iterator` of this kind."""

    def register(items: Callable) -> Callable:
        ITERATORS[kind] = items
        return items

    return register


@function(enumerate, dynamic=as_is)
@over_generators(enumerate_)
def _enumerate(ctx: Context, iterable: Abstract, start: Abstract = Static(0)) -> Abstract:
    require_iterables(ctx, iterable)
    return iterator(ctx, "enumerate", iterable, index_of(ctx, start))


@items_of_kind("enumerate")
def _enumerate_items(ctx: Context, x: Iterator) -> Items:
    part, start = items_of(ctx, x.items[0]), x.items[1]

    def item(i: Abstract) -> Abstract:
        return Tuple((operators.binary(ctx, "+", i, start), part.item(i)))

    return replace(part, item=item)


@function(zip, dynamic=as_is)
@of_instances
def _zip(ctx: Context, *iterables: Abstract, strict: Abstract = FALSE) -> Abstract:
    require_iterables(ctx, *iterables)
    is_strict = ctx.static(strict, "`strict`")
    iterables = in_order(ctx, iterables)
    one_by_one = [comes_one_by_one(x) for x in iterables]
    if any(map(is_generator, iterables)) or (iterables and all(one_by_one)):
        if is_strict:
            ctx.fail(UnsupportedIteration, what="`zip` of a generator with `strict`")
        return zip_generator(ctx, iterables)
    if is_strict:
        iterables = tuple(reiterable(ctx, x) for x in iterables)
        counts = tuple(ctx.items_of(x).length for x in iterables)
        if not all(map(is_static_int, counts)) or len({c.value for c in counts}) > 1:
            rows = iterator(ctx, "zip", *iterables)
            return call_source(ctx, zip_strict, (rows, Tuple(counts)), {})
    return iterator(ctx, "zip", *iterables)


def in_order(ctx: Context, iterables: tuple[Abstract, ...]) -> tuple[Abstract, ...]:
    """Python takes an item of each, before it finds that a later one has no more.

    A `map` whose function may act is a generator, if a generator follows it, or if it is longer
    than one that follows: then its function is called once more.
    """
    acts = [_acts(ctx, x) for x in iterables[:-1]]
    if not any(acts):
        return iterables
    counts = [_known_length(ctx, x) for x in iterables]

    def ends_late(i: int) -> bool:
        own, later = counts[i], [n for n in counts[i + 1 :] if n is not None]
        return own is not None and bool(later) and min(later) < own

    one_by_one = [i for i, x in enumerate(iterables) if is_generator(x)]
    one_by_one += [i for i, may_act in enumerate(acts) if may_act and ends_late(i)]
    last = max(one_by_one, default=-1)
    late = [i for i, may_act in enumerate(acts) if may_act and i <= last]
    return tuple(
        each_of(ctx, without_state(ctx, x)) if i in late else x for i, x in enumerate(iterables)
    )


def _known_length(ctx: Context, x: Abstract) -> int | None:
    if comes_one_by_one(x):
        return None
    length = items_of(ctx, x).length
    return length.value if isinstance(length, Static) else None


def _acts(ctx: Context, x: Abstract) -> bool:
    """Does a function of the program give its items, which may do more than compute them?"""
    if not isinstance(x, Iterator) or is_generator(x):
        return False
    if x.kind not in ("map", "starmap"):
        return any(_acts(ctx, part) for part in x.items)
    f = x.items[0]
    if isinstance(f, Static) and isinstance(f.value, types.FunctionType):
        code = ctx.load(f.value)
    elif isinstance(f, (Closure, PyFunction)):
        code = f.code if isinstance(f, Closure) else ctx.load(f.function)
    else:
        return False
    return any(op.primitive in ACTS for op in walk(code.region))


def _shortest(parts: list[Items]) -> Number:
    return functools.reduce(at_most, (length_of(part.length) for part in parts)).abstract()


@items_of_kind("zip")
def _zip_items(ctx: Context, x: Iterator) -> Items:
    parts = [items_of(ctx, item) for item in x.items]
    if not parts:
        return items_of(ctx, Tuple(()))
    length = _shortest(parts)
    unroll = is_static_int(length) and any(p.unroll for p in parts)
    grows = is_static_int(length) and any(p.has_item is not None for p in parts)
    has_item = (lambda i: all(p.has(i) for p in parts)) if grows else None
    return Items(length, lambda i: Tuple(tuple(p.item(i) for p in parts)), unroll, has_item)


@function(reversed, dynamic=as_is)
def _reversed(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Iterator) and isinstance(x.state, Ref):
        ctx.fail(BadType, message=f"{x.kind!r} object is not reversible")
    if (found := ctx.special_method(x, "__reversed__")) is not None:
        return ctx.call(found, (), {})
    if isinstance(contents := ctx.held(x), InstanceObject):
        if ctx.special_method(x, "__getitem__") is None:
            ctx.fail(BadType, message=f"{contents.cls.__name__!r} object is not reversible")
        return call_source(ctx, reversed_by_index, (x, ctx.length(x)), {})
    if isinstance(error := error_of(ctx, reversed, (x,), {}), TypeError):
        ctx.fail(BadType, message=str(error))
    return iterator(ctx, "reversed", x, ctx.length(x))


@items_of_kind("reversed")
def _reversed_items(ctx: Context, x: Iterator) -> Items:
    part, length = items_of(ctx, x.items[0]), as_number(x.items[1])
    if isinstance(x.items[0], Tuple):  # `length` may be that of another that was possible
        length = part.length
    last = operators.binary(ctx, "-", length, Static(1))

    def item(i: Abstract) -> Abstract:
        j = operators.binary(ctx, "-", last, i)
        if isinstance(j, Scalar):  # tighter bounds than the arithmetic proves: a valid index
            j = Scalar(j.value, True, 0, bounds(last)[1])
        return part.item(j)

    return Items(length, item, part.unroll and is_static_int(length))


@function(iter)
@keeps_none
def _iter(ctx: Context, x: Abstract, *sentinel: Abstract) -> Abstract:
    if sentinel:
        return call_source(ctx, iter_until, (x, *sentinel), {})
    if has_next(ctx, x := iterator_of(ctx, x)):
        return x
    require_iterables(ctx, x)
    x = with_state(ctx, iterated(ctx, x)) if has_only_getitem(ctx, x) else x
    return x if isinstance(x, Iterator) and isinstance(x.state, Ref) else iterator(ctx, "iter", x)


@function(next, dynamic=as_is)
@keeps_none
def _next(ctx: Context, iterator: Abstract, *default: Abstract) -> Abstract:
    """`next(iterator[, default])`"""
    if is_generator(iterator):
        return next_of_generator(ctx, iterator, *default)
    if has_next(ctx, iterator):
        if default:
            return call_source(ctx, next_or, (iterator, *default), {})
        return ctx.call(ctx.getattr(iterator, "__next__"), (), {})
    if not isinstance(iterator, Iterator) or not isinstance(iterator.state, Ref):
        ctx.fail(BadType, message=f"{ctx.describe(iterator)} is not an iterator")
    if any(isinstance(x, Iterator) and isinstance(x.state, Ref) for x in iterator.items):
        help_text = "take an item by its index, or write a loop"
        ctx.fail(
            UnsupportedIteration, what="`next` of an iterator over iterators", help_text=help_text
        )
    taken = items_taken(ctx, iterator)
    items = items_of(ctx, iterator)
    if is_static_int(items.length) and not items.length.value:
        set_state(ctx, iterator, USED_UP)
    else:
        set_taken(ctx, iterator, taken + 1)

    def end() -> Abstract:
        if default:
            return default[0]
        return ctx.fail(BadValue, message="", exception="StopIteration")

    if isinstance(items.length, Static):
        return items.item(Static(0)) if items.length.value > 0 else end()
    there = logic.gt(items.length.value, constant(0, items.length.dtype))
    return branch(ctx, Scalar(there, weak=True), lambda: items.item(Static(0)), end)


@function(map, dynamic=as_is)
@over_generators(map_)
def _map(ctx: Context, f: Abstract, *iterables: Abstract) -> Abstract:
    require_iterables(ctx, *iterables)
    found = in_order(ctx, iterables)
    if comes_late(ctx, STOPPED) or any(map(is_generator, found)):
        return call_source(ctx, map_, (f, *found), {})
    return iterator(ctx, "map", f, *iterables)


STOPPED = "stopped"  # an iterator that ends where its function raises StopIteration


def result_for_item(ctx: Context, x: Iterator, f: Abstract, args: tuple[Abstract, ...]) -> Abstract:
    """What the function of `map` and its like gives for an item."""
    start = len(ctx.checks)
    try:
        found = ctx.call(f, args, {})
    except CertainError as error:
        if issubclass(error.exception, StopIteration):
            _refuse_stop(ctx, x)
        raise
    if any(issubclass(c.exception, StopIteration) for c in ctx.checks[start:] if not c.is_caught):
        _refuse_stop(ctx, x)
    return found


def _refuse_stop(ctx: Context, x: Iterator) -> NoReturn:
    """Refuse the program, unless it can be inferred with a generator there."""
    place = ctx.places.get(x.state.id) if isinstance(x.state, Ref) else None
    if isinstance(place, tuple):
        ctx.to_resume.add((STOPPED, *place[1:]))
    ctx.fail(UnsupportedIteration, what=f"`{x.kind}` of a function that raises StopIteration")


@items_of_kind("map")
def _map_items(ctx: Context, x: Iterator) -> Items:
    """The function is called in the iteration that takes its result."""
    f, *iterables = x.items
    part = _zip_items(ctx, Iterator("zip", tuple(iterables)))
    return replace(part, item=lambda i: result_for_item(ctx, x, f, part.item(i).items))


@function(filter)
@over_generators(filter_)
def _filter(ctx: Context, f: Abstract, iterable: Abstract) -> Abstract:
    require_iterables(ctx, iterable)
    if comes_late(ctx, "filter") or comes_late(ctx, STOPPED):
        return call_source(ctx, filter_, (f, iterable), {})
    return iterator(ctx, "filter", f, iterable, new_version(ctx, "filter"))


def _mapped(ctx: Context, x: Iterator) -> Abstract:
    return collected(ctx, x, _map_items(ctx, x))


def _filtered(ctx: Context, x: Iterator) -> Abstract:
    f, iterable, version = x.items
    assert isinstance(version, Ref)

    def test(item: Abstract) -> Abstract:
        return truth(ctx, item if is_none(f) else result_for_item(ctx, x, f, (item,)))

    with prefetching(ctx, version, iterable):
        return collected(ctx, x, items_of(ctx, iterable), test)


def _filter_items(ctx: Context, x: Iterator) -> Items:
    version = x.items[2]
    assert isinstance(version, Ref)
    return current_items(ctx, items_of(ctx, _filtered(ctx, x)), version)


def collected(
    ctx: Context,
    x: Iterator,
    items: Items,
    test: Callable[[Abstract], Abstract] = lambda item: TRUE,
) -> Abstract:
    """The list of the items that pass, in one loop if they have one type."""
    found = ctx.new(ListObject(()))

    def body(item: Abstract, xs: States) -> States:
        append = lambda: ctx.call(ctx.getattr(found, "append"), (item,), {})  # noqa: E731
        branch(ctx, test(item), append, lambda: NONE)
        return xs

    loop(ctx, LoopCode(("collect", x.key()), items, None, body), [])
    return found


SEQUENCES.update(map=_mapped, filter=_filtered)
ITERATORS["filter"] = _filter_items


# ----- Functions that compute all items at once (`infer/loops/prefetching.py`)


def prefetched_by(
    late: Handler, result: Callable[[Context, Abstract], Abstract] | None = None
) -> Callable[[Callable[..., tuple[Abstract, ...]]], Handler]:
    """The handler of a function that gives all items; `late`: each when it is taken.

    `result` makes the iterator of what is found; by default, one that gives each item once.
    """

    def decorate(items: Callable[..., tuple[Abstract, ...]]) -> Handler:
        @functools.wraps(items)
        def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
            given = (*args, *kwargs.values())
            if any(map(comes_one_by_one, given)):
                return late(ctx, *args, **kwargs)
            found = prefetched(
                ctx,
                items.__name__,
                given,
                lambda: items(ctx, *args, **kwargs),
                lambda: late(ctx, *args, **kwargs),
            )
            return (result or with_state)(ctx, found)

        return handler

    return decorate


def with_state(ctx: Context, x: Abstract) -> Abstract:
    """Prefetched items, which the result gives once."""
    assert isinstance(x, Iterator)
    return iterator(ctx, PREFETCHED, *x.items) if x.kind == PREFETCHED else x
