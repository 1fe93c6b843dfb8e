"""`sum`, `all`, `any`, `max`, `min`: one loop over the items; `functools.reduce`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import InstanceObject, ListObject
from myia.infer.domain.memory_order import copy_of_view
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Iterator,
    Scalar,
    Static,
    Tuple,
    is_none,
    is_static_int,
)
from myia.infer.loops.iterables import CHANGED_LIST, Items, items_after, iterated
from myia.infer.loops.iterators import SEQUENCES, sequence_of, use_up
from myia.infer.loops.loop_forms import loop
from myia.infer.loops.prefetching import early_or_late
from myia.infer.loops.unrolling import LoopCode
from myia.infer.operators import comparison
from myia.infer.operators.truth import truth
from myia.infer.parameters import keeps_none, keeps_views
from myia.infer.paths.branches import branch, branch_many
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedIteration
from myia.library.python import generators
from myia.library.python.generators import Source, over_generators
from myia.library.support.from_source import call_source, from_source
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

Abstracts = Sequence[Abstract]


@from_source(sum)
def sum_(iterable: Any, /, start: Any = 0) -> Any:
    for item in iterable:
        start = start + item
    return start


def all_(iterable: Any, /) -> Any:
    found = True
    for item in iterable:
        found = found and bool(item)
    return found


def any_(iterable: Any, /) -> Any:
    found = False
    for item in iterable:
        found = found or bool(item)
    return found


@function(all, dynamic=as_is)
@over_generators(generators.all_)
def _all(ctx: Context, iterable: Abstract) -> Abstract:
    return _of_all_or_few(ctx, all_, generators.all_, iterable)


@function(any, dynamic=as_is)
@over_generators(generators.any_)
def _any(ctx: Context, iterable: Abstract) -> Abstract:
    return _of_all_or_few(ctx, any_, generators.any_, iterable)


def _of_all_or_few(ctx: Context, of_all: Source, of_few: Source, x: Abstract) -> Abstract:
    """`of_all` takes all items of `x`; if that has an effect, only those that Python takes."""
    early, late = (partial(call_source, ctx, f, (x,), {}) for f in (of_all, of_few))
    return early_or_late(ctx, (x,), early, late)


def _extremum(op: str, of_none: str) -> Callable[..., Abstract]:
    """`max` or `min`: a later item replaces the best one only if it is strictly better.

    `of_none`: what Python says where there are no items.
    """

    def better(ctx: Context, best: Abstracts, item: Abstract, key: Abstract) -> Abstracts:
        """The better one of two, and its key; `best` is such a pair."""
        by = item if is_none(key) else ctx.call(key, (item,), {})
        is_better = truth(ctx, comparison.compare(ctx, op, by, best[1]))
        if is_none(key):
            found = branch(ctx, is_better, lambda: item, lambda: best[0])
            return [found, found]
        return branch_many(ctx, is_better, lambda: [item, by], lambda: best)

    def first_of(ctx: Context, item: Abstract, key: Abstract) -> Abstracts:
        return [item, item if is_none(key) else ctx.call(key, (item,), {})]

    def extremum(
        ctx: Context, *args: Abstract, key: Abstract = NONE, **options: Abstract
    ) -> Abstract:
        default = options.pop("default", None)
        if options:
            ctx.fail(BadType, message=f"unexpected keyword argument {next(iter(options))!r}")
        if not args:
            ctx.fail(BadType, message="expected at least 1 argument, got 0")
        if len(args) > 1:
            views = [x for x in args if ctx.number(x) is not x]
            first, *others = map(ctx.number, args)
            best = first_of(ctx, first, key)
            for item in others:
                best = better(ctx, best, item, key)
            return copy_of_view(ctx, best[0], views)
        iterable = iterated(ctx, args[0])
        early = partial(of_iterable, ctx, iterable, key, default)
        if is_none(key) or not isinstance(iterable, Iterator) or iterable.kind not in SEQUENCES:
            return early()
        is_better = Static(operator.gt if op == ">" else operator.lt)
        of_empty = () if default is None else (default,)
        given = (iterable, key, is_better, Static(of_none), *of_empty)
        late = partial(call_source, ctx, extremum_by_key, given, {})
        return early_or_late(ctx, (iterable,), early, late)

    def of_iterable(
        ctx: Context, iterable: Abstract, key: Abstract, default: Abstract | None
    ) -> Abstract:
        items = ctx.items_of(sequence_of(ctx, iterable))
        use_up(ctx, iterable)
        if is_static_int(items.length) and items.length.value == 0:
            if default is None:
                ctx.fail(BadValue, message=of_none)
            return default
        if is_static_int(items.length):
            return of_items(ctx, items, key)
        empty = logic.eq(items.length.value, constant(0, np.int64))
        if default is None:
            ctx.check(empty, ValueError, of_none)
            return of_items(ctx, items, key)
        return branch(ctx, Scalar(empty, True), lambda: default, lambda: of_items(ctx, items, key))

    def of_items(ctx: Context, items: Items, key: Abstract) -> Abstract:
        def step(item: Abstract, xs: Abstracts) -> Abstracts:
            if is_none(key):
                return better(ctx, [xs[0], xs[0]], item, key)[:1]
            return better(ctx, xs, item, key)

        first = first_of(ctx, items.item(Static(0)), key)
        if not is_none(key) or _has_objects(ctx, first[0]):  # calls of users count: one for each
            items = items_after(ctx, items, 1)
        found = loop(ctx, LoopCode(("extremum", op), items, None, step), first[: 2 - is_none(key)])
        return found[0]

    return keeps_views(extremum)


def extremum_by_key(items: Any, key: Any, is_better: Any, of_none: str, *default: Any) -> Any:
    """Each key is computed when its item has been taken."""
    first, best, most = True, None, None
    for item in items:
        by = key(item)
        if first:
            best, most, first = item, by, False
        elif is_better(by, most):
            best, most = item, by
    if first and len(default) == 0:
        raise ValueError(of_none)
    return default[0] if first else best


def _has_objects(ctx: Context, x: Abstract) -> bool:
    """Instances, or tuples with instances in them: code of a user compares them."""
    if isinstance(x, Tuple):
        return any(_has_objects(ctx, item) for item in x.items)
    return isinstance(ctx.held(x), InstanceObject)


def _error_of_none(f: Callable) -> str:
    try:
        f(())
    except ValueError as error:
        return str(error)
    raise AssertionError(f)


function(max, dynamic=as_is)(_extremum(">", _error_of_none(max)))
function(min, dynamic=as_is)(_extremum("<", _error_of_none(min)))


@function(functools.reduce)
@keeps_none
def _reduce(ctx: Context, f: Abstract, iterable: Abstract, *initial: Abstract) -> Abstract:
    iterable = iterated(ctx, iterable)
    if isinstance(iterable, Iterator):
        return call_source(ctx, reduce_, (f, iterable, *initial), {})
    items = (*initial, *ctx.list_items(iterable))
    if not items:
        ctx.fail(BadType, message="reduce() of empty iterable with no initial value")
    found, i, before = items[0], 1, ctx.held(iterable)
    while i < len(items):
        found = ctx.call(f, (found, items[i]), {})
        i += 1
        if (now := ctx.held(iterable)) is not before:  # `f` may have changed a list
            if not isinstance(now, ListObject):
                ctx.fail(UnsupportedIteration, what=CHANGED_LIST)
            items = (*initial, *now.items)
    return found


def reduce_(f: Any, items: Any, *initial: Any) -> Any:
    first, found = len(initial) == 0, None
    if len(initial) > 0:
        found = initial[0]
    for item in items:
        if first:
            found, first = item, False
        else:
            found = f(found, item)
    if first:
        raise TypeError("reduce() of empty iterable with no initial value")
    return found
