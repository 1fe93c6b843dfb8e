"""Generators: the body of a loop over one is inferred where the generator yields.

    def evens(n):                           for i in range(n):
        for i in range(n):                      if i % 2 == 0:
            if i % 2 == 0:          ->              v = i
                yield i                             total += v
    for v in evens(n): total += v

So a generator is woven into its consumer: its loops are the loops, statements are in Python's
order, nothing is stored. What the consumer carries from item to item is in cells, which the loops
of the generator carry as they carry any variable. The text of the body is inferred once for each
`yield` in the text of the generator.

A consumer that may stop early runs the *closing* code of the generator, in which every `yield` says
whether to return (`frontend/desugar/closed.py`).

*When it gives up*: nobody knows where a generator is after a loop that may end early. If further
items are taken, the program is inferred again, and there the generator is resumed
(`resumption.py`); so it is where some items have been taken before. A recursion of generators is
unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from myia.infer.domain.checks import located_here
from myia.infer.domain.context import Context
from myia.infer.domain.heap import CellObject, ListObject
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    UNDEFINED,
    Abstract,
    Iterator,
    Partial,
    Static,
)
from myia.infer.generators.continuations import (
    Point,
    cells_of,
    cleans_up,
    continuation,
    point_of,
    yields_of,
)
from myia.infer.generators.resumption import (
    has_not_ended,
    resume,
    set_state_of,
    state_of,
    unwrapped,
)
from myia.infer.generators.stop_iteration import body_of_generator
from myia.infer.loops import iterables
from myia.infer.loops import loop_forms as forms
from myia.infer.loops.iterators import (
    EVERYWHERE,
    GENERATOR,
    LOST,
    SEQUENCES,
    ended,
    made_at,
    place_of,
)
from myia.infer.loops.unrolling import LoopCode
from myia.infer.operators.truth import negate
from myia.infer.paths.branches import branch_many
from myia.infer.paths.raised import unless_raised
from myia.infer.recursion.depth import limit_weaving
from myia.infer.unsupported import UnsupportedGenerator
from myia.ir.builder import current_span
from myia.ir.code import Code
from myia.ir.core import Value, reads, walk

# The generator that gives the items of an iterator of this kind, which has no end.
ENDLESS: dict[str, Callable[[Context, Iterator], Abstract]] = {}

GENERATOR_EXPRESSION = "<genexpr>"  # its name, as in Python

Consume = Callable[[Abstract], Abstract]  # what is done with an item; whether it was the last
States = Sequence[Abstract]


def generator(
    ctx: Context,
    code: Code,
    captured: Sequence[Abstract],
    bound: Sequence[Abstract],
    cells: dict[str, Abstract] | None,
) -> Iterator:
    """The call of a generator function: nothing of it runs before the first item is taken."""
    cells = ctx.cells_of(code) if cells is None else cells
    place = place_of(ctx, code.span)
    resumed = place in ctx.resumed or EVERYWHERE in ctx.resumed
    start = Point(code, None, tuple(cells), may_weave=not resumed and not _takes_values(code))
    k = continuation(start, cells, (*captured, *bound))
    ctx.made_by[k] = ctx.calling
    return made_at(ctx, place, Iterator(GENERATOR, (), ctx.new(CellObject(k))))


def is_made_by(ctx: Context, x: Iterator, operand: Value) -> bool:
    """Is `operand`, which no name is bound to, the call that makes the generator `x`?"""
    op = ctx.made_by.get(state_of(ctx, x))
    return op is not None and operand in op.results and operand.name is None


def is_expression(ctx: Context, x: Iterator) -> bool:
    """Is it a generator expression, of which nothing has been taken, over what has an end?"""
    k = state_of(ctx, x)
    point = point_of(k)
    if point is None or not point.may_weave or point.code.name != GENERATOR_EXPRESSION:
        return False
    return isinstance(k, Partial) and not any(
        isinstance(y, Iterator) and (y.kind == GENERATOR or y.kind in ENDLESS) for y in k.items
    )


def resumed(ctx: Context, x: Iterator) -> Iterator:
    """`x`, of which nothing has been taken: no loop takes its items without a continuation."""
    k = state_of(ctx, x)
    point = point_of(k)
    assert isinstance(k, Partial) and point is not None
    set_state_of(ctx, x, Partial(k.call, k.items, replace(point, may_weave=False)))
    return x


def _takes_values(code: Code) -> bool:
    """Does a generator use what is sent into it?"""
    yields = yields_of(code.region)
    sent = {x for op in yields for x in op.results}
    used = {x for op in walk(code.region) for x in reads(op)} | {*code.region.yields}
    return not sent.isdisjoint(used)


def as_generator(ctx: Context, x: Abstract, *, may_close: bool) -> Abstract:
    """The generator that gives the items of `x`, if there is one; else what has these items."""
    x = iterables.iterated(ctx, ctx.force(x))
    if not isinstance(x, Iterator) or x.kind not in ENDLESS:
        return x
    if not may_close:
        help_text = "leave the loop by `break` or `return`"
        ctx.fail(UnsupportedGenerator, what="a loop without end", help_text=help_text)
    return ENDLESS[x.kind](ctx, x)


def run(
    ctx: Context, x: Iterator, consume: Consume, *, may_close: bool, is_named: bool = True
) -> None:
    """Run a generator from its start; `consume` is inferred at each `yield`.

    `is_named`: it may be under a name. Python closes it when nothing refers to it any more.
    """
    k = state_of(ctx, x)
    point = point_of(k)
    assert isinstance(k, Partial) and point is not None
    if may_close and is_named and cleans_up(point.code.region):
        what = "leaving a loop early over a generator that yields inside `with` or `finally`"
        help_text = "write the call of the generator in the head of the loop: `for x in g(...):`"
        ctx.fail(UnsupportedGenerator, what=what, help_text=help_text)
    set_state_of(ctx, x, LOST)
    code, cells = point.code, cells_of(k)
    assert code.closing is not None
    region = code.closing if may_close else code.region
    limit_weaving(ctx, code)
    consumers = list(ctx.frames)
    handlers = ctx.handlers
    outer, caught = tuple(handlers.stack), list(handlers.caught)

    def resumed(item: Abstract) -> Abstract:
        frames, path = ctx.frames, ctx.path
        ctx.frames, ctx.path = list(consumers), (*path, current_span())
        try:
            with handlers.of_consumer(outer, caught, ctx.checks, key):
                return consume(item)
        finally:
            ctx.frames, ctx.path = frames, path

    with (
        located_here(ctx.checks),
        ctx.frame(code, cells, resumed),
        body_of_generator(ctx) as key,
    ):
        (result,) = ctx.run(region, dict(zip(region.args, k.items[1:])))
    if not may_close:
        set_state_of(ctx, x, ended(result))


def loop(
    ctx: Context,
    x: Iterator,
    cond: Callable[[Abstract, States], Abstract] | None,
    body: Callable[[Abstract, States], States],
    init: States,
    key: object,
    *,
    is_named: bool = True,
) -> States:
    """The carries after a `for` over a generator."""
    point = point_of(state_of(ctx, x))
    if point is not None and point.may_weave:
        return _woven(ctx, x, cond, body, init, is_named)
    return _resumed(ctx, x, cond, body, init, key)


def _resumed(
    ctx: Context,
    x: Iterator,
    cond: Callable[[Abstract, States], Abstract] | None,
    body: Callable[[Abstract, States], States],
    init: States,
    key: object,
) -> States:
    """By continuations: whether there is an item is carried, and the item."""

    def advance(xs: States) -> States:
        go = TRUE if cond is None else cond(Static(None), xs)
        return branch_many(ctx, go, lambda: resume(ctx, x), lambda: (FALSE, UNDEFINED))

    def iteration(_: Abstract, xs: States) -> States:
        has_not_ended(ctx, x)
        after = body(unwrapped(xs[1]), xs[2:])
        return [*unless_raised(ctx, lambda: advance(after)), *after]

    first = advance(init)
    if isinstance(first[0], Static) and not first[0].value:
        return init
    resumed = LoopCode((key, "resumed"), None, lambda _, xs: xs[0], iteration)
    return unless_raised(ctx, lambda: forms.loop(ctx, resumed, [*first, *init])[2:])


def _woven(
    ctx: Context,
    x: Iterator,
    cond: Callable[[Abstract, States], Abstract] | None,
    body: Callable[[Abstract, States], States],
    init: States,
    is_named: bool,
) -> States:
    cells = [ctx.new(CellObject(value)) for value in init]

    def carries() -> States:
        return [ctx.contents_as(cell, CellObject).content for cell in cells]

    def go_on() -> Abstract:
        return Static(True) if cond is None else cond(Static(None), carries())

    def consume(item: Abstract) -> Abstract:
        for cell, value in zip(cells, body(item, carries()), strict=True):
            ctx.write(cell, CellObject(value))
        return negate(ctx, go_on())

    def items() -> States:
        run(ctx, x, consume, may_close=cond is not None, is_named=is_named)
        return ()

    branch_many(ctx, go_on(), items, lambda: ())
    return carries()


def _collected(ctx: Context, x: Iterator) -> Abstract:
    """The list of all items."""
    found = ctx.new(ListObject(()))

    def append(item: Abstract, xs: States) -> States:
        ctx.call(ctx.getattr(found, "append"), (item,), {})
        return ()

    loop(ctx, x, None, append, (), "collected")
    return found


def _refuse(ctx: Context, x: Iterator) -> iterables.Items:
    help_text = "write a loop over it, or make a list of it first: `items = list(...)`"
    ctx.fail(
        UnsupportedGenerator, what="a generator whose items are taken here", help_text=help_text
    )


iterables.ITERATORS[GENERATOR] = _refuse
SEQUENCES[GENERATOR] = _collected
