"""The function for one example: a region, and what it does beside its results.

Examples are independent: what they share must not change, and what one of them changes (its part of
an array) no other may read. The region begins without an error, and yields the code of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from myia.infer.batching.axes import Build, Leaf
from myia.infer.derivatives.argument_copies import link_may_alias
from myia.infer.domain.context import Context
from myia.infer.domain.heap import ArrayObject, Contents, Heap, Invalidated
from myia.infer.domain.memory_order import is_contiguous
from myia.infer.domain.values import Abstract, Ref, Scalar, as_ref
from myia.infer.lists.list_rows import is_as_before
from myia.infer.paths.raised import may_have_raised, without_error
from myia.infer.stand_ins import is_resource
from myia.infer.unsupported import UnsupportedBatch
from myia.ir.builder import Builder
from myia.ir.core import Region, Value

T = TypeVar("T")

A_SEED = "give each example a seed or a key of its own, and make the generator from it"
A_RESULT = "return what is new of it: it comes back for all examples"
ITS_PART = "map the array (`in_axes`), so that each example changes its own part; or return it"
ONE_NAME = "read it from the argument, or give the function a copy"


@dataclass(frozen=True)
class OneExample:
    """`region(*parts)` yields the leaves of the result, then the new parts of `written`, then the
    sizes in the cells of `capacities`, then the code of the first failed check (if `is_checked`).
    `rebuild` makes the result of other leaves.
    """

    region: Region
    rebuild: Build
    written: list[Leaf]
    capacities: list[int]
    is_checked: bool


def infer_example(
    ctx: Context,
    leaves: Sequence[Leaf],
    parts: Sequence[Value],
    arguments: Callable[[list[Abstract]], T],
    call: Callable[[T], Abstract],
    results: Callable[[Abstract], tuple[Build, Sequence[Value]]],
) -> OneExample:
    """Infer `call(arguments(parts of leaves))`; `results(x)` takes the result x apart."""
    before = ctx.heap.copy()
    with Builder() as builder:
        copies = copies_of(ctx, leaves, parts)
        known = ctx.heap.copy()
        given = arguments(copies)
        start = ctx.heap.copy()
        with without_error(ctx), ctx.heap.recorded_reads() as reads:
            rebuild, values = results(call(given))
            raises = may_have_raised(ctx)
        yields = list(values)
        _refuse_changes(ctx, before)
        _refuse_changed_structures(ctx, known, start)
        _note_changes_in_copies(ctx, leaves, copies, before)
        written = [i for i, x in enumerate(copies) if _is_written(ctx, x, start)]
        for i in written:
            _refuse_other_names(ctx, leaves, i, before, reads)
            if raises:
                what = f"a change of `{leaves[i].path}` under `vmap`, where an error may be caught,"
                ctx.fail(UnsupportedBatch, what=what, help_text=A_RESULT)
            yields.append(ctx.read(as_ref(copies[i])))
        cells = [i for i in ctx.capacities.cells.values() if ctx.heap[i] is not before[i]]
        yields += [x.value for i in cells for x in ctx.heap[i].children() if isinstance(x, Scalar)]
        code = ctx.error_code()
        if code is not None:
            yields.append(code)
    ctx.heap.restore(before, ids=False)  # nothing of the region is seen outside
    region = Region(tuple(parts), tuple(builder.ops), tuple(yields))
    return OneExample(region, rebuild, [leaves[i] for i in written], cells, code is not None)


def copies_of(ctx: Context, leaves: Sequence[Leaf], parts: Sequence[Value]) -> list[Abstract]:
    """The parts of the leaves that one example has."""
    copies = [_part(ctx, leaf, part) for leaf, part in zip(leaves, parts)]
    _link(ctx, leaves, copies)
    return copies


def _part(ctx: Context, leaf: Leaf, part: Value) -> Abstract:
    """The part of an array that an example has; read-only if the array is."""
    if part.shape == ():
        return Scalar(part, weak=False)
    owners = [ctx.heap[i] for i in ctx.heap.owners(_id(leaf))]
    flags = [x.readonly for x in owners if isinstance(x, ArrayObject) and x.readonly]
    contiguous = leaf.axis == 0 and is_contiguous(ctx, leaf.x)
    return ctx.new(ArrayObject(part, flags[0] if flags else None, contiguous))


def _id(leaf: Leaf) -> int:
    return as_ref(leaf.x).id


# ----- What else the function does


def _link(ctx: Context, leaves: Sequence[Leaf], copies: Sequence[Abstract]) -> None:
    """A part may be read by other names of its array: after a write to it they are refused."""
    originals = [_all_names(ctx.heap, _id(leaf)) for leaf in leaves]
    objects = [
        [*names, copy.id] if isinstance(copy, Ref) else [] for names, copy in zip(originals, copies)
    ]
    link_may_alias(ctx, originals, objects)


def _all_names(heap: Heap, id: int) -> list[int]:
    owners = heap.owners(id)
    return list(dict.fromkeys([*owners, *(x for i in owners for x in heap.alias_edges.get(i, ()))]))


def _is_written(ctx: Context, copy: Abstract, start: Heap) -> bool:
    if not isinstance(copy, Ref):
        return False
    contents = ctx.heap[copy.id]
    return contents is not start[copy.id] and not isinstance(contents, Invalidated)


def _note_changes_in_copies(
    ctx: Context, leaves: Sequence[Leaf], copies: Sequence[Abstract], before: Heap
) -> None:
    """What a derivative does to a copy of a part it does to a copy of the array."""
    for leaf, copy in zip(leaves, copies):
        if isinstance(copy, Ref) and copy.id in ctx.changed_in_copies:
            ctx.changed_in_copies.update(_all_names(before, _id(leaf)))


def _refuse_other_names(
    ctx: Context, leaves: Sequence[Leaf], i: int, before: Heap, reads: set[int]
) -> None:
    """An array of which an example changes its part is read by this part alone."""
    names = _all_names(before, _id(leaves[i]))
    others = [leaf for k, leaf in enumerate(leaves) if k != i]
    shared = any(not set(names).isdisjoint(_all_names(before, _id(leaf))) for leaf in others)
    if shared or not reads.isdisjoint(names):
        path = leaves[i].path
        what = f"a change of `{path}` under `vmap`, where the same array has another name,"
        ctx.fail(UnsupportedBatch, what=what, help_text=ONE_NAME)


def _refuse_changes(ctx: Context, before: Heap) -> None:
    """All objects that were there before belong to all examples."""
    for id, contents in list(ctx.heap.objects.items()):
        if id not in before or contents is before[id] or ctx.is_of_checks(id):
            continue
        if isinstance(contents, Invalidated) or is_as_before(ctx.heap, id, before[id]):
            continue
        _refuse_change(ctx, contents)


def _refuse_changed_structures(ctx: Context, known: Heap, start: Heap) -> None:
    """The lists, dicts and instances that hold the parts of an example: they are made for it."""
    for id, contents in start.objects.items():
        if id not in known and ctx.heap[id] is not contents:
            what = f"a change of {ctx.describe(Ref(id))} with examples under `vmap`"
            ctx.fail(UnsupportedBatch, what=what, help_text=A_RESULT)


def _refuse_change(ctx: Context, contents: Contents) -> NoReturn:
    if is_resource(contents):
        what = "a draw from a generator that all examples of `vmap` share"
        ctx.fail(UnsupportedBatch, what=what, help_text=A_SEED)
    is_array = isinstance(contents, ArrayObject)
    what = (
        f"a change of {'an array' if is_array else 'an object'} that all examples of `vmap` share"
    )
    ctx.fail(UnsupportedBatch, what=what, help_text=ITS_PART if is_array else A_RESULT)
