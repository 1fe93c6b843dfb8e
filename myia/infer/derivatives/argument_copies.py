"""Calls on copies of their arguments, which may be one another's aliases as the originals are.

    def f(a):
        a[0] = 5.0            # changes the copy of x
        return x.sum()        # reads x itself, where Python sees the change: refused

Inside of the call a copy stands for its original, which the function may know by another name: it
is refused if it changes one of the two and reads the other. That arrays have memory in common is
known at run time only: the program tells of which it changes a copy (`Context.changed_in_copies`),
and each call compares addresses, as for an array that it changes.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from myia.infer.derivatives.lost_state import record_lost_state
from myia.infer.domain.context import Context
from myia.infer.domain.errors import InvalidatedRead
from myia.infer.domain.heap import BufferObject, Invalidated
from myia.infer.domain.values import Abstract, Ref
from myia.infer.lists import item_aliases, list_rows
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.unsupported import UnsupportedDerivative
from myia.source.span import Span

BY_NUMBERS = "make the list in the function that is differentiated"


def call_with_copies(
    ctx: Context,
    f: Abstract,
    args: tuple,
    kwargs: dict,
    given: dict[int, Abstract],
    differentiated: Collection[int] | None = None,
) -> Abstract:
    """`f(*args, **kwargs)` on copies of its arguments; those in `given` are copies already.

    `differentiated`: the positions by which a derivative is taken (None: those of `given`).
    """
    made: dict[int, Ref] = {}
    full = [given[i] if i in given else deep_copied(ctx, x, made) for i, x in enumerate(args)]
    options = {k: deep_copied(ctx, x, made) for k, x in kwargs.items()}
    originals, copies = [*args, *kwargs.values()], [*full, *options.values()]
    link_copies(ctx, originals, copies)
    before = ctx.heap.copy()
    with noted_changes(ctx, originals, copies):
        result = ctx.call(f, full, options)
    chosen = given if differentiated is None else differentiated
    record_lost_state(ctx, f, full, options, chosen, before, result)
    return result


def link_copies(ctx: Context, originals: list[Abstract], copies: list[Abstract]) -> None:
    """Add may-alias edges between copies of what may be one object.

    A write to one of them invalidates the others.
    """
    link_may_alias(ctx, names_of(ctx, originals), base_objects(ctx, copies))


def names_of(ctx: Context, xs: Sequence[Abstract]) -> list[list[int]]:
    """For each object in `xs` the ids of all that it may be."""
    edges = ctx.heap.alias_edges
    shown = base_objects(ctx, xs, as_lists=True)
    return [[*ids, *(x for i in ids for x in edges.get(i, ()))] for ids in shown]


@contextmanager
def noted_changes(
    ctx: Context, originals: Sequence[Abstract], copies: Sequence[Abstract]
) -> Iterator[None]:
    """Note of which originals a copy is changed inside; refuse what is used under both names."""
    shown = base_objects(ctx, originals, as_lists=True)
    pairs = zip(shown, base_objects(ctx, copies), strict=True)
    origins = {copy: {*ids} - {copy} for ids, made in pairs for copy in made}
    before = ctx.heap.copy()
    with ctx.recorded_uses() as (read, written, compared):
        yield
    for copy, ids in origins.items():
        now = ctx.heap[copy]
        is_other = now is not before[copy] and not isinstance(now, Invalidated)
        if is_other or copy in written or copy in ctx.changed_in_copies:
            ctx.changed_in_copies |= ids
            _refuse_both(ctx, ids & read, written.get(copy))
        if copy in read:
            for id in ids & written.keys():
                _refuse_both(ctx, {id}, written[id])
        _note_comparisons(ctx, copy, ids, compared)


def _note_comparisons(
    ctx: Context, copy: int, ids: set[int], compared: set[frozenset[int]]
) -> None:
    """Refuse `copy is original`; another object may be the original of the original."""
    for pair in compared:
        if copy in pair:
            _refuse_both(ctx, ids & pair, None)
            if ctx.uses is not None:
                ctx.uses.compared.update((pair - {copy}) | {id} for id in ids)


def _refuse_both(ctx: Context, both: set[int], span: Span | None) -> None:
    if both:
        ctx.fail(InvalidatedRead, where=str(span or "an earlier line"))


def link_may_alias(
    ctx: Context, originals: Sequence[list[int]], objects: Sequence[list[int]]
) -> None:
    """Add may-alias edges between objects that have an original in common."""
    linked: dict[int, set[int]] = {}
    for shown, ids in zip(originals, objects, strict=True):
        for original in shown:
            known = linked.setdefault(original, set())
            for other, id in itertools.product(known, ids):
                if other != id:
                    ctx.heap.add_mutual_alias(other, id)
            known.update(ids)


def base_objects(ctx: Context, xs: Iterable[Abstract], as_lists: bool = False) -> list[list[int]]:
    """For each object in `xs` its id; for a view the ids of the arrays that it may show.

    `as_lists`: for a row of a list of lists the list that it was, not the array of the rows.
    """
    return list(_iter_base_objects(ctx, xs, (), as_lists))


def _iter_base_objects(
    ctx: Context, xs: Iterable[Abstract], inside: tuple[int, ...], as_lists: bool
) -> Iterator[list[int]]:
    """`inside`: the objects that hold `xs`, which may hold themselves."""
    for x in xs:
        if ctx.is_array(x):
            if ctx.shape(x):  # an array without axes may be copied to a number
                yield ctx.heap.owners(x.id)
        elif not isinstance(x, Ref):
            yield from _iter_base_objects(ctx, x.children(), inside, as_lists)
        elif (rows := list_rows.objects_of_rows(ctx, x, as_lists)) is not None:
            if list_rows.row_of(ctx, x) is None:
                yield [x.id]
            yield from ([id] for id in rows)
        elif x.id not in inside:
            contents = ctx.contents(x)
            if isinstance(contents, BufferObject) and contents.template.kind == "member":
                what = (
                    "a list of objects that have changed places, as an argument under a derivative,"
                )
                ctx.fail(UnsupportedDerivative, what=what, help_text=BY_NUMBERS)
            children = contents.children()
            yield [item_aliases.owner(ctx.heap, x.id)]
            yield from _iter_base_objects(ctx, children, (*inside, x.id), as_lists)
