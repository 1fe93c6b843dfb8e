"""Loop unrolling during inference: one copy of the body for each iteration.

A loop is unrolled for one of three reasons:

1. Its body needs what only unrolled code has (`NeedsStatic`): a compile-time value that changes
   from iteration to iteration, or arrays in a list that keep their identity.
2. It makes few iterations, and its body takes slices of long arrays whose bounds are static in
   unrolled code:

    while length > 1:                       iterations over 8192, 4096, ..., 2 elements
        half = length // 2
        even, odd = x[:length:2], ...

In a loop such a slice is a whole array with masked elements. So each iteration costs what the
longest one costs: n log n instead of n.

3. It runs over a list of equal arrays, as the layers of a network: a loop reads them from a copy,
which holds all, and cuts the results apart again. Copying takes time, and compiling it more than
copies of a short body.

*When it gives up*: more than `MAX_UNROLLED_ITERATIONS` iterations, or a trip count that is not
static, are an error in the first case. In the others the loop stays a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import are_joined, is_number
from myia.infer.domain.errors import (
    CertainError,
    LoopChangesType,
    NeedsStatic,
    TooManyIterations,
    TooManyOperations,
)
from myia.infer.domain.heap import BufferObject
from myia.infer.domain.values import TRUE, Abstract, Scalar, Static, is_static_int
from myia.infer.loops.iterables import Items
from myia.infer.paths.branches import branch_many
from myia.infer.paths.merge_result import MergeResult
from myia.infer.paths.raised import unless_raised, without_error
from myia.ir.builder import current_span
from myia.ir.core import Op, Region, Value, walk
from myia.ir.dependence import needed
from myia.primitives.core.define import constant, constant_p
from myia.primitives.pointwise import arithmetic, logic
from myia.source import progress

MAX_UNROLLED_ITERATIONS = 512
MAX_UNROLLED_OPS = 500_000  # of IR(py) that are inferred in all iterations
# Iterations of a loop that is unrolled because arrays in a list that it builds are written to.
MAX_LISTING_ITERATIONS = 32
# Loops over slices of long arrays (second reason):
MAX_STATIC_ITERATIONS = 32  # of a loop whose condition is static: more than halving a length takes
MAX_COUNTED_ITERATIONS = 16  # of a `for` loop
MAX_REPEATED_OPS = 300  # ops of a body that is repeated
MAX_LAYER_OPS = 3_000  # ops of all iterations over equal arrays (third reason)

# Loops that change the sizes of arrays are unrolled if that compiles in so many seconds. Measured:
# slices of slices, over which XLA fuses, cost the most.
MAX_SECONDS = 2.0
SECONDS_PER_OP = 0.0015
SECONDS_PER_DERIVATIVE = 10

MIN_PEELED = 3  # iterations of a loop whose first one is peeled

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
    stops: bool = False  # at an error that a handler may catch (`stopping`)
    peels: bool = True  # if that gives a number one kind (`FirstApart`)

    @property
    def max_length(self) -> int | None:
        """The greatest number of items, where it is known."""
        return None if self.items is None else self.items.max_length


class FirstApart(Exception):
    """After the first iteration a number is of one kind: `s = 0` is an int32 after `s += v`."""


def expect_one_kind(code: LoopCode, init: States, outs: States) -> None:
    """Raise `FirstApart` if the first iteration may be peeled, and makes a number one kind."""
    items = code.items
    if items is None or code.cond is not None or items.has_item is not None or not code.peels:
        return
    if not is_static_int(items.length) or items.length.value < MIN_PEELED:
        return
    for x, y in zip(init, outs, strict=True):
        if is_number(x) and is_number(y) and not are_joined(x, y):
            raise FirstApart


class MayRaise(Exception):
    """An error that a handler may catch ends this loop."""


def stopping(ctx: Context, code: LoopCode) -> LoopCode:
    """The same loop, which an error ends."""

    def cond(item: Abstract, xs: States) -> Abstract:
        go = TRUE if code.cond is None else code.cond(item, xs)
        error, known = ctx.error_code(), ctx.handlers.clean
        if code.items is None:  # it might never end
            error = ctx.whole_error_code()
        if error is None or error is known or (isinstance(go, Static) and not go.value):
            return go
        none = logic.eq(error, constant(0, np.int32))
        return Scalar(logic.and_(none, go.value) if isinstance(go, Scalar) else none, weak=True)

    def body(item: Abstract, xs: States) -> States:
        if ctx.error_code() is ctx.handlers.clean:
            return code.body(item, xs)  # not tested: there may be an error that nothing catches
        with without_error(ctx):
            return code.body(item, xs)

    return replace(code, cond=cond, body=body, stops=True)


def has_items(code: LoopCode) -> Abstract:
    """Whether there are items."""
    length = Static(1) if code.items is None else code.items.length
    if isinstance(length, Static):
        return Static(length.value > 0)
    return Scalar(logic.gt(length.value, constant(0, length.dtype)), weak=True)


def unrolled(
    ctx: Context,
    code: LoopCode,
    xs: States,
    need: NeedsStatic | None = None,
    *,
    only_if_few: bool = False,
    limit: int = MAX_UNROLLED_ITERATIONS,
) -> States:
    """One copy of the body for each iteration; `need` is the error that required it.

    `only_if_few`: raises `FewIterations` if the trip count is not static, or not small.
    """
    index, start, place = -1, ctx.inferred_ops, current_span()
    while True:
        index += 1
        try:
            take = _next_item(code, index)
        except CertainError as error:  # the body has changed what the loop runs over
            return _raising(ctx, code, xs, error)
        if take is None:
            return xs
        # One round more than iterations: the last one only finds that the loop has ended.
        if only_if_few and code.items is None and index > MAX_STATIC_ITERATIONS:
            raise FewIterations
        if index >= limit:
            refuse_more(ctx, need)
        if not only_if_few:
            progress.unrolls(place, index + 1)
        if ctx.inferred_ops - start > MAX_UNROLLED_OPS:
            ctx.fail(TooManyOperations, limit=MAX_UNROLLED_OPS, reason=_reason(need))
        go: Abstract = TRUE
        iteration = partial(_iteration, ctx, code, take, xs)
        if (test := code.cond) is not None:
            (go,) = unless_raised(ctx, partial(_tested, test, xs))
        if isinstance(go, Static):
            if not go.value:
                return xs
            xs = unless_raised(ctx, iteration)
        elif only_if_few:
            raise FewIterations
        elif code.items is None and need is not None:
            raise need
        else:
            tested = partial(branch_many, ctx, go, iteration, partial(tuple, xs))
            xs = unless_raised(ctx, tested)


def _tested(test: Callable[[Abstract, States], Abstract], xs: States) -> States:
    return [test(Static(None), xs)]


def refuse_more(ctx: Context, need: NeedsStatic | None) -> NoReturn:
    fields: dict[str, Any] = {"reason": _reason(need)}
    if need is not None and isinstance(need.diagnostic, LoopChangesType):
        fields["help_text"] = need.diagnostic.help_text
    ctx.fail(TooManyIterations, limit=MAX_UNROLLED_ITERATIONS, **fields)


def _reason(need: NeedsStatic | None) -> str:
    """Why a loop is unrolled."""
    if need is None:
        return "its items differ in type"
    return need.diagnostic.text(need.diagnostic.title)


def _raising(ctx: Context, code: LoopCode, xs: States, error: CertainError) -> States:
    """The next item raises, if the loop has not ended before."""

    def iteration() -> States:
        raise error

    go = TRUE if code.cond is None else code.cond(Static(None), xs)
    return branch_many(ctx, go, iteration, lambda: xs)


def _iteration(ctx: Context, code: LoopCode, take: Callable[[], Abstract], xs: States) -> States:
    ctx.visits[code.key] = ctx.visits.get(code.key, 0) + 1
    return code.body(take(), xs)


def _next_item(code: LoopCode, index: int) -> Callable[[], Abstract] | None:
    """What takes the item at `index`, if there is one: `map` calls a function then."""
    items = code.items
    if items is None:
        return lambda: Static(None)
    return partial(items.item, Static(index)) if items.has(index) else None


def stacks_arrays(items: Items | None, merged: MergeResult) -> bool:
    """Whether a short loop stacks arrays in a list: in unrolled code they keep their identity."""
    if items is None or not is_static_int(items.length):
        return False
    lists = (c for c in merged.objects.values() if isinstance(c, BufferObject))
    return items.length.value <= MAX_LISTING_ITERATIONS and any(
        row.value.aval.ndim > 1 for buffer in lists for row in buffer.rows
    )


def takes_long(ctx: Context, count: int, body: Sequence[Op]) -> bool:
    """Whether so many copies of a loop's body would take long to compile."""
    ops = sum(1 for _ in walk(Region((), tuple(body), ())))
    seconds = SECONDS_PER_OP * SECONDS_PER_DERIVATIVE ** min(ctx.differentiating, 2) * ops * count
    return count > MAX_COUNTED_ITERATIONS and seconds > MAX_SECONDS


# ----- Slices of long arrays


class FewIterations(Exception):
    """A loop seems to make few iterations: unroll it. Raised while unrolling: it makes too many."""


def expect_few_iterations(code: LoopCode, init: States, iteration: Region, outs: States) -> None:
    """Raise `FewIterations` if a loop over slices of long arrays may make few iterations.

    `iteration`: one iteration as a region that yields nothing; `outs`: the carries after it.
    """
    if sum(1 for _ in walk(iteration)) > MAX_REPEATED_OPS:
        return
    if code.items is not None:
        few = is_static_int(code.items.length) and code.items.length.value <= MAX_COUNTED_ITERATIONS
    else:
        few = any(
            is_static_int(before)
            and isinstance(after, Scalar)
            and _is_scaled(iteration.ops, after.value)
            for before, after in zip(init, outs, strict=True)
        )
    if few:
        raise FewIterations


def expect_few_layers(code: LoopCode, iteration: Region) -> None:
    """Raise `FewIterations` if the code of all iterations over equal arrays is short."""
    if code.items is None or not is_static_int(code.items.length):
        return
    if code.items.length.value * sum(1 for _ in walk(iteration)) <= MAX_LAYER_OPS:
        raise FewIterations


def _is_scaled(ops: Sequence[Op], x: Value) -> bool:
    """Whether `x` is computed with a constant factor, divisor or shift (a length that halves)."""
    needed_ops = needed(ops, [x])
    constants = {y for op in needed_ops if op.primitive is constant_p for y in op.results}
    scaling = (arithmetic.mul, arithmetic.floordiv, logic.shift_left, logic.shift_right)
    return any(
        op.primitive in scaling and not constants.isdisjoint(op.operands) for op in needed_ops
    )
