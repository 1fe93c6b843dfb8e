"""Iterators give their items once: what has been taken of each.

An iterator gives its items once. Its cell holds how much of it was taken: nothing, all, or a part.
A loop that may end early takes a part, and so does a `zip` of several iterators. After a branch or
in a loop the cell may hold a run-time value, as any variable: then nobody knows what is left.

The cell of a generator holds where it goes on (`infer/generators/continuations.py`). Where an
iterator is used again and nobody knows what is left of it, it is noted in `ctx.to_resume` before
that is refused: the program is inferred again, and there the iterator is a generator that goes on
where it stopped (`eval/program.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeGuard

from myia.infer.domain.context import Context
from myia.infer.domain.errors import NeedsStatic
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Iterator,
    Partial,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
    is_static_int,
)
from myia.infer.unsupported import UnsupportedIteration
from myia.ir.builder import current_span
from myia.source.diagnostics import MyiaError
from myia.source.span import Span

GENERATOR = "generator"  # the kind of what a generator function returns
UNUSED, USED_IN_PART, USED_UP = map(Static, range(3))  # what was taken of an iterator
RUN_TO_THE_END = (
    "enumerate",
    "bounded",
    "filter",
    "pairwise",
)  # kinds with further operands, which are no iterables


def no_call(*_: Abstract) -> NoReturn:
    """What a generator goes on with is no function of the program's."""
    raise NotImplementedError


def ended(result: Abstract) -> Partial:
    """The state of a generator that has returned `result`."""
    return Partial(no_call, (result,), "ended")


ENDED = ended(NONE)
LOST = Partial(no_call, (), "lost")  # of a generator of which nobody knows where it stopped

# Iterators whose items all together are a sequence.
SEQUENCES: dict[str, Callable[[Context, Iterator], Abstract]] = {"iter": lambda ctx, x: x.items[0]}


# The generator that gives the items of an iterable, and goes on where it stopped.
AS_GENERATOR: list[Callable[[Context, Iterator], Iterator]] = []


def iterator(ctx: Context, kind: str, *items: Abstract) -> Iterator:
    """A new iterator."""
    place = place_of(ctx, kind)
    if place in ctx.resumed or EVERYWHERE in ctx.resumed:
        return AS_GENERATOR[0](ctx, Iterator(kind, items))
    return made_at(ctx, place, Iterator(kind, items, ctx.new(CellObject(UNUSED))))


def is_generator(x: Abstract | None) -> TypeGuard[Iterator]:
    """Is `x` made by a generator function?"""
    return isinstance(x, Iterator) and x.kind == GENERATOR


EVERYWHERE = "everywhere"


def place_of(ctx: Context, kind: object) -> object:
    """Where in the program an iterator is made."""
    return kind, tuple(p for p in ctx.path if isinstance(p, Span)), current_span()


def made_at(ctx: Context, place: object, x: Iterator) -> Iterator:
    """`x`, which is made at that place."""
    if isinstance(x.state, Ref):
        ctx.places[x.state.id] = place
    return x


def refuse_second_use(ctx: Context, x: Iterator, *, may_unroll: bool) -> NoReturn:
    """`x` is used again, and nobody knows what is left of it."""
    assert isinstance(x.state, Ref)
    ctx.to_resume.add(ctx.places.get(x.state.id, EVERYWHERE))
    label = "some of its items may have been taken before"
    help_text = "make a list of it first, and use the list: `items = list(...)`"
    error = NeedsStatic if may_unroll else MyiaError
    what = "an iterator that is used twice"
    ctx.fail(UnsupportedIteration, error=error, what=what, label_text=label, help_text=help_text)


def has_items(ctx: Context, x: Iterator) -> bool:
    """Are there items to take? From now on the iterator counts as used in part."""
    if is_none(x.state):
        return True
    state = ctx.contents_as(x.state, CellObject).content
    if state not in (UNUSED, USED_UP) and not items_taken(ctx, x):
        refuse_second_use(ctx, x, may_unroll=isinstance(state, Scalar))
    set_state(ctx, x, USED_IN_PART)
    return state is not USED_UP


def items_taken(ctx: Context, x: Iterator) -> int:
    """How many items `next` has taken, which are all that has been taken of it."""
    state = NONE if is_none(x.state) else ctx.contents_as(x.state, CellObject).content
    return -state.value if is_static_int(state) and state.value < 0 else 0


def set_taken(ctx: Context, x: Iterator, count: int) -> None:
    """Say how many items `next` has taken."""
    set_state(ctx, x, Static(-count))


def sequence_of(ctx: Context, x: Abstract) -> Abstract:
    """All items of an iterator as a sequence, if its kind is in `SEQUENCES`; else `x`."""
    if not isinstance(x, Iterator) or x.kind not in SEQUENCES or items_taken(ctx, x):
        return x
    if x.kind == GENERATOR:
        return SEQUENCES[x.kind](ctx, x)
    return SEQUENCES[x.kind](ctx, x) if has_items(ctx, x) else Tuple(())


def set_state(ctx: Context, x: Abstract, state: Static) -> None:
    """Say how much of `x`, if it is an iterator, has been taken."""
    if isinstance(x, Iterator) and isinstance(x.state, Ref):
        of_generator = ENDED if state is USED_UP else LOST
        ctx.write(x.state, CellObject(of_generator if x.kind == GENERATOR else state))


def use_up(ctx: Context, x: Abstract) -> None:
    """All items have been taken, of an iterator and of the one iterable that it runs over."""
    if isinstance(x, Iterator):
        set_state(ctx, x, USED_UP)
        iterables = x.items[1:] if x.kind in ("map", "filter", "starmap") else x.items
        # Of several the longer ones have items left.
        if x.kind in RUN_TO_THE_END or len(iterables) == 1:
            use_up(ctx, iterables[0])


def take(ctx: Context, x: Abstract, *, to_end: bool) -> None:
    """Items of `x`, and of the iterators that it runs over, have been taken."""
    if isinstance(x, Iterator):
        for y in x.items:
            take(ctx, y, to_end=False)
        set_state(ctx, x, USED_IN_PART)
        if to_end:
            use_up(ctx, x)


def reiterable(ctx: Context, x: Abstract) -> Abstract:
    """What is iterated over more than once: of an iterator, a tuple of its items."""
    return Tuple(ctx.list_items(x)) if isinstance(x, Iterator) and isinstance(x.state, Ref) else x
