"""Sequences of numbers of which some are of several kinds, on which the dtype of an array depends.

v = a[0] if c else 300      v: Choice(index, (int8, int))
np.stack([v, v])      ->    if index == 0: np.stack([v of int8, v of int8])
                            else:          np.stack([300, 300])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import ONE_KIND, is_number, is_of_numbers
from myia.infer.domain.heap import ListObject
from myia.infer.domain.values import Abstract, Choice, Ref, Tuple
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.paths.branches import on_each
from myia.infer.unsupported import UnsupportedContainer

MAX_KINDS = 64


def with_known_dtypes(
    ctx: Context, xs: Sequence[Abstract], use: Callable[[Sequence[Abstract]], Abstract]
) -> Abstract:
    """`use(xs)`, for each kind of the numbers in a sequence on which its dtype depends."""
    inside = [_undecided(ctx, x) for x in xs]
    chosen = [choice for found in inside for choice in found]
    if not chosen:
        return use(xs)
    kinds = math.prod({c.index.value: len(c.options) for c in chosen}.values())
    if kinds > MAX_KINDS:
        what = "an array of so many numbers of several kinds"
        ctx.fail(UnsupportedContainer, what=what, help_text=ONE_KIND)

    def use_options(options: Sequence[Abstract]) -> Abstract:
        left = iter(options)
        return use([_rebuilt(ctx, x, left) if found else x for x, found in zip(xs, inside)])

    return on_each(ctx, chosen, use_options)


def _undecided(ctx: Context, x: Abstract) -> list[Choice]:
    """The numbers of several kinds in a sequence, if the others do not decide its dtype."""
    leaves = list(_leaves(ctx, x, ()))
    chosen = [leaf for leaf in leaves if is_of_numbers(leaf)]
    if not chosen:
        return []
    others = [operand_dtype(ctx, y)[0] for y in leaves if is_number(y) or ctx.is_array(y)]
    kinds = {operand_dtype(ctx, option)[0] for choice in chosen for option in choice.options}
    decided = bool(others) and np.result_type(*others, *kinds) == np.result_type(*others)
    return [] if decided else chosen


def _leaves(ctx: Context, x: Abstract, outer: tuple[int, ...]) -> Iterator[Abstract]:
    """The items of a nested sequence, but of a list that holds itself."""
    if isinstance(x, Tuple):
        items = x.items
    elif isinstance(x, Ref) and isinstance(contents := ctx.contents(x), ListObject):
        if x.id in outer:
            return
        items, outer = contents.items, (*outer, x.id)
    else:
        yield x
        return
    for item in items:
        yield from _leaves(ctx, item, outer)


def _rebuilt(ctx: Context, x: Abstract, options: Iterator[Abstract]) -> Abstract:
    """A sequence with other numbers; a list is a new one."""
    if is_of_numbers(x):
        return next(options)
    if isinstance(x, Tuple):
        return x.rebuild(tuple(_rebuilt(ctx, item, options) for item in x.items))
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, ListObject):
        return ctx.new(ListObject(tuple(_rebuilt(ctx, item, options) for item in contents.items)))
    return x
