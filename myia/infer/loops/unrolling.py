"""Loops unrolled: one copy of the body for each trip.

Where the body needs what varies to be known at compile time; and where the parts of long arrays
that it takes have then a size known at compile time, if the trips are few:

    while length > 1:                       trips of 8192, 4096, ..., 2 elements
        half = length // 2
        even, odd = x[:length:2], ...

In one loop such a part is a whole array under a mask, so that each trip costs what the longest one
costs: n log n instead of n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from myia.infer.domain.context import Context
from myia.infer.domain.errors import NeedsStatic, TooManyIterations
from myia.infer.domain.values import TRUE, Abstract, Scalar, Static, is_static_int
from myia.infer.loops.iterables import Items
from myia.infer.paths.branches import branch_many
from myia.ir.core import Op, Region, Value, walk
from myia.ir.dependence import needed
from myia.primitives.core.define import constant_p
from myia.primitives.pointwise import arithmetic, logic

MAX_UNROLLED_ITERATIONS = 512
MAX_STATIC_ITERATIONS = 32  # trips: more than lengths that halve take
MAX_COUNTED_ITERATIONS = 16  # trips of a loop whose lengths may be anything
MAX_REPEATED_OPS = 300  # ops

States = Sequence[Abstract]


@dataclass(frozen=True)
class LoopCode:
    """A loop to infer. `body(item, xs)` returns the next carries, `cond(item, xs)` a truth value.

    `items` is None for a `while`. `key` names the loop in the source.
    """

    key: object
    items: Items | None
    cond: Callable[[Abstract, States], Abstract] | None
    body: Callable[[Abstract, States], States]


def unrolled(ctx: Context, code: LoopCode, xs: States, need: NeedsStatic | None) -> States:
    """One copy of the body for each trip; `need` is the error that made it so."""
    index = 0
    while True:
        item = _static_item(code, index)
        if item is None:
            return xs
        if index >= MAX_UNROLLED_ITERATIONS:
            reason = need.diagnostic.text(need.diagnostic.title) if need else "items differ in type"
            ctx.fail(TooManyIterations, limit=MAX_UNROLLED_ITERATIONS, reason=reason)
        go = TRUE if code.cond is None else code.cond(item, xs)
        if isinstance(go, Static) and not go.value:
            return xs
        if code.items is None and not isinstance(go, Static):
            raise need
        if isinstance(go, Static):
            xs = _iteration(ctx, code, item, xs)
        else:
            iteration = lambda i=item, s=xs: _iteration(ctx, code, i, s)  # noqa: E731
            xs = branch_many(ctx, go, iteration, lambda s=xs: s)
        index += 1


def _iteration(ctx: Context, code: LoopCode, item: Abstract, xs: States) -> States:
    ctx.visits[code.key] = ctx.visits.get(code.key, 0) + 1
    return code.body(item, xs)


def _static_item(code: LoopCode, index: int) -> Abstract | None:
    if code.items is None:
        return Static(None)
    if code.items.current_item is not None:
        return code.items.current_item(index)
    return code.items.item(Static(index)) if index < code.items.length.value else None


# ----- Parts of long arrays


class FewIterations(Exception):
    """A loop makes few trips, it seems, and had better be unrolled; or, unrolled: it does not."""


def expect_few_iterations(code: LoopCode, init: States, iteration: Region, outs: States) -> None:
    """Raise `FewIterations` if a loop whose body takes parts of long arrays may make few of them.

    `iteration`: one trip as a region that yields nothing, and `outs` the carries after it.
    """
    if sum(1 for _ in walk(iteration)) > MAX_REPEATED_OPS:
        return
    if code.items is not None:
        few = is_static_int(code.items.length) and code.items.length.value <= MAX_COUNTED_ITERATIONS
    else:
        few = any(
            is_static_int(before)
            and isinstance(after, Scalar)
            and _scaled(iteration.ops, after.value)
            for before, after in zip(init, outs, strict=True)
        )
    if few:
        raise FewIterations


def _scaled(ops: Sequence[Op], x: Value) -> bool:
    """Is a number known at compile time a factor, a divisor or a shift on the way to `x`?"""
    steps = needed(ops, [x])
    known = {y for op in steps if op.primitive is constant_p for y in op.results}
    scaling = (arithmetic.mul, arithmetic.floordiv, logic.shift_left, logic.shift_right)
    return any(op.primitive in scaling and not known.isdisjoint(op.operands) for op in steps)


def unrolled_if_static(ctx: Context, code: LoopCode, xs: States) -> States:
    """`unrolled`, if it is known at compile time how few trips there are; else `FewIterations`."""
    for index in range(MAX_STATIC_ITERATIONS + 1):
        item = _static_item(code, index)
        if item is None:
            return xs
        go = TRUE if code.cond is None else code.cond(item, xs)
        if not isinstance(go, Static):
            break
        if not go.value:
            return xs
        xs = _iteration(ctx, code, item, xs)
    raise FewIterations
