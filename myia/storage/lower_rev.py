"""Lowers each `rev` to an ordinary loop that reads the residuals which a forward loop recorded.

    %y = for %k < 9 (%x = %x0) { %1 = sin %x; yield %1 }
    %g = rev for %k < 9 (%x = %x0) ct (%ct = %s of %x) {
      body { %1 = sin %x; yield %1 }
      adjoint { %2 = cos %x; %3 = mul %ct, %2; yield %3 }
    }
      ->
    %y, %b = for %k < 9 (%x = %x0, %b = zeros[9]) { ...; %b' = %x written into %b at %k }
    %g = for %j < 9 (%ct = %s) { %x = %b read at 8 - %j; %2 = cos %x; %3 = mul %ct, %2; yield %3 }

For each `rev`: find the loop that records (`pair_loops.py`), choose the storage
(`choose_storage.py`), let the loop carry it, and emit the adjoint loop.

It runs after all derivatives were taken, inner loops first. What an inner loop records is then an
ordinary value of the outer loop's body, which the outer loop records or recomputes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from myia.analysis.cost_model import ASSUMED_TRIP_COUNT
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.liveness import eliminate_dead_values
from myia.rewriting.value_numbering import Numbering
from myia.rewriting.walk import with_region
from myia.storage.checkpointing.online_checkpointing import OnlineCheckpointing
from myia.storage.choose_storage import Storage, StorageChoice, UndoLogs, price_of
from myia.storage.loops.induction_variables import substitute_induction_variables
from myia.storage.loops.loop_fusion import fuse_loops, with_unread_args
from myia.storage.loops.strip_mining import strip_mine
from myia.storage.model.memory_limits import Limits
from myia.storage.model.plan import LoopPlan
from myia.storage.pair_loops import ForwardLoop, forward_sweep, pair_loops, with_accumulators_only
from myia.storage.plan_text import plan_of
from myia.storage.undo_log.adjoint_with_undo import Restoration

DEFAULT = Limits()


def lower_rev(function: Function, limits: Limits = DEFAULT) -> Function:
    """`function` without `rev` ops."""
    return lower_and_plan(function, limits)[0]


def lower_and_plan(function: Function, limits: Limits = DEFAULT) -> tuple[Function, list[LoopPlan]]:
    """`function` without `rev` ops, and what was decided for each of them, inner ones first.

    Undo logs of inner loops pay only if the loops around them have some, too. So a program with
    undo logs is lowered in all three ways, and the cheapest is taken.
    """
    best = _lowered(function, limits, UndoLogs.FOR_ENCLOSING_LOOPS)
    for undo_logs in (UndoLogs.FOR_OWN_LOOP, UndoLogs.NONE):
        if any(plan.restored for plan in best[1]):
            other = _lowered(function, limits, undo_logs)
            # `min` takes the first of equal prices: the one with fewer undo logs.
            best = min(other, best, key=lambda lowered: price_of(lowered[1]))
    live = with_region(best[0], eliminate_dead_values(best[0].region))
    return strip_mine(live), best[1]


def _lowered(
    function: Function, limits: Limits, undo_logs: UndoLogs
) -> tuple[Function, list[LoopPlan]]:
    lowering = _Lowering(limits, undo_logs)
    region = lowering.region(function.region, ())
    return function.with_region(region), lowering.plans


class _Lowering:
    """The state of one walk through a program."""

    def __init__(self, limits: Limits, undo_logs: UndoLogs):
        self.limits, self.undo_logs = limits, undo_logs
        self.restorations: list[Restoration] = []
        self.plans: list[LoopPlan] = []
        self.env: Env = {}  # result of a `rev` -> result of its adjoint loop
        self.integers: dict[Value, int] = {}  # the values of constants
        self.checkpoint_data: set[Value] = set()  # snapshots and replay blocks of inner loops

    def region(
        self, region: Region, enclosing: tuple[int, ...], is_adjoint: bool = False
    ) -> Region:
        """`region` without `rev` ops; `enclosing`: the trip counts of the loops that it is in."""
        scope = _Scope(self, enclosing, is_adjoint)
        for op in region.ops:
            with at(op.span):
                scope.add(self.with_lowered_regions(op, enclosing))
        return Region(region.args, tuple(scope.ops), self.look_up(region.yields))

    def with_lowered_regions(self, op: Op, enclosing: tuple[int, ...]) -> Op:
        """`op` with regions without `rev`, and with the bound that a constant count implies."""
        operands, params = self.look_up(op.operands), op.params
        if op.primitive is constant_p and op.params["dtype"] == I64.dtype:
            self.integers[op.results[0]] = op.params["value"]
        regions = op.regions
        if op.primitive is rev_p:
            rev = Loop.of(Op(op.primitive, operands, params, regions, op.results, op.span))
            regions = (*regions[:-1], substitute_induction_variables(rev).adjoint_region)
        if op.primitive in (loop_p, rev_p):
            bound = self.bound(op)
            params = {**params, "bound": bound}
            enclosing = (*enclosing, ASSUMED_TRIP_COUNT if bound is None else bound)
        is_rev = op.primitive is rev_p
        regions = tuple(self.region(r, enclosing, is_rev and r is regions[-1]) for r in regions)
        return Op(op.primitive, operands, params, regions, op.results, op.span)

    def bound(self, op: Op) -> int | None:
        count = self.integers.get(op.operands[0]) if op.params["counted"] else None
        bounds = [b for b in (op.params["bound"], count) if b is not None]
        return max(0, min(bounds)) if bounds else None

    def look_up(self, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.env.get(x, x) for x in values)


class _Scope:
    """The ops of one region, while its `rev`s are lowered one after the other.

    `is_adjoint`: the region is the adjoint of a `rev`, which can use what inner ones restore.
    """

    def __init__(self, lowering: _Lowering, enclosing: tuple[int, ...], is_adjoint: bool):
        self.lowering = lowering
        self.enclosing = enclosing
        self.is_adjoint = is_adjoint
        self.ops: list[Op] = []
        self.numbering = Numbering(compare_loops=False)

    def add(self, op: Op) -> None:
        if op.params.get("bound") == 0:
            self.lowering.env.update(zip(op.results, Loop.of(op).initial))
        elif op.primitive is rev_p:
            self.lower_live(op)
        else:
            self.extend([op])

    def extend(self, ops: Sequence[Op]) -> None:
        self.ops += ops
        self.numbering.visit(ops)

    def lower_live(self, op: Op) -> None:
        """Lower a `rev` without its dead values; results that it leaves alone are known."""
        live = eliminate_dead_values(Region((), (op,), op.results))
        self.lowering.env.update(zip(op.results, live.yields))
        for op in live.ops:
            self.lower(op)

    def lower(self, op: Op) -> None:
        """Add the adjoint loop of a `rev`; the forward loop records what it reads."""
        rev = with_accumulators_only(op)
        paired = pair_loops(rev, self.ops, self.numbering)
        forward = paired or self.add_forward_sweep(rev)
        last = [self.ops[forward.position].results[i] for i in forward.mapping]
        storage, restored = self.choice(forward).with_best_undo_logs(
            rev, last, self.lowering.restorations, self.lowering.undo_logs, self.is_adjoint
        )
        extras, trip_count = self.record(forward, storage)
        with Builder() as b:
            accumulators = storage.split.rev.accumulators
            results = storage.adjoint_loop(trip_count, extras, accumulators, last)
        self.extend(b.ops)
        self.lowering.env.update(zip(op.results, results))
        for i, result in zip(restored, results[len(op.results) :], strict=True):
            self.lowering.restorations.append(Restoration(last[i], rev.carries[i], result))
        is_paired = paired is not None
        self.lowering.plans.append(plan_of(op, rev, storage, restored, is_paired, self.enclosing))

    def add_forward_sweep(self, rev: Loop) -> ForwardLoop:
        """Add a loop of its own for a `rev` with which no loop of the program can be paired."""
        self.extend(forward_sweep(rev))
        return ForwardLoop(len(self.ops) - 1, range(len(rev.carries)))

    def choice(self, forward: ForwardLoop) -> StorageChoice:
        lowering = self.lowering
        return StorageChoice(
            limits=lowering.limits,
            integers=lowering.integers,
            checkpoint_data=lowering.checkpoint_data,
            forward=self.ops[forward.position],
            mapping=forward.mapping,
            depends_on_it=self.depending_on(forward.position),
            is_inner=bool(self.enclosing),
        )

    def depending_on(self, position: int) -> set[Value]:
        """The values of this region that depend on the op at `position`."""
        later = self.ops[position + 1 :]
        effects = (y for op in later if has_effect(op) for y in op.results)
        return with_dependents({*self.ops[position].results, *effects}, later)

    def record(self, forward: ForwardLoop, storage: Storage) -> tuple[list[Value], Value]:
        """Let the forward loop carry the storage; its last values, and the trip count."""
        rev = storage.split.rev
        if not storage.split.residuals and rev.cond is None:
            return [], rev.trip_count
        old = self.ops[forward.position]
        with Builder() as b:
            initial = [*storage.initial_carries(), constant(0, I64.dtype)]
        new = _recording(old, forward.mapping, initial, storage)
        # The storage may read values that are defined after the loop. None of them depends on it
        # (`StorageChoice.depends_on_it`), so they can be computed before it.
        definitions = self.take_definitions(forward.position, reads(new))
        self.ops[forward.position : forward.position + 1] = [*definitions, *b.ops, new]
        *extras, trip_count = new.results[len(old.results) :]
        if isinstance(storage, OnlineCheckpointing):
            self.lowering.checkpoint_data.update(extras)
        return extras, trip_count if rev.cond is not None else rev.trip_count

    def take_definitions(self, position: int, values: Sequence[Value]) -> list[Op]:
        """Remove and return the ops after `position` that `values` are computed by."""
        moved = needed(self.ops[position + 1 :], values)
        self.ops = [op for op in self.ops if op not in moved]
        return moved


def _recording(op: Op, mapping: Sequence[int], initial: Sequence[Value], storage: Storage) -> Op:
    """The loop `op` that also carries the storage, and counts its iterations.

    Residuals are computed before the body: they read arrays before it writes them. Values that the
    body has, too, are computed once.
    """
    loop = Loop.of(op)
    more = tuple(Value(x.aval) for x in initial)
    k, *xs = loop.body.args
    with Builder() as b:
        updated = storage.updated_carries(k, [xs[i] for i in mapping], more[:-1])
        for inner in loop.body.ops:
            append(inner)
        yields = (*loop.body.yields, *updated, add(k, 1))
    body = fuse_loops(Region(loop.body.args + more, tuple(b.ops), yields))
    cond = loop.cond and with_unread_args(loop.cond, initial)
    carries = (*loop.carries, *initial)
    with Builder() as b, at(op.span):
        results = emit_loop(replace(loop, carries=carries, cond=cond, body=body))
    (new,) = b.ops
    # The old results stay the same values: later ops read them.
    results = op.results + results[len(op.results) :]
    return Op(new.primitive, new.operands, new.params, new.regions, results, new.span)
