"""Python's built-in functions of sequences.

`sorted`, which `list.sort` calls, is here: compile-time keys decide the order while compiling
(`_static_order`), run-time keys decide it at run time (`sorting.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, kind_of
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, DictObject, ListObject
from myia.infer.domain.values import (
    FALSE,
    NONE,
    Abstract,
    Iterator,
    Partial,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_number,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.lists import growing_lists, list_rows, list_slices
from myia.infer.loops.iterables import iterated
from myia.infer.loops.iterators import is_generator, sequence_of, use_up
from myia.infer.numeric.constant_methods import (
    evaluate_constant,
    is_set,
    items_of_new_set,
    set_items,
)
from myia.infer.numeric.integer_checks import as_index, check_not_zero
from myia.infer.operators import operators
from myia.infer.operators.number_choices import with_one_integer
from myia.infer.parameters import keeps_none, keeps_views
from myia.infer.paths.branches import on_each
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import I64
from myia.library.python import sorting
from myia.library.source.python.heaps import sorted_by_comparison
from myia.library.support.from_source import call_source


@function(len, dynamic=as_is)
def _len(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Iterator) and isinstance(x.state, Ref):
        ctx.fail(BadType, message=f"object of type {x.kind!r} has no len()")
    return ctx.length(x)


@function(range)
def _range(ctx: Context, *args: Abstract) -> Abstract:
    return on_each(ctx, [with_one_integer(ctx, x) for x in args], lambda xs: _range_of(ctx, *xs))


def _range_of(ctx: Context, *args: Abstract) -> Abstract:
    if not 1 <= len(args) <= 3:
        ctx.fail(BadType, message=f"range expected 1 to 3 arguments, got {len(args)}")
    for x in args:
        if not is_number(x) or kind_of(x) not in "iub":
            ctx.fail(BadType, message=f"range() of {ctx.describe(x)}: an integer is needed")
    first, *rest = (as_index(ctx, as_number(x)) for x in args)
    start, stop, step = (first, *rest, Static(1))[:3] if rest else (Static(0), first, Static(1))
    check_not_zero(ctx, step, I64.dtype, ValueError, "range() arg 3 must not be zero")
    return Range(start, stop, step)


@function(slice)
def _slice(ctx: Context, *args: Abstract) -> Abstract:
    if not 1 <= len(args) <= 3:
        ctx.fail(BadType, message=f"slice expected 1 to 3 arguments, got {len(args)}")
    if len(args) == 1:
        return SliceValue(NONE, args[0], NONE)
    return SliceValue(*(*args, NONE)[:3])


def all_of(xs: Any) -> Any:
    return [x for x in xs]


@function(list, dynamic=as_is)
def _list(ctx: Context, x: Abstract | None = None) -> Abstract:
    if x is None:
        return ctx.new(ListObject(()))
    x = iterated(ctx, x)
    sequence = sequence_of(ctx, x)
    if _has_run_time_length(ctx, sequence):
        return call_source(ctx, all_of, (x,), {})
    if (known := list_slices.as_list(ctx, sequence)) is not None:
        found = growing_lists.copied_list(ctx, known)
    else:
        found = ctx.new(ListObject(ctx.list_items(sequence)))
    use_up(ctx, x)
    return found


def _has_run_time_length(ctx: Context, x: Abstract) -> bool:
    """Of an iterator, a range or an array: is it known only at run time how many items it has?"""
    if isinstance(x, Range) or (isinstance(x, Iterator) and not is_generator(x)):
        return not is_static_int(ctx.items_of(x).length)
    return is_dynamic(ctx, x)


@function(tuple)
def _tuple(ctx: Context, x: Abstract | None = None) -> Abstract:
    return Tuple(() if x is None else tuple(ctx.list_items(x)))


@function(dict, dynamic=as_is)
@keeps_views
@keeps_none
def _dict(ctx: Context, x: Abstract | None = None, /, **items: Abstract) -> Abstract:
    found: dict[Any, Abstract] = {}
    x = None if x is None else ctx.force(x)
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, DictObject):
        found.update(zip(contents.keys, contents.values))
    elif x is not None:
        for i, pair in enumerate(ctx.list_items(x)):
            key, value = _pair(ctx, i, ctx.list_items(pair))
            found[ctx.static(key, "a key")] = value
    found.update(items)
    return ctx.new(DictObject(tuple(found), tuple(found.values())))


def _pair(ctx: Context, i: int, items: tuple[Abstract, ...]) -> tuple[Abstract, ...]:
    if len(items) != 2:
        which = f"dictionary update sequence element #{i}"
        ctx.fail(BadValue, message=f"{which} has length {len(items)}; 2 is required")
    return items


def _new_set(cls: type[set[Any]] | type[frozenset[Any]]) -> Callable[..., Abstract]:
    def handler(ctx: Context, x: Abstract | None = None) -> Abstract:
        items = () if x is None else ctx.list_items(x)
        return evaluate_constant(ctx, cls, items_of_new_set(ctx, items))

    return handler


function(set)(_new_set(set))
function(frozenset)(_new_set(frozenset))


@function(functools.cmp_to_key)
def _cmp_to_key(ctx: Context, mycmp: Abstract) -> Abstract:
    return Partial(refuse_key, (mycmp,))


def refuse_key(ctx: Context, key: Partial, args: tuple, kwargs: dict) -> Abstract:
    what = "a key of `functools.cmp_to_key` outside of `sorted` and `list.sort`"
    ctx.fail(UnsupportedFunction, what=what, help_text="call the comparison")


def without_the_list(ctx: Context, key: Abstract, x: Ref) -> Abstract:
    """A key of `x.sort`, which must not look at `x`: Python has emptied it."""
    contents = ctx.contents(x)
    if is_none(key) or (isinstance(key, Partial) and key.call is refuse_key):
        return key
    if isinstance(contents, BufferObject):
        apart = not contents.template.has_objects
    else:
        apart = isinstance(ctx.heap[x.id], ListObject)
    return Partial(_call_key, (key, x)) if apart else key  # else an item is read from the list


def _call_key(ctx: Context, f: Partial, args: tuple, kwargs: dict) -> Abstract:
    key, x = f.items[0], as_ref(f.items[1])
    with ctx.heap.recorded_reads() as reads:
        found = ctx.call(key, args, kwargs)
    if x.id in reads:
        what = "a key that reads the list that is sorted, which Python has emptied meanwhile,"
        ctx.fail(UnsupportedFunction, what=what, help_text="write `xs[:] = sorted(xs, key=...)`")
    return found


@function(sorted)
def _sorted(
    ctx: Context, iterable: Abstract, *, key: Abstract = NONE, reverse: Abstract = FALSE
) -> Abstract:
    backwards = bool(ctx.static(reverse, "`reverse`"))
    if isinstance(key, Partial) and key.call is refuse_key:
        return call_source(ctx, sorted_by_comparison, (iterable, *key.items, reverse), {})
    if not is_set(ctx, iterable) and list_slices.as_list(ctx, iterable) is None:
        iterable = _list(ctx, iterable)
    known = None if is_set(ctx, iterable) else list_slices.as_list(ctx, iterable)
    if known is not None and ctx.names_are_exact:
        list_rows.require_items(ctx, known)
    if known is not None and isinstance(ctx.contents(known), BufferObject):
        return sorting.sorted_by_key(ctx, known, key, backwards)
    items = set_items(ctx, iterable) if is_set(ctx, iterable) else ctx.list_items(iterable)
    new = ctx.new(ListObject(items))
    by = items if is_none(key) else tuple(ctx.call(key, (x,), {}) for x in items)
    if not is_none(key) or not items or not all(isinstance(x, Scalar) for x in items):
        order = _static_order(ctx, list(by), backwards)
        if order is not None:
            return ctx.new(ListObject(tuple(items[i] for i in order)))
    keys = new if is_none(key) else ctx.new(ListObject(by))
    return sorting.sorted_by_values(ctx, new, keys, backwards)


def _static_order(ctx: Context, keys: list[Abstract], reverse: bool) -> list[int] | None:
    """The order of the keys, if compile-time values decide it: `sorted({"b": x, "a": y}.items())`.

    Of a tuple or list they are what stands before its first run-time value.
    """
    known = [_known_part(ctx, x) for x in keys]
    if len(keys) > 1 and any(not complete and not part for part, complete in known):
        return None
    try:
        order = sorted(range(len(keys)), key=lambda i: known[i][0], reverse=reverse)
    except TypeError as e:
        if all(complete for _, complete in known):
            ctx.fail(BadType, message=str(e))
        return None
    for i, j in pairwise(order):
        (p, all_of_p), (q, all_of_q) = known[i], known[j]
        if not (all_of_p and all_of_q) and not (_parts(p) and _parts(q) and _differ(p, q)):
            return None
    return order


def _known_part(ctx: Context, x: Abstract) -> tuple[Any, bool]:
    """The compile-time object, or the beginning of a sequence; is that all of it?"""
    items = operators.sequence_items(ctx, x)
    if items is None:
        return (x.value, True) if isinstance(x, Static) else ((), False)
    found: list[Any] = []
    for item in items:
        part, complete = _known_part(ctx, item)
        if not complete:
            return _like(x, found), False
        found.append(part)
    return _like(x, found), True


def _like(x: Abstract, items: list) -> tuple | list:
    return items if isinstance(x, Ref) else tuple(items)


def _parts(x: Any) -> bool:
    return isinstance(x, (tuple, list))


def _differ(p: Any, q: Any) -> bool:
    """Do two sequences differ before either ends?"""
    return any(a != b for a, b in zip(p, q))
