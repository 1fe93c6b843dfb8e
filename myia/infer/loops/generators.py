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

*When it gives up*: a generator goes on only where it stopped last in the same loop. After a loop
that may end early, or a `next`, nobody takes further items (`iterators.py`). A recursion of
generators is unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from myia.infer.domain.checks import located_here
from myia.infer.domain.context import Context
from myia.infer.domain.errors import DeepRecursion, NeedsStatic, Unsupported
from myia.infer.domain.heap import CellObject, ListObject
from myia.infer.domain.values import FALSE, Abstract, Closure, Iterator, Static, Tuple
from myia.infer.loops import iterables
from myia.infer.loops.iterators import SEQUENCES, has_items, iterator, use_up
from myia.infer.operators.truth import negate
from myia.infer.paths.branches import branch_many
from myia.ir.builder import current_span
from myia.ir.code import Code

RECURSION_LIMIT = 120
KIND = "generator"
# The generator that gives the items of an iterator of this kind, which has no end.
ENDLESS: dict[str, Callable[[Context, Iterator], Abstract]] = {}

Consume = Callable[[Abstract], Abstract]  # what is done with an item; whether it was the last
States = Sequence[Abstract]


def limit_depth(ctx: Context, code: Code) -> int:
    """How many calls of `code` are in progress; an error if they are too many."""
    depth = sum(frame.code is code for frame in ctx.frames)
    if depth > RECURSION_LIMIT:
        # If a loop around is unrolled, the depth may be bounded by a compile-time number.
        ctx.fail(DeepRecursion, error=NeedsStatic, name=code.name, depth=depth)
    return depth


def generator(
    ctx: Context,
    code: Code,
    captured: Sequence[Abstract],
    bound: Sequence[Abstract],
    cells: dict[str, Abstract] | None,
) -> Iterator:
    """The call of a generator function: nothing of it runs before the first item is taken."""
    cells = ctx.cells_of(code) if cells is None else cells
    closure = Tuple(tuple(map(Static, cells))), Tuple(tuple(cells.values()))
    return iterator(ctx, KIND, Closure(code, tuple(captured), ()), Tuple(tuple(bound)), *closure)


def is_generator(x: Abstract | None) -> TypeGuard[Iterator]:
    """Is `x` made by a generator function?"""
    return isinstance(x, Iterator) and x.kind == KIND


def as_generator(ctx: Context, x: Abstract, *, may_close: bool) -> Abstract:
    """The generator that gives the items of `x`, if there is one; else what has these items."""
    x = iterables.iterated(ctx, ctx.force(x))
    if not isinstance(x, Iterator) or x.kind not in ENDLESS:
        return x
    if not may_close:
        help_text = "leave the loop by `break` or `return`"
        ctx.fail(Unsupported, what="a loop without end", help_text=help_text)
    return ENDLESS[x.kind](ctx, x)


def run(ctx: Context, x: Iterator, consume: Consume, *, may_close: bool) -> None:
    """Run a generator from its start; `consume` is inferred at each `yield`."""
    closure, *parts = x.items
    assert isinstance(closure, Closure)
    arguments, names, variables = (part.items for part in parts if isinstance(part, Tuple))
    code = closure.code
    assert code.closing is not None
    region = code.closing if may_close else code.region
    cells = {name.value: value for name, value in zip(names, variables) if isinstance(name, Static)}
    limit_depth(ctx, code)
    consumers = list(ctx.frames)

    def resumed(item: Abstract) -> Abstract:
        frames, path = ctx.frames, ctx.path
        ctx.frames, ctx.path = list(consumers), (*path, current_span())
        try:
            return consume(item)
        finally:
            ctx.frames, ctx.path = frames, path

    with located_here(ctx.checks), ctx.frame(code, cells, resumed):
        ctx.run(region, dict(zip(region.args, (*closure.captured, *arguments))))
    if not may_close:
        use_up(ctx, x)


def loop(
    ctx: Context,
    x: Iterator,
    cond: Callable[[Abstract, States], Abstract] | None,
    body: Callable[[Abstract, States], States],
    init: States,
) -> States:
    """The carries after a `for` over a generator."""
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
        if has_items(ctx, x):
            run(ctx, x, consume, may_close=cond is not None)
        return ()

    branch_many(ctx, go_on(), items, lambda: ())
    return carries()


def _collected(ctx: Context, x: Iterator) -> Abstract:
    """The list of all items."""
    found = ctx.new(ListObject(()))

    def append(item: Abstract) -> Abstract:
        ctx.call(ctx.getattr(found, "append"), (item,), {})
        return FALSE

    run(ctx, x, append, may_close=False)
    return found


def _refuse(ctx: Context, x: Iterator) -> iterables.Items:
    help_text = "write a loop over it, or make a list of it first: `items = list(...)`"
    ctx.fail(Unsupported, what="a generator whose items are taken here", help_text=help_text)


iterables.ITERATORS[KIND] = _refuse
SEQUENCES[KIND] = _collected
