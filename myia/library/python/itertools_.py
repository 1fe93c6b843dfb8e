"""`itertools`: iterables made of iterables.

Where an item depends on its index alone, a loop runs over the index and takes the item. The other
functions make a tuple of all items beforehand, while that gives the same numbers
(`infer/loops/prefetching.py`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import BufferObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Iterator,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_number,
    is_none,
    is_static_int,
)
from myia.infer.generators.weaving import ENDLESS
from myia.infer.loops.iterables import Items, items_of
from myia.infer.loops.iterators import (
    SEQUENCES,
    has_items,
    items_taken,
    iterator,
    reiterable,
    sequence_of,
)
from myia.infer.loops.prefetching import (
    PREFETCHED,
    comes_late,
    current_items,
    new_version,
    prefetched,
    prefetching,
)
from myia.infer.numeric.samples import index_of
from myia.infer.operators import operators
from myia.infer.parameters import keeps_none
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedIteration
from myia.ir.builder import current_builder
from myia.ir.core import has_effect
from myia.library.python.generators import (
    ENDLESS_LENGTH,
    Handler,
    Source,
    over_generators,
)
from myia.library.python.iterators import (
    STOPPED,
    collected,
    items_of_kind,
    prefetched_by,
    result_for_item,
    with_state,
)
from myia.library.source.python.itertools_ import (
    accumulate_,
    chain_,
    chain_from,
    compress_,
    count_,
    cycle_,
    dropwhile_,
    filterfalse_,
    groupby_,
    islice_,
    islice_checked,
    key_of,
    pairwise_,
    repeat_,
    repeated_,
    starmap_,
    takewhile_,
)
from myia.library.support.from_source import call_source


def _offset(ctx: Context, i: Abstract, scale: int, offset: int, most: int) -> Abstract:
    """`i * scale + offset`, which is proved to lie in 0 .. most."""
    j = operators.binary(ctx, "*", i, Static(scale)) if scale != 1 else i
    j = operators.binary(ctx, "+", j, Static(offset)) if offset else j
    return Scalar(j.value, True, 0, most) if isinstance(j, Scalar) else j


# ----- Lazy iterables: items by their index


@function(itertools.product)
def _product(ctx: Context, *iterables: Abstract, repeat: Abstract = Static(1)) -> Abstract:
    pools, n = tuple(_pool(ctx, x) for x in iterables), ctx.int_of(repeat, "`repeat`")
    if n < 0:
        ctx.fail(BadValue, message="repeat argument cannot be negative")
    return iterator(ctx, "product", *pools * n)


def _pool(ctx: Context, x: Abstract) -> Abstract:
    """The items of `x` as they are now: a copy of what may change. Rows of an array are views."""
    x = reiterable(ctx, ctx.force(x))
    if not isinstance(x, Ref):
        return x
    if ctx.is_array(x):
        return ctx.call(Static(np.copy), (x,), {}) if len(ctx.shape(x)) == 1 else x
    return ctx.call(Static(list), (x,), {})


@items_of_kind("product")
def _product_items(ctx: Context, x: Iterator) -> Items:
    parts = [items_of(ctx, item) for item in x.items]
    counts = [ctx.int_of(part.length, "the number of items") for part in parts]

    def item(i: Abstract) -> Abstract:
        found: list[Abstract] = []
        stride = math.prod(counts)
        for part, count in zip(parts, counts):
            stride //= count
            quotient = operators.binary(ctx, "//", i, Static(stride))
            quotient = operators.binary(ctx, "%", quotient, Static(count))
            found.append(part.item(_offset(ctx, quotient, 1, 0, count - 1)))
        return Tuple(tuple(found))

    return Items(Static(math.prod(counts)), item, any(part.unroll for part in parts))


@function(itertools.pairwise)
@over_generators(pairwise_)
def _pairwise(ctx: Context, iterable: Abstract) -> Abstract:
    buffer = isinstance(ctx.held(iterable), BufferObject)
    if (buffer and not is_static_int(ctx.length(iterable))) or comes_late(ctx, "pairwise"):
        return call_source(ctx, pairwise_, (iterable,), {})
    return iterator(ctx, "pairwise", iterable, new_version(ctx, "pairwise"))


@items_of_kind("pairwise")
def _pairwise_items(ctx: Context, x: Iterator) -> Items:
    """Of a pair Python has taken the first item as the second of the pair before."""
    iterable, version = x.items
    assert isinstance(version, Ref)
    with prefetching(ctx, version, iterable):
        part = items_of(ctx, sequence_of(ctx, iterable))
    count = ctx.int_of(part.length, "the number of items")

    def item(i: Abstract) -> Abstract:
        with prefetching(ctx, version, iterable):
            return Tuple((part.item(i), part.item(_offset(ctx, i, 1, 1, count - 1))))

    pairs = Items(Static(max(0, count - 1)), item, part.unroll)
    return current_items(ctx, pairs, version)


def _is_known(x: Abstract, least: int) -> bool:
    return is_static_int(x) and x.value >= least


@function(itertools.islice)
@over_generators(islice_checked)
def _islice(ctx: Context, iterable: Abstract, *bounds: Abstract) -> Abstract:
    if not all(is_none(b) or _is_known(b, least) for b, least in zip(bounds, (0, 0, 1))):
        ctx.prefer_static("a bound of a slice")
        return call_source(ctx, islice_checked, (iterable, *bounds), {})
    return iterator(ctx, "islice", iterable, *bounds)


@items_of_kind("islice")
def _islice_items(ctx: Context, x: Iterator) -> Items:
    part = items_of(ctx, x.items[0])
    count = ctx.int_of(part.length, "the number of items")
    limits = slice(*(b.value for b in x.items[1:] if isinstance(b, Static)))
    chosen, start, step = range(count)[limits], limits.start or 0, limits.step or 1

    def item(i: Abstract) -> Abstract:
        return part.item(_offset(ctx, i, step, start, count - 1))

    def has_item(i: int) -> bool:
        at = start + i * step
        return (limits.stop is None or at < limits.stop) and part.has(at)

    grows = None if part.has_item is None else has_item
    return Items(Static(len(chosen)), item, part.unroll, grows)


@function(itertools.repeat)
@keeps_none
def _repeat(ctx: Context, x: Abstract, times: Abstract | None = None) -> Abstract:
    if times is None:
        return iterator(ctx, "repeat_forever", x)
    if not is_number(times) or kind_of(times) not in "iub":
        ctx.needs_static("how often `itertools.repeat` repeats")
    return iterator(ctx, "repeat", x, index_of(ctx, times))


@items_of_kind("repeat")
def _repeat_items(ctx: Context, x: Iterator) -> Items:
    item, times = x.items
    times = ctx.call(Static(max), (times, Static(0)), {})
    return Items(as_number(times), lambda i: item)


@function(itertools.starmap)
@over_generators(starmap_)
def _starmap(ctx: Context, f: Abstract, iterable: Abstract) -> Abstract:
    if comes_late(ctx, STOPPED):
        return call_source(ctx, starmap_, (f, iterable), {})
    return iterator(ctx, "starmap", f, iterable)


@items_of_kind("starmap")
def _starmap_items(ctx: Context, x: Iterator) -> Items:
    f, iterable = x.items
    part = items_of(ctx, iterable)

    def item(i: Abstract) -> Abstract:
        return result_for_item(ctx, x, f, ctx.list_items(part.item(i)))

    return replace(part, item=item)


SEQUENCES["starmap"] = lambda ctx, x: collected(ctx, x, _starmap_items(ctx, x))


def _from(source: Source) -> Handler:
    return lambda ctx, *args, **kwargs: call_source(ctx, source, args, kwargs)


# ----- Without end: items by their index beside other iterables, else a generator


@function(itertools.count)
def _count(ctx: Context, start: Abstract = Static(0), step: Abstract = Static(1)) -> Abstract:
    if all(is_number(x) and kind_of(x) in "iu" for x in (start, step)):
        return iterator(ctx, "count", start, step)
    return call_source(ctx, count_, (start, step), {})  # Python adds floats one by one


@items_of_kind("count")
def _count_items(ctx: Context, x: Iterator) -> Items:
    start, step = x.items

    def item(i: Abstract) -> Abstract:
        return operators.binary(ctx, "+", operators.binary(ctx, "*", i, step), start)

    return Items(Static(ENDLESS_LENGTH), item)


@items_of_kind("repeat_forever")
def _endless_repeat_items(ctx: Context, x: Iterator) -> Items:
    return Items(Static(ENDLESS_LENGTH), lambda i: x.items[0])


def _again_and_again(ctx: Context, x: Abstract) -> Abstract:
    assert isinstance(x, Iterator)
    return iterator(ctx, "cycle", x) if x.kind == PREFETCHED else x


@function(itertools.cycle)
@prefetched_by(_from(cycle_), _again_and_again)
def _cycle(ctx: Context, iterable: Abstract) -> tuple[Abstract, ...]:
    return ctx.list_items(iterable, to_end=False)


@items_of_kind("cycle")
def _cycle_items(ctx: Context, x: Iterator) -> Items:
    part = items_of(ctx, x.items[0])
    count = ctx.int_of(part.length, "the number of items")

    def item(i: Abstract) -> Abstract:
        at = operators.binary(ctx, "%", i, Static(count))
        return part.item(_offset(ctx, at, 1, 0, count - 1))

    return Items(Static(ENDLESS_LENGTH), item, part.unroll) if count else part


def _endless(source: Callable) -> Callable[[Context, Iterator], Abstract]:
    def as_generator(ctx: Context, x: Iterator) -> Abstract:
        taken = items_taken(ctx, x)
        if not has_items(ctx, x):
            return Tuple(())
        found = call_source(ctx, source, x.items, {})
        return call_source(ctx, islice_, (found, Static(taken), NONE), {}) if taken else found

    return as_generator


ENDLESS.update(count=_endless(count_), repeat_forever=_endless(repeat_), cycle=_endless(repeated_))


# ----- One item after the other, also of what has an index


def _generator_function(f: Any, source: Source) -> None:
    function(f, dynamic=as_is)(_from(source))


_generator_function(itertools.takewhile, takewhile_)
_generator_function(itertools.dropwhile, dropwhile_)
_generator_function(itertools.filterfalse, filterfalse_)
_generator_function(itertools.compress, compress_)
_generator_function(itertools.groupby, groupby_)


@function(key_of, dynamic=as_is)
def _key_of(ctx: Context, key: Abstract, item: Abstract) -> Abstract:
    if is_none(key):
        return item
    start, mark = ctx.heap.copy(), len(current_builder().ops)
    found = ctx.call(key, (item,), {})
    ops = current_builder().ops[mark:]
    if any(map(has_effect, ops)) or ctx.heap.written_since(start, {ctx.error_id}):
        ctx.fail(UnsupportedIteration, what="a key of `itertools.groupby` that has an effect")
    return found


# ----- All items at once, while they are what Python takes later


@function(itertools.chain)
@prefetched_by(_from(chain_))
def _chain(ctx: Context, *iterables: Abstract) -> tuple[Abstract, ...]:
    return _in_turn(ctx, iterables)


@function(itertools.chain.from_iterable)
@prefetched_by(_from(chain_from))
def _chain_from(ctx: Context, iterables: Abstract) -> tuple[Abstract, ...]:
    return _in_turn(ctx, ctx.list_items(iterables, to_end=False))


def _in_turn(ctx: Context, iterables: Sequence[Abstract]) -> tuple[Abstract, ...]:
    return tuple(item for x in iterables for item in ctx.list_items(x, to_end=False))


@function(itertools.accumulate)
@prefetched_by(_from(accumulate_))
def _accumulate(
    ctx: Context, iterable: Abstract, func: Abstract = NONE, *, initial: Abstract = NONE
) -> tuple[Abstract, ...]:
    def step(total: Abstract, item: Abstract) -> Abstract:
        if is_none(func):
            return operators.binary(ctx, "+", total, item)
        return ctx.call(func, (total, item), {})

    items = ctx.list_items(iterable, to_end=False)
    start = [] if is_none(initial) else [initial]
    return tuple(itertools.accumulate([*start, *items], step))


def _rows_by_index(ctx: Context, *iterables: Abstract, fillvalue: Abstract = NONE) -> Abstract:
    return iterator(ctx, "zip_longest", fillvalue, *iterables)


@items_of_kind("zip_longest")
def _zip_longest_items(ctx: Context, x: Iterator) -> Items:
    fill, *iterables = x.items
    parts = [items_of(ctx, y) for y in iterables]
    counts = [ctx.int_of(part.length, "the number of items") for part in parts]

    def item(i: Abstract) -> Abstract:
        k = ctx.int_of(i, "the index into rows of `itertools.zip_longest`")
        return Tuple(tuple(part.item(i) if part.has(k) else fill for part in parts))

    def has_item(i: int) -> bool:
        return any(part.has(i) for part in parts)

    return Items(Static(max(counts, default=0)), item, unroll=True, has_item=has_item)


@function(itertools.zip_longest)
@prefetched_by(_rows_by_index)
def _zip_longest(
    ctx: Context, *iterables: Abstract, fillvalue: Abstract = NONE
) -> tuple[Abstract, ...]:
    columns = [ctx.list_items(x, to_end=False) for x in iterables]
    return tuple(map(Tuple, itertools.zip_longest(*columns, fillvalue=fillvalue)))


@function(itertools.tee)
def _tee(ctx: Context, iterable: Abstract, n: Abstract = Static(2)) -> Abstract:
    def late() -> Abstract:
        what = "`itertools.tee` of a generator, or of what is changed meanwhile,"
        ctx.fail(UnsupportedIteration, what=what, help_text="make a list of the items first")

    found = prefetched(ctx, "tee", (iterable,), lambda: _in_turn(ctx, (iterable,)), late)
    return Tuple(tuple(with_state(ctx, found) for _ in range(ctx.int_of(n, "`n` of `tee`"))))


# ----- All items at once, as in Python


def _choices(choose: Callable) -> None:
    """Register a function of an iterable and the number of items to choose."""

    def handler(ctx: Context, iterable: Abstract, r: Abstract = NONE) -> Abstract:
        items = ctx.list_items(iterable)
        size = len(items) if is_none(r) else ctx.int_of(r, "how many items are chosen")
        if size < 0:
            ctx.fail(BadValue, message="r must be non-negative")
        return iterator(ctx, "iter", Tuple(tuple(map(Tuple, choose(items, size)))))

    function(choose)(handler)


for _f in (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations):
    _choices(_f)
