"""Calls on copies of their arguments, which may be one another's aliases as the originals are.

    def f(a):
        a[0] = 5.0            # changes the copy of x
        return x.sum()        # reads x itself, where Python sees the change: refused

Inside of the call a copy stands for its original, which the function may know by another name. So
a write to one invalidates the other; after the call the original is as it was. That arrays have
memory in common is known at run time only: the program tells of which it changes a copy
(`Context.changed_in_copies`), and each call compares addresses, as for an array that it changes.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from myia.infer.derivatives.lost_state import record_lost_state
from myia.infer.domain.context import Context
from myia.infer.domain.heap import BufferObject, Heap, Invalidated
from myia.infer.domain.values import Abstract, Ref
from myia.infer.lists import item_aliases, list_rows
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.unsupported import UnsupportedDerivative

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
    with standing_for(ctx, originals, copies):
        result = ctx.call(f, full, options)
    chosen = given if differentiated is None else differentiated
    record_lost_state(ctx, f, full, options, chosen, before, result)
    return result


def link_copies(ctx: Context, originals: list[Abstract], copies: list[Abstract]) -> None:
    """Add may-alias edges between copies of one object: a write to one invalidates the others."""
    link_may_alias(ctx, base_objects(ctx, originals, as_lists=True), base_objects(ctx, copies))


@contextmanager
def standing_for(
    ctx: Context, originals: Sequence[Abstract], copies: Sequence[Abstract]
) -> Iterator[None]:
    """Inside, a write to a copy invalidates its original, and the other way round."""
    heap = ctx.heap
    pairs = _pairs(ctx, originals, copies)
    before, own = heap.copy(), {copy for _, copy in pairs}
    invalidating: dict[int, list[int]] = {}
    for id, others in before.alias_edges.items():
        for other in others:
            invalidating.setdefault(other, []).append(id)
    for original, copy in pairs:
        for other in (original, *before.alias_edges.get(original, ())):
            heap.add_alias_edge(copy, other)
        for id in (original, *invalidating.get(original, ())):
            heap.add_alias_edge(id, copy)
    with heap.recorded_writes() as written:
        yield
    for copy in own:
        contents = heap[copy]
        is_other = contents is not before[copy] and not isinstance(contents, Invalidated)
        if copy in written or is_other:
            ctx.changed_in_copies |= heap.alias_edges.get(copy, frozenset())
    _make_valid(heap, before, own, written)


def _pairs(
    ctx: Context, originals: Sequence[Abstract], copies: Sequence[Abstract]
) -> list[tuple[int, int]]:
    shown = base_objects(ctx, originals, as_lists=True)
    pairs = (itertools.product(*found) for found in zip(shown, base_objects(ctx, copies)))
    return [(i, k) for i, k in dict.fromkeys(itertools.chain(*pairs)) if i != k]


def _make_valid(heap: Heap, before: Heap, copies: set[int], written: set[int]) -> None:
    """What only a write to one of the copies has invalidated is as it was, and linked as it was."""
    others = {i for copy in copies for i in heap.alias_edges.get(copy, ()) if i not in copies}
    others = {i for i in others if i in before and i not in written}
    others |= {i for i, contents in before.objects.items() if not others.isdisjoint(contents.bases)}
    for id in others:
        found = heap.objects.get(id)
        if isinstance(found, Invalidated) and not isinstance(before[id], Invalidated):
            if id in before.objects:
                heap.objects[id] = before.objects[id]
            else:
                del heap.objects[id]
    for id, edges in list(heap.alias_edges.items()):
        if id in copies:
            heap.alias_edges[id] = frozenset(i for i in edges if i in copies or i not in before)
        elif id in before:
            heap.alias_edges[id] = edges - copies


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
