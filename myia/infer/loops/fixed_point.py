"""Loops: one IR loop, inferred to a fixed point; unrolled where that is better (`unrolling.py`).

A trip is inferred from a state in which what the body does not change is known exactly and the
rest are *slots*. The first trip starts from the exact initial state; what a trip changes becomes a
slot, and the trip is inferred again until nothing more changes (`infer/paths/merge.py`). The last
fixed point of a loop is the first guess when it is visited again, so that a nest of depth d visits
its innermost body O(d) times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from myia.infer.domain.context import Context, HeapArrays
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.errors import CertainError, LoopChangesType, NeedsStatic
from myia.infer.domain.heap import BufferObject, Heap, Invalidated
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import TRUE, Abstract, Scalar, Static, is_static_int
from myia.infer.loops.iterables import Items
from myia.infer.loops.unrolling import (
    FewIterations,
    LoopCode,
    States,
    expect_few_iterations,
    unrolled,
    unrolled_if_static,
)
from myia.infer.paths import may_alias
from myia.infer.paths.branches import branch_many
from myia.infer.paths.growing_lists import ListGrowth, bounded_by_capacity
from myia.infer.paths.merge import Merge
from myia.infer.paths.merge_template import substitute
from myia.ir.avals import I64
from myia.ir.builder import Builder, current_builder
from myia.ir.core import Region, Value, has_effect
from myia.ir.rewrite import clone_region
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise import arithmetic, logic
from myia.source.diagnostics import InternalError

MAX_ROUNDS = 24
MAX_LISTING_ITERATIONS = (
    32  # trips of loops that are unrolled because the arrays that they list are written to
)


class _ConditionHasEffects(Exception):
    """The condition changes objects: it cannot be a region of its own."""


def loop(ctx: Context, code: LoopCode, init: States) -> States:
    """The carries after the loop."""
    if code.items is not None:
        if (
            is_static_int(code.items.length)
            and code.items.length.value == 0
            and not code.items.current_item
        ):
            return init
        if code.items.unroll:
            return unrolled(ctx, code, init, None)
    saved, mark = ctx.heap.copy(), (len(current_builder().ops), len(ctx.checks))
    try:
        return _compiled(ctx, code, init)
    except FewIterations:
        _rewind(ctx, saved, mark)
    except _ConditionHasEffects:
        _rewind(ctx, saved, mark)
        return _rotated(ctx, code, init)
    except CertainError as error:
        _rewind(ctx, saved, mark)
        return _first_trip(ctx, code, init, error)
    except NeedsStatic as need:
        if code.items is not None and not is_static_int(code.items.length):
            raise
        _rewind(ctx, saved, mark)
        return unrolled(ctx, code, init, need)
    try:
        return unrolled_if_static(ctx, code, init)
    except FewIterations:
        _rewind(ctx, saved, mark)
        return _compiled(ctx, code, init, may_be_few=False)


def _rewind(ctx: Context, heap: Heap, mark: tuple[int, int]) -> None:
    ctx.heap.restore(heap)
    del current_builder().ops[mark[0] :]
    del ctx.checks[mark[1] :]


def _first_trip(ctx: Context, code: LoopCode, init: States, error: CertainError) -> States:
    """A loop whose first trip, if there is one, raises `error`."""
    item = Static(None) if code.items is None else code.items.item(Static(0))

    def trip() -> States:
        go = TRUE if code.cond is None else code.cond(item, init)
        return branch_many(ctx, go, body, lambda: init)

    def body() -> States:
        code.body(item, init)
        raise error

    return branch_many(ctx, _any_trip(code), trip, lambda: init)


def _any_trip(code: LoopCode) -> Abstract:
    """Whether there are items."""
    if code.items is None:
        return TRUE
    count = code.items.length
    if is_static_int(count):
        return Static(count.value > 0)
    return Scalar(logic.gt(count.value, constant(0, count.dtype)), weak=True)


def _rotated(ctx: Context, code: LoopCode, init: States) -> States:
    """`while c: b`  ->  `go = c; while go: b; go = c`, which evaluates c in the same order."""
    no_item = Static(None)
    go = code.cond(no_item, init)

    def body(item: Abstract, xs: States) -> States:
        after = code.body(item, xs[1:])
        return [code.cond(no_item, after), *after]

    if isinstance(go, Static) and not go.value:
        return init
    rotated = LoopCode((code.key, "rotated"), code.items, lambda _, xs: xs[0], body)
    return loop(ctx, rotated, [go, *init])[1:]


# ----- One loop of the IR


@dataclass
class _State:
    """The state at the start of a trip: carries and heap, their slots, and how they came about."""

    xs: States
    heap: Heap
    slots: Sequence[Value]
    headers: frozenset[int]
    join: Merge | None = None


def _compiled(ctx: Context, code: LoopCode, init: States, may_be_few: bool = True) -> States:
    """`may_be_few`: raises `FewIterations` where the body had better be repeated."""
    before = ctx.heap.copy()
    plannable = code.items is not None and code.cond is None
    growth = ListGrowth(code.items.max_length if code.items is not None else None, plannable)
    key = (ctx.path, code.key)
    state = _guess(ctx, key, init, before) or _State(init, before, (), frozenset())
    dead_paths = 0  # of the trips that told how far lists grow
    for _ in range(MAX_ROUNDS):
        found = len(growth.found_capacity)
        trip = _Trip(ctx, code, state, growth, before)
        if len(growth.found_capacity) > found:
            dead_paths = max(dead_paths, trip.dead_paths)
        if ctx.tracks_points_to and _lists_arrays(code.items, trip):
            ctx.needs_static("the items of a list, which are arrays of their own")
        if trip.never_runs:
            ctx.heap.restore(before)
            return init
        if trip.steady:
            if trip.dead_paths < dead_paths:  # what they append was not counted
                ctx.needs_static("how far a list grows in this loop")
            if may_be_few and trip.long_dynamic_slices:
                expect_few_iterations(code, init, Region((), tuple(trip.body.ops), ()), trip.outs)
            ctx.last_fixed_points[key] = (state, growth.plans, before)
            return _emit(ctx, code, trip, init, before, growth)
        state = trip.next_state()
    raise InternalError("a loop's fixed point was not reached")


def _lists_arrays(items: Items | None, trip: _Trip) -> bool:
    """A list that grows in a short loop: unrolled, its items keep their identity."""
    if trip.never_runs or items is None or not is_static_int(items.length):
        return False
    lists = (c for c in trip.join.merged.values() if isinstance(c, BufferObject))
    return items.length.value <= MAX_LISTING_ITERATIONS and any(
        row.value.aval.ndim > 1 for buffer in lists for row in buffer.rows
    )


def _guess(ctx: Context, key, init: States, before: Heap) -> _State | None:
    """The fixed point of this loop's last visit, fitted to the state of this one."""
    if key not in ctx.last_fixed_points:
        return None
    hint, plans, hint_before = ctx.last_fixed_points[key]
    grows = any(isinstance(hint.heap[id], BufferObject) for id in hint.headers)
    if plans or grows or len(hint.xs) != len(init):
        return None
    options = {
        "hinted": hint.slots,
        "hint_before": hint_before,
        "tracks_points_to": ctx.tracks_points_to,
    }
    join = Merge(before, before, hint.heap, HeapArrays, loop=True, **options)
    try:
        xs = [join.values(a, b) for a, b in zip(init, hint.xs)]
        join.heaps()
    except Mismatch:
        return None
    return _advance(before, join, xs)


def _advance(heap: Heap, join: Merge, xs: States) -> _State:
    """The state at the start of a trip whose slots are those of `join`."""
    heap = heap.copy()
    join.finish(heap, join.slots)
    return _State(xs, heap, tuple(join.slots), frozenset(join.merged), join)


class _Trip:
    """One inference of condition and body from a state."""

    def __init__(
        self, ctx: Context, code: LoopCode, state: _State, growth: ListGrowth, before: Heap
    ):
        self.state, self.growth, self.before = state, growth, before
        ctx.visits[code.key] = ctx.visits.get(code.key, 0) + 1
        ctx.heap.restore(state.heap)
        self.never_runs, self.dead_paths, self.long_dynamic_slices = False, 0, 0
        self.index = Value(I64, "k")
        self.body = Builder()
        with self.body:
            index = Scalar(self.index, True, 0, _last(code.items))
            _apply_plans(ctx, growth, index)
        self.start = ctx.heap.copy()
        self.infer_condition(ctx, code)
        if self.never_runs:
            return
        dead_paths, long_parts = ctx.dead_paths, ctx.long_dynamic_slices
        with self.body:
            item = code.items.item(index) if code.items is not None else Static(None)
            self.outs = list(code.body(item, state.xs))
        self.dead_paths = ctx.dead_paths - dead_paths
        self.long_dynamic_slices = ctx.long_dynamic_slices - long_parts
        self.end = ctx.heap.copy()
        self.join_ends(ctx, code.items)

    def infer_condition(self, ctx: Context, code: LoopCode) -> None:
        """The condition is a region of its own, with arguments of its own."""
        self.cond: tuple[Builder, Value] | None = None
        if code.cond is None:
            return
        builder = Builder()
        with builder:
            go = code.cond(Static(None), self.state.xs)
            if isinstance(go, Static):
                self.never_runs = not go.value
                go = Scalar(constant(bool(go.value), bool), True)
            failed = ctx.error_code()
            if code.items is None and failed is not None:  # no number after an error ends the loop
                go = Scalar(logic.and_(go.value, logic.eq(failed, constant(0, np.int32))), True)
        if ctx.heap.written_since(self.start) or any(map(has_effect, builder.ops)):
            raise _ConditionHasEffects
        self.cond = builder, go.value
        ctx.heap.restore(self.start)

    def join_ends(self, ctx: Context, items: Items | None) -> None:
        state = self.state
        self.join = Merge(
            self.start,
            self.start,
            self.end,
            HeapArrays,
            self.growth,
            loop=True,
            entry_slots=state.slots,
            headers=state.headers,
            outer=self.before,
            owned=state.join.owned if state.join is not None else {},
            tracks_points_to=ctx.tracks_points_to,
            unrolls=items is None or is_static_int(items.length),
        )
        try:
            self.skeleton = [self.join.values(a, b) for a, b in zip(state.xs, self.outs)]
            self.join.heaps()
        except Mismatch as m:
            ctx.fail(LoopChangesType, error=NeedsStatic, a=m.a, b=m.b, **m.help)
        relinked = self.start.copy()
        may_alias.add_alias_edges(self.join, relinked)
        self.relinks = any(
            other in self.start and other not in self.start.alias_edges.get(id, ())
            for id, others in relinked.alias_edges.items()
            if id in self.start
            for other in others
        )
        self.steady = not self.join.widened and not self.relinks

    def next_state(self) -> _State:
        return _advance(self.start, self.join, self.skeleton)

    def yields(self) -> list[Value]:
        """What the trip leaves in the slots that it started with."""
        with self.body:
            found = self.join.coerce(self.outs, self.skeleton, self.end)
        after = {self.join.origin[slot]: value for slot, value in zip(self.join.slots, found)}
        return [after[slot] for slot in self.state.slots]


def _last(items: Items | None) -> int | None:
    return items.max_length - 1 if items is not None and items.max_length is not None else None


def _apply_plans(ctx: Context, growth: ListGrowth, index: Scalar) -> None:
    """The length of a list that grows by `step` in every trip: start + step * index."""
    for id, plan in growth.plans.items():
        contents = ctx.heap[id]
        if isinstance(contents, Invalidated):
            continue
        last = None if index.hi is None else plan.step * index.hi
        length = _planned_length(plan, index.value, last)
        ctx.heap.objects[id] = replace(contents, base=length, offset=0)


def _planned_length(plan, trips: Value, most: int | None) -> Scalar:
    value = trips if plan.step == 1 else arithmetic.mul(trips, plan.step)
    if isinstance(plan.start, Static):
        start = plan.start.value + plan.offset
        value = arithmetic.add(value, start) if start else value
        return Scalar(value, True, start, None if most is None else start + most)
    value = arithmetic.add(arithmetic.add(value, plan.start.value), plan.offset)
    hi = None if most is None or plan.start.hi is None else plan.start.hi + plan.offset + most
    return Scalar(value, True, 0, hi)


def _emit(
    ctx: Context, code: LoopCode, trip: _Trip, init: States, before: Heap, growth: ListGrowth
) -> States:
    state = trip.state
    yields = trip.yields()
    operands = state.join.coerce(init, state.xs, before) if state.join is not None else []
    args = (trip.index, *state.slots)
    cond = None
    if trip.cond is not None:
        builder, go = trip.cond
        cond = clone_region(Region(args, tuple(builder.ops), (go,)))  # arguments of its own
    count = None
    if code.items is not None:
        count = number_value(code.items.length, np.dtype(np.int64))
    bound = code.items.max_length if code.items is not None else None
    body = Region(args, tuple(trip.body.ops), tuple(yields))
    if not operands and not any(map(has_effect, body.ops)):
        results: tuple[Value, ...] = ()
    else:
        results = emit_loop(Loop(count, tuple(operands), cond, body, bound))
    for result, slot in zip(results, state.slots):
        result.name = slot.name
    return _after(ctx, code, state, results, before, growth)


def _after(
    ctx: Context,
    code: LoopCode,
    state: _State,
    results: Sequence[Value],
    before: Heap,
    growth: ListGrowth,
) -> States:
    """The state when the loop has run."""
    env = dict(zip(state.slots, results))
    heap = before.copy()
    heap.next_id, heap.alias_edges = state.heap.next_id, dict(state.heap.alias_edges)
    for id in state.headers:
        contents = substitute(state.heap[id], env)
        heap.objects[id] = (
            bounded_by_capacity(contents) if id in growth.found_capacity else contents
        )
    ctx.heap.restore(heap)
    for id, plan in growth.plans.items():
        count, contents = code.items.length, ctx.heap[id]
        if isinstance(contents, Invalidated):
            continue
        if is_static_int(count) and isinstance(plan.start, Static):
            total = plan.start.value + plan.offset + plan.step * count.value
            ctx.heap.objects[id] = replace(contents, base=Static(total), offset=0)
        elif is_static_int(count):
            offset = plan.offset + plan.step * count.value
            ctx.heap.objects[id] = replace(contents, base=plan.start, offset=offset)
        else:
            most = None if count.hi is None else plan.step * count.hi
            length = _planned_length(plan, count.value, most)
            ctx.heap.objects[id] = replace(contents, base=length, offset=0)
    return [substitute(x, env) for x in state.xs]
