"""Loops around recursive calls: items by their index, since a block has no loop to be in."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from myia.infer import registry
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.heap import CellObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import (
    Abstract,
    Iterator,
    Scalar,
    Static,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.lists.growing_lists import item_at, stacked_list
from myia.infer.loops.iterables import Items, iterated
from myia.infer.loops.iterators import UNUSED, is_generator, refuse_second_use, take
from myia.infer.recursion.blocks import begin, following
from myia.infer.unsupported import UnsupportedRecursion
from myia.ir.avals import I64
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic


@registry.function(begin)
def _begin(ctx: Context, iterable: Abstract) -> Abstract:
    if is_generator(iterable := iterated(ctx, iterable)):
        return iterable
    begun = _without_state(ctx, iterable)
    ctx.items_of(iterable)  # for its errors
    take(ctx, iterable, to_end=False)
    return begun


def _without_state(ctx: Context, x: Abstract) -> Abstract:
    """An iterator that gives its items each time; of an unused one."""
    if not isinstance(x, Iterator):
        return x
    state = UNUSED if is_none(x.state) else ctx.contents_as(as_ref(x.state), CellObject).content
    if is_generator(x):
        refuse_generator(ctx, x)
    if state is not UNUSED:
        refuse_second_use(ctx, x, may_unroll=isinstance(state, Scalar))
    return replace(x, items=tuple(_without_state(ctx, y) for y in x.items), state=Static(None))


def refuse_generator(ctx: Context, x: Abstract) -> NoReturn:
    ctx.fail(UnsupportedRecursion, what=f"a recursive call in a loop over {ctx.describe(x)}")


@registry.function(following)
def _following(ctx: Context, index: Abstract) -> Abstract:
    """Without a check: no iterable has that many items."""
    if is_static_int(index):
        return Static(index.value + 1)
    return Scalar(arithmetic.add(number_value(index, I64.dtype), constant(1, I64.dtype)), True, 0)


def indexed(ctx: Context, items: Items) -> Items:
    """The items, at a run-time index also where an ordinary loop is unrolled."""
    if not items.unroll or not is_static_int(items.length):
        return items
    given = tuple(items.item(Static(i)) for i in range(items.length.value))
    try:
        ref = stacked_list(ctx, given)
    except Mismatch:
        return items
    return Items(items.length, lambda i: item_at(ctx, ref, number_value(i, I64.dtype)))
