"""Branches: an `if` on a compile-time condition runs one region, on a run-time condition both.

A path that is sure to raise ends there, with a run-time check: what follows the `if` knows what
the other path knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from myia.infer.domain.context import Context, HeapArrays
from myia.infer.domain.errors import BranchesDiffer, CertainError, NeedsStatic, RaiseReached
from myia.infer.domain.heap import Heap
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Static, Tuple
from myia.infer.paths import one_branch
from myia.infer.paths.growing_lists import ListGrowth
from myia.infer.paths.merge import Merge
from myia.infer.paths.merge_template import ABSENT
from myia.ir.builder import Builder, emit
from myia.ir.core import Region
from myia.primitives.core.structured import if_p


def branch(
    ctx: Context, condition: Abstract, then: Callable[[], Abstract], other: Callable[[], Abstract]
) -> Abstract:
    """The value of `then()` or `other()`, whichever `condition` (a truth value) selects."""
    if isinstance(condition, Static):
        return then() if condition.value else other()
    before = ctx.heap.copy()
    left = _path(ctx, then)
    ctx.heap.restore(before, ids=False)
    right = _path(ctx, other)
    sides = left.state(ctx, before), right.state(ctx, before)
    join = Merge(before, *sides, HeapArrays, ListGrowth(), tracks_points_to=ctx.tracks_points_to)
    skeleton = _skeleton(ctx, join, left, right)
    regions = [_region(join, left, skeleton, ctx), _region(join, right, skeleton, ctx)]
    results = emit(if_p, condition.value, regions=regions)
    _name(results, join.slots)
    ctx.heap.restore(before, ids=False)
    after = join.finish(ctx.heap, results)
    if left.error is not None and right.error is not None:
        raise right.error if isinstance(left.error, RaiseReached) else left.error
    return after(skeleton)


@dataclass
class _Path:
    """One branch: what it gives and leaves; or the error that it is sure to raise."""

    builder: Builder
    result: Abstract
    heap: Heap
    error: CertainError | None

    def state(self, ctx: Context, before: Heap) -> Heap:
        """The heap after it. Of a path that raises only the error is left."""
        if self.error is None:
            return self.heap
        heap = before.copy()
        heap.next_id = self.heap.next_id
        heap.objects[ctx.error_id] = self.heap[ctx.error_id]
        return heap


def _path(ctx: Context, body: Callable[[], Abstract]) -> _Path:
    result, error = ABSENT, None
    with Builder() as builder:
        try:
            result = body()
        except CertainError as certain:
            error = certain
            ctx.dead_paths += 1
            ctx.check_certain(certain)
    return _Path(builder, result, ctx.heap.copy(), error)


def _skeleton(ctx: Context, join: Merge, left: _Path, right: _Path) -> Abstract:
    try:
        if left.error is None and right.error is None:
            skeleton = join.values(left.result, right.result)
            join.heaps()
            return skeleton
        join.same_object(ctx.error_id)
        if left.error is not None and right.error is not None:
            return ABSENT
        live = right if left.error is not None else left
        return one_branch.surviving_template(join, live.result, live is left, live.builder.ops)
    except Mismatch as mismatch:
        ctx.fail(BranchesDiffer, error=NeedsStatic, a=mismatch.a, b=mismatch.b)


def _region(join: Merge, path: _Path, skeleton: Abstract, ctx: Context) -> Region:
    with path.builder:
        if path.error is None:
            yields = join.coerce([path.result], [skeleton], path.heap)
        else:
            yields = join.coerce_object(ctx.error_id, path.heap)
    return Region((), tuple(path.builder.ops), tuple(yields))


def _name(results, slots) -> None:
    """The results of an op inherit the user's names of what they stand for."""
    for result, slot in zip(results, slots):
        result.name = slot.name


def branch_many(ctx: Context, condition: Abstract, then, other) -> tuple[Abstract, ...]:
    """As `branch`, for functions that return several values."""
    result = branch(ctx, condition, lambda: Tuple(tuple(then())), lambda: Tuple(tuple(other())))
    return result.items
