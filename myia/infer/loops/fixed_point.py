"""Inference of loops: one IR loop, whose carries are found by iteration to a fixed point.

*What it computes*: the state at the start of an iteration (carries and heap) that holds for every
iteration, and the body inferred from it. Leaves that no iteration changes keep their exact value.
The others are *placeholders*: the carries of the IR loop.

The first round infers the body from the exact initial state. The state at its end is merged with
the state at its start (`infer/paths/merge.py`). Leaves that differ become placeholders, and the
body is inferred again, until the merge changes nothing.

*What it guarantees*: bounds of integers are widened, so the number of rounds is small. The last
fixed point of a loop is the first guess when the loop is visited again (a *refit*): so a nest of
depth d visits its innermost body O(d) times.

*When it gives up*: a carry changes its type, or a value must be known at compile time. The loop
then takes another form (`loop_forms.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.errors import LoopChangesType, NeedsChoice, NeedsStatic
from myia.infer.domain.heap import BufferObject, Heap, ListObject
from myia.infer.domain.mismatch import Mismatch, ObjectsDiffer, UnboundedGrowth, longer_list
from myia.infer.domain.values import Scalar, Static, is_static_int
from myia.infer.dynamic.unbounded import NO_BOUND
from myia.infer.lists import growing_lists
from myia.infer.lists.growing_lists import ListGrowth, bounded_by_capacity
from myia.infer.loops.affine_lengths import set_lengths, set_sizes
from myia.infer.loops.growing_arrays import check_sizes, note_sizes
from myia.infer.loops.list_steps import ListSteps
from myia.infer.loops.unrolling import (
    LoopCode,
    MayRaise,
    States,
    expect_few_iterations,
    expect_few_layers,
    expect_one_kind,
    stacks_arrays,
    takes_long,
)
from myia.infer.paths.merge_loop import LoopJoin, merge_iteration, merge_last_fixed_point
from myia.infer.paths.merge_result import MergeResult
from myia.infer.paths.merge_template import substitute
from myia.infer.paths.path_values import path_values
from myia.infer.paths.raised import may_have_raised
from myia.infer.paths.refit import FixedPoint
from myia.ir.avals import I64
from myia.ir.builder import Builder, current_span
from myia.ir.core import Region, Value, has_effect
from myia.ir.rewrite import clone_region
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise import logic

MAX_ROUNDS = 24
# A structure that an iteration grows, as a tree, doubles in each round: nothing would end that.
MAX_DOUBLINGS = 4


class ConditionHasEffects(Exception):
    """The condition changes objects: it cannot be a region of its own."""


@dataclass(frozen=True)
class _State:
    """The state at the start of an iteration, and the merge that made it."""

    xs: States
    heap: Heap
    merged: MergeResult


def compiled(ctx: Context, code: LoopCode, init: States, may_unroll: bool = True) -> States:
    """One IR loop. `may_unroll`: raise `FewIterations` where unrolled code costs less."""
    before = ctx.heap.copy()
    runs_every_iteration = code.items is not None and code.cond is None
    most = code.max_length
    growth = ListGrowth(
        most if most is not None and most < NO_BOUND else None,
        runs_every_iteration,
        capacities=ctx.capacities if code.key in ctx.capacities.loops else None,
        span=current_span(),
    )
    key = (ctx.path, code.key)
    state = _refit_last_fixed_point(ctx, key, init, before) or _State(init, before, MergeResult())
    dead_paths = 0  # paths that raise in the rounds that determined how far lists grow
    slips = len(ctx.slips)
    counts = [0]  # of the objects that the rounds have changed
    for _ in range(MAX_ROUNDS):
        del ctx.slips[slips:]
        resizes = bool(growth.sizes)
        ctx.loop_depth, ctx.resizing_loops = ctx.loop_depth + 1, ctx.resizing_loops + resizes
        try:
            iteration = _Iteration(ctx, code, state, growth, before)
        finally:
            ctx.loop_depth, ctx.resizing_loops = ctx.loop_depth - 1, ctx.resizing_loops - resizes
        found, growth = growth, iteration.growth
        if growth.found_steps.keys() - growth.sites.keys() - found.found_steps.keys():
            dead_paths = max(dead_paths, iteration.dead_paths)
        if iteration.never_runs:
            ctx.heap.restore(before)
            return init
        if may_unroll:
            expect_one_kind(code, init, iteration.outs)
        if ctx.prefers_static and iteration.merges_static_items():
            _prefer_known_lengths(ctx, code, init, before)
        if ctx.tracks_points_to and stacks_arrays(code.items, iteration.merged):
            ctx.needs_static("the items of a list, which are arrays of their own")
        if not iteration.merged.changed:
            if ctx.slips and not ctx.loop_depth:
                raise ctx.slips[0]
            if iteration.dead_paths < dead_paths:  # items appended there were not counted
                ctx.needs_static("how far a list grows in this loop")
            if may_unroll:
                body = Region((), tuple(iteration.body.ops), ())
                if iteration.index in ctx.stacked_reads:
                    expect_few_layers(code, body)
                if iteration.long_dynamic_slices:
                    expect_few_iterations(code, init, body, iteration.outs)
            merged = state.merged
            placeholders, objects = frozenset(merged.placeholders), frozenset(merged.objects)
            point = FixedPoint(init, state.xs, state.heap, before, placeholders, objects)
            steps = [step.most for step in growth.found_steps.values()]
            grown = growth.affine_lengths or growth.sizes or growth.rooms or any(steps)
            ctx.last_fixed_points[key] = (point, grown)
            return _emit(ctx, code, iteration, init, before)
        counts.append(len(iteration.merged.objects))
        if _keeps_doubling(counts):
            break
        state = _state_from(iteration.start, iteration.merged)
    if any(isinstance(contents, BufferObject) for contents in state.heap.objects.values()):
        ctx.needs_static("how far a list grows in this loop")
    other = "a value of another form in each iteration"
    ctx.fail(LoopChangesType, error=NeedsStatic, a="a value", b=other)


def _prefer_known_lengths(ctx: Context, code: LoopCode, init: States, before: Heap) -> None:
    """Unrolled, a loop over a list of strings leaves a list that takes other strings."""
    if code.items is not None:
        known = is_static_int(code.items.length)
    else:  # in the state before the loop, of which the first round may know less
        assert code.cond is not None
        heap = ctx.heap.copy()
        mark = ctx.mark()
        ctx.heap.restore(before)
        known = isinstance(code.cond(Static(None), init), Static)
        ctx.rewind(heap, mark)
    if known:
        ctx.prefer_static("the length of a list of compile-time values")


def _keeps_doubling(counts: Sequence[int]) -> bool:
    last = counts[-1 - MAX_DOUBLINGS :]
    return len(last) > MAX_DOUBLINGS and all(0 < 2 * a - 1 <= b for a, b in pairwise(last))


def _refit_last_fixed_point(ctx: Context, key: Any, init: States, before: Heap) -> _State | None:
    """The last fixed point of this loop as a first guess, fitted to the present state."""
    if key not in ctx.last_fixed_points:
        return None
    last, grown = ctx.last_fixed_points[key]
    # What `ListGrowth` knows of lists is stored under the ids of that visit.
    if grown or len(last.values) != len(init):
        return None
    try:
        merged = merge_last_fixed_point(last, init, before, ctx.tracks_points_to)
    except Mismatch:
        return None
    return _state_from(before, merged)


def _state_from(heap: Heap, merged: MergeResult) -> _State:
    """The state at the start of an iteration, with the placeholders of the merge."""
    heap = heap.copy()
    merged.update(heap, merged.placeholders)
    return _State(list(merged.template), heap, merged)


class _Iteration:
    """One round: condition and body inferred from a state, and merged with it."""

    def __init__(
        self, ctx: Context, code: LoopCode, state: _State, growth: ListGrowth, before: Heap
    ):
        self.state, self.growth, self.before = state, growth, before
        ctx.visits[code.key] = ctx.visits.get(code.key, 0) + 1
        ctx.heap.restore(state.heap)
        self.never_runs, self.dead_paths, self.long_dynamic_slices = False, 0, 0
        length = code.max_length
        self.index = Value(I64, "k")
        self.body = Builder()
        with self.body:
            index = Scalar(self.index, True, 0, None if length is None else length - 1)
            set_lengths(ctx, growth, index)
            set_sizes(ctx, growth, index)
        # Only now: lengths that follow from the index are part of the state at the start.
        self.start = ctx.heap.copy()
        self.infer_condition(ctx, code)
        if self.never_runs:
            return
        dead_paths, long_slices = ctx.dead_paths, ctx.long_dynamic_slices
        with self.body:
            item = code.items.item(index) if code.items is not None else Static(None)
            self.outs = list(code.body(item, state.xs))
        if may_have_raised(ctx) and not code.stops:
            raise MayRaise
        self.dead_paths = ctx.dead_paths - dead_paths
        self.long_dynamic_slices = ctx.long_dynamic_slices - long_slices
        self.end = ctx.heap.copy()
        self.merge_with_start(ctx, code)

    def infer_condition(self, ctx: Context, code: LoopCode) -> None:
        """Infer the condition, which becomes a region with arguments of its own."""
        self.cond: tuple[Builder, Value] | None = None
        if code.cond is None:
            return
        builder = Builder()
        with builder:
            go = code.cond(Static(None), self.state.xs)
            self.never_runs = isinstance(go, Static) and not go.value
            running = number_value(go, np.dtype(bool))
            failed = ctx.whole_error_code()
            # After an error values may be anything, and the condition might never become false.
            if code.items is None and failed is not None and not code.stops:
                running = logic.and_(running, logic.eq(failed, constant(0, np.int32)))
                ctx.capacities.counts_on = False
        if ctx.heap.written_since(self.start) or any(map(has_effect, builder.ops)):
            raise ConditionHasEffects
        self.cond = builder, running
        # The condition is a region of its own: its values are not defined in the body.
        ctx.heap.restore(self.start)

    def merge_with_start(self, ctx: Context, code: LoopCode) -> None:
        """Merge the state at the end of the iteration with the state at its start."""
        items = code.items
        state = self.state
        # Unrolled code has known sizes; it is a loop where that would take long to compile.
        length = None if items is None or code.cond is not None else items.length
        if isinstance(length, Static) and not ctx.unrolls_resizing_loops:
            long = takes_long(ctx, length.value, self.body.ops)
            self.growth = replace(
                self.growth, index=self.index if long or self.growth.sizes else None
            )
        join = LoopJoin(
            self.before,
            self.growth,
            frozenset(state.merged.placeholders),
            frozenset(state.merged.objects),
            state.merged.private_arrays,
            can_unroll=items is None or is_static_int(items.length),
            takes_objects=ctx.takes_objects,
            takes_arrays=ctx.names_are_exact,
            keeps_apart=ctx.keeps_apart,
        )
        start = state.xs, self.start
        try:
            self.merged = merge_iteration(join, start, self.last(), ctx.tracks_points_to)
            if self.merged.outgrown:
                with self.body:
                    check_sizes(ctx, self.merged.outgrown)
                self.end = ctx.heap.copy()
                self.merged = merge_iteration(join, start, self.last(), ctx.tracks_points_to)
        except Mismatch as m:
            if isinstance(m, UnboundedGrowth):
                ctx.capacities.miss(code.key)
            error = NeedsChoice if isinstance(m, ObjectsDiffer) else NeedsStatic
            ctx.fail(LoopChangesType, error=error, a=m.a, b=m.b, **m.help)
        assert self.merged.growth is not None
        self.growth = self.merged.growth
        ctx.has_resizing_loops |= bool(self.growth.sizes)

    def merges_static_items(self) -> bool:
        """Whether a list of strings or the like gets a length that only the run knows."""
        carried = self.merged.objects.keys() - self.growth.affine_lengths.keys()
        return any(
            isinstance(self.before.objects.get(id), ListObject)
            and isinstance(contents := self.merged.objects[id], BufferObject)
            and contents.template.has_static
            for id in carried
        )

    def last(self) -> tuple[States, Heap]:
        return self.outs, self.end

    def yields(self) -> list[Value]:
        """The next value of each placeholder of the state at the start."""
        with self.body:
            found = path_values(self.merged, self.outs, self.end)
        # At a fixed point each entry placeholder has one new placeholder, but their order may
        # differ.
        merged = self.merged
        after = {merged.replaced[new]: value for new, value in zip(merged.placeholders, found)}
        return [after[placeholder] for placeholder in self.state.merged.placeholders]


def _emit(
    ctx: Context, code: LoopCode, iteration: _Iteration, init: States, before: Heap
) -> States:
    """The loop; the heap is set to the state after it, whose carries are returned."""
    state, growth = iteration.state, iteration.growth
    yields = iteration.yields()
    operands = path_values(state.merged, init, before)
    args = (iteration.index, *state.merged.placeholders)
    cond = None
    if iteration.cond is not None:
        builder, go = iteration.cond
        cond = clone_region(Region(args, tuple(builder.ops), (go,)))  # arguments of its own
    count = None
    if code.items is not None:
        count = number_value(code.items.length, np.dtype(np.int64))
    body = Region(args, tuple(iteration.body.ops), tuple(yields))
    _require_steps(ctx, code, state, growth, body)
    # A loop that carries nothing and prints nothing computes nothing.
    if not operands and not any(map(has_effect, body.ops)):
        results: tuple[Value, ...] = ()
    else:
        results = emit_loop(Loop(count, tuple(operands), cond, body, code.max_length))
    for result, placeholder in zip(results, state.merged.placeholders):
        result.name = placeholder.name
    env = dict(zip(state.merged.placeholders, results))
    heap = before.copy()
    # Objects that the iterations made are gone. The may-alias edges that the rounds found stay.
    heap.next_id, heap.alias_edges = state.heap.next_id, dict(state.heap.alias_edges)
    for id in state.merged.objects:
        contents = substitute(state.heap[id], env)
        heap.objects[id] = bounded_by_capacity(contents) if id in growth.found_steps else contents
    ctx.heap.restore(heap)
    if code.items is not None:
        set_lengths(ctx, growth, code.items.length)
        set_sizes(ctx, growth, code.items.length)
    for id in state.merged.objects:
        growing_lists.count_items(ctx, id)
    note_sizes(ctx, growth)
    return [substitute(x, env) for x in state.xs]


def _require_steps(
    ctx: Context, code: LoopCode, state: _State, growth: ListGrowth, body: Region
) -> None:
    """Where iterations append more to a list than was taken for its room, that is not known."""
    carried = {x: i for i, x in enumerate(state.merged.placeholders)}
    for id, known in growth.found_steps.items():
        if id in growth.sites or id not in state.heap:
            continue
        contents = state.heap[id]
        if not isinstance(contents, BufferObject):
            continue
        start = contents.base.value
        if start not in carried:
            continue
        steps = ListSteps(body, start, known.longest)
        step = steps.net(body.yields[carried[start]])
        peak = steps.peak(ctx.checked_lengths)
        if (
            step is not None
            and max(step - known.most, known.longest + peak - contents.capacity) > 0
        ):
            ctx.capacities.miss(code.key)
            found = longer_list()
            ctx.fail(LoopChangesType, error=NeedsStatic, a=found.a, b=found.b, **found.help)
