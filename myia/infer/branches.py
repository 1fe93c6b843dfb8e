"""Branches: an `if` on a compile-time condition runs one region, on a run-time condition both."""

from __future__ import annotations

from collections.abc import Callable

from myia.infer.context import Context, HeapArrays
from myia.infer.errors import BranchesDiffer
from myia.infer.join import Join, Mismatch
from myia.infer.lists import ListGrowth
from myia.infer.values import Abstract, Static, Tuple
from myia.ir.builder import Builder, emit
from myia.ir.core import Region
from myia.primitives.structured import if_p


def branch(
    ctx: Context, condition: Abstract, then: Callable[[], Abstract], other: Callable[[], Abstract]
) -> Abstract:
    """The value of `then()` or `other()`, whichever `condition` (a truth value) selects."""
    if isinstance(condition, Static):
        return then() if condition.value else other()
    before = ctx.heap.copy()
    left, left_builder = _run(ctx, then)
    left_heap = ctx.heap.copy()
    ctx.heap.restore(before, ids=False)
    right, right_builder = _run(ctx, other)
    right_heap = ctx.heap.copy()

    join = Join(before, left_heap, right_heap, HeapArrays, ListGrowth())
    try:
        skeleton = join.values(left, right)
        join.heaps()
    except Mismatch as mismatch:
        ctx.fail(BranchesDiffer, a=mismatch.a, b=mismatch.b)
    with left_builder:
        left_yields = join.coerce([left], [skeleton], left_heap)
    with right_builder:
        right_yields = join.coerce([right], [skeleton], right_heap)
    results = emit(
        if_p,
        condition.value,
        regions=[
            Region((), tuple(left_builder.ops), tuple(left_yields)),
            Region((), tuple(right_builder.ops), tuple(right_yields)),
        ],
    )
    _name(results, join.slots)
    ctx.heap.restore(before, ids=False)
    return join.finish(ctx.heap, results)(skeleton)


def _run(ctx: Context, body: Callable[[], Abstract]) -> tuple[Abstract, Builder]:
    with Builder() as builder:
        result = body()
    return result, builder


def _name(results, slots) -> None:
    """The results of an op inherit the user's names of what they stand for."""
    for result, slot in zip(results, slots):
        result.name = slot.name


def branch_many(ctx: Context, condition: Abstract, then, other) -> tuple[Abstract, ...]:
    """As `branch`, for functions that return several values."""
    result = branch(ctx, condition, lambda: Tuple(tuple(then())), lambda: Tuple(tuple(other())))
    return result.items
