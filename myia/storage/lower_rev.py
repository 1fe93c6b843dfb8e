"""The lowering of `rev`: reversed loops become ordinary loops that read what others recorded.

    %y = for %k < 9 (%x = %x0) { %1 = sin %x; yield %1 }
    %g = rev for %k < 9 (%x = %x0) ct (%ct = %s of %x) {
      body { %1 = sin %x; yield %1 }
      adjoint { %2 = cos %x; %3 = mul %ct, %2; yield %3 }
    }
      ->
    %y, %b = for %k < 9 (%x = %x0, %b = zeros[9]) { ...; %b' = %x written into %b at %k }
    %g = for %j < 9 (%ct = %s) { %x = %b read at 8 - %j; %2 = cos %x; %3 = mul %ct, %2; yield %3 }

It runs after all derivatives were taken, inner loops first, so that what an inner loop records is
a value of the outer loop's step like any other, which the outer loop records or computes again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, current_span
from myia.ir.core import Function, Op, Region, Value, has_effect, reads
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_region
from myia.passes.canonicalize.dce import eliminate_dead_code
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.value_numbering import Numbering
from myia.source.diagnostics import Diagnostic, MyiaError
from myia.storage.checkpointing.online_checkpointing import Trail
from myia.storage.checkpointing.replay_block import Leaf
from myia.storage.loops.induction_variables import invert_counters
from myia.storage.loops.loop_fusion import shared, with_more_args
from myia.storage.loops.strip_mining import strip_mine
from myia.storage.model.cost_model import (
    UNKNOWN_TRIPS,
    compared_with_operands,
    most_trips,
    op_cost,
    recording_cost,
)
from myia.storage.model.memory_limits import Limits, Sizes
from myia.storage.model.plan import LoopPlan
from myia.storage.plan_text import plan_of
from myia.storage.residuals.iteration import Trip
from myia.storage.residuals.record_or_recompute import Cut, carries_needed, choose_records, parted
from myia.storage.tape.tape import Tape
from myia.storage.undo_log.adjoint_with_undo import Restoration, with_undo
from myia.storage.undo_log.restoration import Last

# Nanoseconds for each byte recorded, and how many bytes a tape may have at this price: what fits
# the caches is cheap, fresh memory is not, and then the price rises until the records fit.
NEVER = 1e12
PRICES = ((0.25, 1 << 22), (1.0, 1 << 28), (4.0, 1 << 40), (16.0, 1 << 50), (64.0, 1 << 60))

# Temporary arrays of so many bytes stay in the caches, of so many in pages that the C library keeps
# from call to call. More are in fresh pages each time, which take so many nanoseconds a byte.
CACHED, KEPT = 1 << 22, 24 << 20
FRESH = 0.4

DEFAULT = Limits()


def lower_rev(function: Function, limits: Limits = DEFAULT) -> Function:
    """`function` without `rev` ops."""
    return lower_and_plan(function, limits)[0]


@dataclass(frozen=True)
class NoBound(Diagnostic):
    """A tape for a loop that nobody knows the length of."""

    title = "this loop cannot be recorded on a tape"
    label = "its number of trips has no bound that is known at compile time"
    help = 'leave `checkpoint` at "auto", or loop over a range of static length and `break`'


def lower_and_plan(function: Function, limits: Limits = DEFAULT) -> tuple[Function, list[LoopPlan]]:
    """`function` without `rev` ops, and what was decided for each of them, inner ones first.

    Undo logs of inner loops pay if those around them have some too; so all ways are tried.
    """
    found = _lowered(function, limits, Undo.FOR_OTHERS)
    for undo in (Undo.FOR_ITSELF, Undo.NONE):
        if any(plan.restored for plan in found[1]):
            other = _lowered(function, limits, undo)
            found = min(other, found, key=lambda lowered: _price(lowered[1]))
    return strip_mine(eliminate_dead_code(found[0])), found[1]


class Undo(Enum):
    """Which reversals of loops restore arrays: where that saves memory in the loop around it, only
    where it does so in the loop itself, or none.
    """

    FOR_OTHERS = auto()
    FOR_ITSELF = auto()
    NONE = auto()


def _lowered(function: Function, limits: Limits, undo: Undo) -> tuple[Function, list[LoopPlan]]:
    lowering = _Lowering(limits, undo)
    region = lowering.region(function.region, ())
    return function.with_region(region), lowering.plans


def _in_bytes(of: Tape | Trail | LoopPlan) -> float:
    """Bytes that a trip records, and those that could be for what it computes again."""
    return of.bytes_per_trip + of.again / PRICES[0][0]


def _price(plans: Sequence[LoopPlan]) -> float:
    """Of one run of the program; of loops of unknown counts that of a few trips."""
    return sum(_in_bytes(plan) * (plan.trips or UNKNOWN_TRIPS) * plan.turns for plan in plans)


class _Lowering:
    def __init__(self, limits: Limits, undo: Undo):
        self.limits, self.undo = limits, undo
        self.restorations: list[Restoration] = []
        self.plans: list[LoopPlan] = []
        self.env: Env = {}  # what the results of each `rev` have become
        self.integers: dict[Value, int] = {}  # the values of constants
        self.trails: set[Value] = set()  # what trails of inner loops hold

    def region(self, region: Region, around: tuple[int, ...], of_rev: bool = False) -> Region:
        """`around`: the trips of the loops that it is in."""
        scope = _Scope(self, around, of_rev)
        for op in region.ops:
            with at(op.span):
                scope.add(self.lowered(op, around))
        return Region(region.args, tuple(scope.ops), self.look_up(region.yields))

    def lowered(self, op: Op, around: tuple[int, ...]) -> Op:
        """`op` with regions that hold no `rev`; loops know the bound that their count implies."""
        operands, params = self.look_up(op.operands), op.params
        if op.primitive is constant_p and op.params["dtype"] == I64.dtype:
            self.integers[op.results[0]] = op.params["value"]
        regions = op.regions
        if op.primitive is rev_p:
            parts = Loop.of(Op(op.primitive, operands, params, regions, op.results, op.span))
            regions = (*regions[:-1], invert_counters(parts).adjoint)
        if op.primitive in (loop_p, rev_p):
            params = {**params, "bound": self.bound(op)}
            around = (*around, UNKNOWN_TRIPS if params["bound"] is None else params["bound"])
        of_rev = op.primitive is rev_p
        regions = tuple(self.region(r, around, of_rev and r is regions[-1]) for r in regions)
        return Op(op.primitive, operands, params, regions, op.results, op.span)

    def bound(self, op: Op) -> int | None:
        count = self.integers.get(op.operands[0]) if op.params["counted"] else None
        bounds = [b for b in (op.params["bound"], count) if b is not None]
        return max(0, min(bounds)) if bounds else None

    def likely_trips(self, loop: Loop) -> float:
        """Of a count that varies, as that of a triangle's rows, half of the most."""
        return most_trips(loop) if loop.count in self.integers else most_trips(loop) / 2

    def look_up(self, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.env.get(x, x) for x in values)


class _Scope:
    """The ops of one region, while its `rev`s are lowered one after the other.

    `of_rev`: it is the adjoint of a `rev`, which can go on from what those within it restore.
    """

    def __init__(self, lowering: _Lowering, around: tuple[int, ...], of_rev: bool):
        self.lowering = lowering
        self.around = around
        self.of_rev = of_rev
        self.ops: list[Op] = []
        self.numbering = Numbering(compare_loops=False)

    def add(self, op: Op) -> None:
        if op.params.get("bound") == 0:
            self.lowering.env.update(zip(op.results, Loop.of(op).initial))
        elif op.primitive is rev_p:
            self.reverse(op)
        else:
            self.extend([op])

    @property
    def eager(self) -> bool:
        return self.of_rev and self.lowering.undo is Undo.FOR_OTHERS

    def extend(self, ops: Sequence[Op]) -> None:
        self.ops += ops
        self.numbering.visit(ops)

    # ----- One `rev`

    def reverse(self, op: Op) -> None:
        parts = Loop.of(op)
        parts = _with_carries(parts, carries_needed(parts))
        found = self.pair(parts)
        index, mapping = found or self.forward_sweep(parts)
        last = [self.ops[index].results[i] for i in mapping]
        storage, restored = self.best_storage(parts, last, index, mapping)
        extras, trips = self.record(index, mapping, storage)
        with Builder() as b:
            results = storage.reverse(trips, extras, storage.cut.parts.accumulators, last)
        self.extend(b.ops)
        self.lowering.env.update(zip(op.results, results))
        for i, result in zip(restored, results[len(op.results) :], strict=True):
            self.lowering.restorations.append(Restoration(last[i], parts.carries[i], result))
        self.lowering.plans.append(
            plan_of(op, parts, storage, restored, found is not None, self.around)
        )

    def best_storage(
        self, parts: Loop, last: Sequence[Value], index: int, mapping: Sequence[int]
    ) -> tuple[Tape | Trail, list[int]]:
        """With or without undo logs, whichever costs less; and the carries that are restored.

        What is restored for an enclosing loop, too, need not be recorded there: as many bytes as
        the array has may the log of all trips be larger than the values read.
        """
        best, restored = self.storage(parted(parts), index, mapping), []
        among = range(len(parts.carries)) if self.lowering.undo is not Undo.NONE else ()
        while found := with_undo(parts, last, self.lowering.restorations, among):
            with_logs, versions, among = found
            storage = self.storage(parted(with_logs, versions), index, mapping)
            more = _in_bytes(storage) - _in_bytes(best)
            spared = sum(parts.carries[i].aval.nbytes for i in among) if self.eager else 0
            if more * (parts.bound or UNKNOWN_TRIPS) >= spared:
                break
            best, restored = storage, among
            if self.eager:
                break
            among = [i for i in among if i in _useful(storage.cut)]
            if among == restored:
                break
        return best, list(restored)

    def pair(self, parts: Loop) -> tuple[int, list[int]] | None:
        """The index of a loop that follows the same trajectory, and which carry is which there."""
        for i in reversed(range(len(self.ops))):
            if self.ops[i].primitive is loop_p:
                mapping = self.numbering.matching_carries(parts, Loop.of(self.ops[i]))
                if mapping is not None:
                    return i, mapping
        return None

    def forward_sweep(self, parts: Loop) -> tuple[int, list[int]]:
        """A loop of its own for a `rev` whose trips no loop of the program makes."""
        cond = parts.cond and clone_region(parts.cond)
        with Builder() as b:
            emit_loop(Loop(parts.count, parts.carries, cond, clone_region(parts.body), parts.bound))
        self.extend(b.ops)
        return len(self.ops) - 1, list(range(len(parts.carries)))

    def storage(self, cut: Cut, index: int, mapping: Sequence[int]) -> Tape | Trail:
        late = with_dependents(self.depending_on(index), cut.primal)
        trip = Trip(cut, Loop.of(self.ops[index]).body, mapping)
        limits, parts = self.lowering.limits, cut.parts

        compared = compared_with_operands(cut.primal)

        def recording(x: Value, price: float) -> float:
            # A trail has its size however few trips there are: to run them again takes less.
            costly = price > PRICES[0][0] and x in self.lowering.trails
            return (
                NEVER
                if costly or x in compared
                else recording_cost(x.aval, price) * trip.discount(x)
            )

        @cache
        def choose(price: float) -> Cut:
            return choose_records(
                cut,
                recording=lambda x: recording(x, price),
                again=lambda op: 0 if op in trip.only_in_adjoint else op_cost(op),
                recordable=lambda op: late.isdisjoint(reads(op)),
            )

        prices = PRICES[-1:] if limits.strategy == "recompute" else PRICES
        # Where no tape is possible, it is asked only whether anything has to be recorded at all.
        for price, most in prices if limits.may_tape(parts) else prices[-1:]:
            chosen = choose(price)
            pairs, inner = trip.successors(chosen.records), bool(self.around)
            tape = Tape(chosen, parts.bound, pairs, limits, inner)
            size = tape.bytes_per_trip
            capacity = limits.capacity(parts, size, inner)
            if not chosen.records or (capacity is not None and capacity * size <= most):
                return self.shorter(tape, choose, trip) or tape
        if limits.strategy == "tape":
            raise MyiaError(NoBound(current_span()))
        found = self.trail(choose(prices[min(1, len(prices) - 1)][0]), limits, trip)
        if limits.budget is None:
            return found
        # The fewer bytes a record has, the fewer replays there are.
        small = self.trail(choose(prices[-1][0]), limits, trip)
        best = min(small, found, key=lambda trail: trail.work(parts.bound))
        # The records of a few trips take less than the snapshots of any trail.
        return tape if limits.may_tape(parts) and tape.nbytes <= best.nbytes else best

    def trail(self, cut: Cut, limits: Limits, trip: Trip) -> Trail:
        leaf = Leaf(cut, trip.successors(cut.records))
        snapshot = sum(cut.xs[i].aval.nbytes for i in cut.kept)
        counted = cut.parts.cond is None
        trips = self.lowering.integers.get(cut.parts.count) if counted else None
        sizes = Sizes(leaf.bytes_per_trip, leaf.bytes_more, snapshot)
        return Trail(leaf, *limits.trail(sizes, bool(self.around), trips), trips)

    def shorter(self, tape: Tape, choose: Callable[[float], Cut], trip: Trip) -> Trail | None:
        """A trail in the place of a tape, where to run the trips again costs less than memory.

        The smallest that runs them just once more, if that has half of the tape's bytes at most.
        """
        limits, parts = self.lowering.limits, tape.cut.parts
        freely = limits.strategy == "auto" and limits.budget is None
        if not tape.bytes_per_trip or not freely or self.around or parts.cond is not None:
            return None
        taped, budget = tape.bytes_per_trip * parts.bound, CACHED
        if taped <= KEPT:
            return None
        cut = choose(PRICES[0][0])
        recorded = needed(cut.primal, cut.records, cut.xs)
        step = (*parts.body.ops, *(op for op in recorded if op in trip.only_in_adjoint))
        again = sum(op_cost(op, True, self.lowering.likely_trips) for op in step)
        while budget < taped / 2:
            found = self.trail(cut, limits.with_budget(budget), trip)
            replays = found.runs(parts.bound) - 1
            if replays < 1 and found.nbytes <= budget:  # the least there is may take more
                saved = FRESH * (taped - (budget if budget > KEPT else 0))
                return found if replays * again * parts.bound < saved else None
            budget *= 2
        return None

    def depending_on(self, index: int) -> set[Value]:
        """The values of this region that depend on the op at `index`."""
        late = self.ops[index + 1 :]
        effects = (y for op in late if has_effect(op) for y in op.results)
        return with_dependents({*self.ops[index].results, *effects}, late)

    def record(
        self, index: int, mapping: Sequence[int], storage: Tape | Trail
    ) -> tuple[list[Value], Value]:
        """Let the loop at `index` carry the storage; its last values, and the number of trips."""
        parts = storage.cut.parts
        if not storage.cut.records and parts.cond is None:
            return [], parts.count
        old = self.ops[index]
        with Builder() as b:
            initial = [*storage.initial(), constant(0, I64.dtype)]
        new = _recording(old, mapping, initial, storage)
        definitions = self.take_definitions(index, reads(new))
        self.ops[index : index + 1] = [*definitions, *b.ops, new]
        *extras, trips = new.results[len(old.results) :]
        if isinstance(storage, Trail):
            self.lowering.trails.update(extras)
        return extras, trips if parts.cond is not None else parts.count

    def take_definitions(self, index: int, values: Sequence[Value]) -> list[Op]:
        """Remove and return the ops after `index` that define `values` and what these depend on."""
        moved = needed(self.ops[index + 1 :], values)
        self.ops = [op for op in self.ops if op not in moved]
        return moved


# ----- The forward loop


def _recording(
    op: Op, mapping: Sequence[int], initial: Sequence[Value], storage: Tape | Trail
) -> Op:
    """The loop `op` with the storage and a count of trips as further carries.

    What it records is read before the body writes; results of the step are not computed twice.
    """
    loop = Loop.of(op)
    more = tuple(Value(x.aval) for x in initial)
    k, *xs = loop.body.args
    with Builder() as b:
        updated = storage.update(k, [xs[i] for i in mapping], more[:-1])
        for inner in loop.body.ops:
            append(inner)
        yields = (*loop.body.yields, *updated, add(k, 1))
    body = shared(Region(loop.body.args + more, tuple(b.ops), yields))
    cond = loop.cond and with_more_args(loop.cond, initial)
    carries = (*loop.carries, *initial)
    with Builder() as b, at(op.span):
        results = emit_loop(replace(loop, carries=carries, cond=cond, body=body))
    (new,) = b.ops
    results = op.results + results[len(op.results) :]
    return Op(new.primitive, new.operands, new.params, new.regions, results, new.span)


# ----- Choices


def _with_carries(parts: Loop, kept: Sequence[int]) -> Loop:
    """The `rev` with these carries only; every λ is an accumulator like the others."""
    n = len(parts.carries)

    def args(region: Region) -> tuple[Value, ...]:
        k, *rest = region.args
        return (k, *(rest[i] for i in kept), *rest[n:])

    cond, body, adjoint = parts.cond, parts.body, parts.adjoint
    yields = tuple(body.yields[i] for i in kept)
    return replace(
        parts,
        carries=tuple(parts.carries[i] for i in kept),
        cond=cond and Region(args(cond), tuple(needed(cond.ops, cond.yields)), cond.yields),
        body=Region(args(body), tuple(needed(body.ops, yields)), yields),
        adjoint=Region(args(adjoint), tuple(needed(adjoint.ops, adjoint.yields)), adjoint.yields),
        active=(),
        seeds=(),
        accumulators=parts.seeds + parts.accumulators,
    )


def _useful(cut: Cut) -> set[int]:
    """The carries of whose restored versions the reversal reads anything."""
    read = {x for op in (*cut.linear, *cut.late) for x in reads(op)}
    useful = set()
    for i, x in enumerate(cut.xs):
        version = x
        found = {x}
        while version in cut.versions and not isinstance(cut.versions[version], Last):
            version = cut.versions[version].next
            found.add(version)
        if version in cut.versions and not read.isdisjoint(found):
            useful.add(i)
    return useful
