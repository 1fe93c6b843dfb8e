"""Chooses the storage of one `rev`: which residuals, on a tape or by online checkpointing.

Recording a value costs nanoseconds per byte. The price rises with the size of the tape, since what
fits the caches is cheap and fresh memory is not: at each price the minimum cut chooses the
residuals (`record_or_recompute.py`), and the first tape that fits its price is taken. If none fits,
the loop is checkpointed online. Undo logs are used where they save bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from myia.analysis.cost_model import (
    ASSUMED_TRIP_COUNT,
    extrema_of,
    max_trip_count,
    op_cost,
    record_cost,
)
from myia.ir.builder import current_span
from myia.ir.core import Op, Value, reads
from myia.ir.dependence import needed, with_dependents
from myia.primitives.core.structured import Loop
from myia.source.diagnostics import Diagnostic, MyiaError
from myia.storage.checkpointing.online_checkpointing import OnlineCheckpointing
from myia.storage.checkpointing.replay_block import ReplayBlock
from myia.storage.model.memory_limits import CheckpointBytes, Limits
from myia.storage.model.plan import LoopPlan
from myia.storage.residuals.iteration import Iteration
from myia.storage.residuals.record_or_recompute import (
    SplitAdjoint,
    choose_residuals,
    split_adjoint,
)
from myia.storage.tape.tape import Tape
from myia.storage.undo_log.adjoint_with_undo import Restoration, with_undo_logs
from myia.storage.undo_log.restoration import Carried

NOT_RECORDABLE = 1e12  # a cost

# (nanoseconds per byte recorded, bytes that a tape may have at this price)
PRICES = ((0.25, 1 << 22), (1.0, 1 << 28), (4.0, 1 << 40), (16.0, 1 << 50), (64.0, 1 << 60))
CHEAPEST = PRICES[0][0]

# Temporary arrays of so many bytes stay in the caches.
CACHED_BYTES = 1 << 22
# So many bytes are in pages that the C library keeps from call to call. More are in fresh pages at
# each call, which take some nanoseconds a byte.
REUSED_PAGE_BYTES = 24 << 20
NS_PER_FRESH_BYTE = 0.4


class NoBound(Diagnostic):
    """The user wants a tape for a loop whose length is not known."""

    title = "this loop cannot be recorded on a tape"
    label = "its number of iterations has no bound that is known at compile time"
    help = 'leave `checkpoint` at "auto", or loop over a range of static length and `break`'


class UndoLogs(Enum):
    """Which adjoints of loops restore arrays.

    They do where that saves bytes in an enclosing loop, only where it saves bytes in the loop
    itself, or nowhere.
    """

    FOR_ENCLOSING_LOOPS = auto()
    FOR_OWN_LOOP = auto()
    NONE = auto()


Storage = Tape | OnlineCheckpointing


@dataclass
class StorageChoice:
    """What the choice for one `rev` depends on.

    limits            of memory
    integers          constants of the program: value -> number
    checkpoint_data   values that hold the snapshots and replay blocks of inner loops
    forward           the loop that records, `mapping[i]` its carry that is carry i of the `rev`
    depends_on_it     the values of the region that depend on that loop
    is_inner          the `rev` is in another loop
    """

    limits: Limits
    integers: dict[Value, int]
    checkpoint_data: set[Value]
    forward: Op
    mapping: Sequence[int]
    depends_on_it: set[Value]
    is_inner: bool

    def with_best_undo_logs(
        self,
        rev: Loop,
        last: Sequence[Value],
        restorations: Sequence[Restoration],
        undo_logs: UndoLogs,
        in_adjoint: bool,
    ) -> tuple[Storage, list[int]]:
        """The storage with or without undo logs, whichever costs less; the carries restored.

        `last[i]` is carry i after the loop. `in_adjoint`: the `rev` is in the adjoint of another
        one, which need not record an array that this one restores. The log of all iterations may
        then be larger than the values read, by the bytes of the array.
        """
        is_eager = in_adjoint and undo_logs is UndoLogs.FOR_ENCLOSING_LOOPS
        best = self.storage(split_adjoint(rev))
        restored: Sequence[int] = ()
        candidates: Sequence[int] = (
            range(len(rev.carries)) if undo_logs is not UndoLogs.NONE else ()
        )
        while found := with_undo_logs(rev, last, restorations, candidates):
            with_logs, versions, candidates = found
            storage = self.storage(split_adjoint(with_logs, versions))
            more = priced_bytes(storage) - priced_bytes(best)
            saved = sum(rev.carries[i].aval.nbytes for i in candidates) if is_eager else 0
            if more * (rev.bound or ASSUMED_TRIP_COUNT) >= saved:
                break
            best, restored = storage, candidates
            if is_eager:
                break
            candidates = [i for i in candidates if i in _restored_carries_read(storage.split)]
            if candidates == restored:
                break
        return best, list(restored)

    def storage(self, split: SplitAdjoint) -> Storage:
        """The storage with the residuals that cost least."""
        after_forward_loop = with_dependents(self.depends_on_it, split.primal)
        iteration = Iteration(split, Loop.of(self.forward).body, self.mapping)
        limits, rev = self.limits, split.rev
        extrema = extrema_of(split.primal)

        def cost_of_recording(x: Value, price: float) -> float:
            # Checkpoint data have the same size for any trip count: replaying an inner loop takes
            # less than recording them.
            is_costly = price > CHEAPEST and x in self.checkpoint_data
            if is_costly or x in extrema:
                return NOT_RECORDABLE
            return record_cost(x.aval, price) * iteration.record_discount(x)

        @cache
        def choose(price: float) -> SplitAdjoint:
            return choose_residuals(
                split,
                record_cost=lambda x: cost_of_recording(x, price),
                recompute_cost=iteration.recompute_cost,
                is_recordable=lambda op: after_forward_loop.isdisjoint(reads(op)),
            )

        prices = PRICES[-1:] if limits.strategy == "recompute" else PRICES
        # Where no tape is allowed, one price tells whether anything has to be recorded at all.
        for price, most in prices if limits.allows_tape(rev) else prices[-1:]:
            chosen = choose(price)
            pairs = iteration.successors(chosen.residuals)
            tape = Tape(chosen, rev.bound, pairs, limits, self.is_inner)
            size = tape.bytes_per_iteration
            capacity = limits.tape_capacity(rev, size, self.is_inner)
            if not chosen.residuals or (capacity is not None and capacity * size <= most):
                return self._cheaper_checkpointing(tape, choose, iteration) or tape
        if limits.strategy == "tape":
            raise MyiaError(NoBound(current_span()))
        second_price = prices[min(1, len(prices) - 1)][0]
        checkpointing = self._checkpointing(choose(second_price), limits, iteration)
        if limits.budget is None:
            return checkpointing
        # Smaller residuals leave room for more snapshots and longer blocks: there are fewer
        # replays.
        smallest = self._checkpointing(choose(prices[-1][0]), limits, iteration)
        best = min(smallest, checkpointing, key=lambda storage: storage.work(rev.bound))
        # The residuals of a few iterations take less than the snapshots do at least.
        return tape if limits.allows_tape(rev) and tape.nbytes <= best.nbytes else best

    def _checkpointing(
        self, split: SplitAdjoint, limits: Limits, iteration: Iteration
    ) -> OnlineCheckpointing:
        block = ReplayBlock(split, iteration.successors(split.residuals))
        snapshot = sum(split.carry_args[i].aval.nbytes for i in split.replayed_carries)
        trip_count = self.integers.get(split.rev.trip_count) if split.rev.cond is None else None
        sizes = CheckpointBytes(block.bytes_per_iteration, block.extra_bytes, snapshot)
        lengths = limits.snapshots_and_block_length(sizes, self.is_inner, trip_count)
        return OnlineCheckpointing(block, *lengths, trip_count)

    def _cheaper_checkpointing(
        self, tape: Tape, choose: Callable[[float], SplitAdjoint], iteration: Iteration
    ) -> OnlineCheckpointing | None:
        """Checkpointing in place of a tape, where replays cost less than fresh memory.

        It is the smallest that replays each iteration at most once, if it has at most half the
        bytes of the tape.
        """
        limits, rev = self.limits, tape.split.rev
        is_free_choice = limits.strategy == "auto" and limits.budget is None
        is_counted_outer_loop = not self.is_inner and rev.cond is None
        if not (tape.bytes_per_iteration and is_free_choice and is_counted_outer_loop):
            return None
        tape_bytes, budget = tape.bytes_per_iteration * tape.rows, CACHED_BYTES
        if tape_bytes <= REUSED_PAGE_BYTES:
            return None
        split = choose(CHEAPEST)
        recorded = needed(split.primal, split.residuals, split.carry_args)
        step = (*rev.body.ops, *(op for op in recorded if op in iteration.only_in_adjoint))
        replay_ns = sum(op_cost(op, True, self._likely_trip_count) for op in step)
        while budget < tape_bytes / 2:
            storage = self._checkpointing(split, limits.with_budget(budget), iteration)
            replays = storage.forward_runs(rev.bound) - 1
            if replays < 1 and storage.nbytes <= budget:  # the smallest may exceed the budget
                fresh_bytes = tape_bytes - (budget if budget > REUSED_PAGE_BYTES else 0)
                is_cheaper = replays * replay_ns * tape.rows < NS_PER_FRESH_BYTE * fresh_bytes
                return storage if is_cheaper else None
            budget *= 2
        return None

    def _likely_trip_count(self, loop: Loop) -> float:
        """Half of the maximum for a count that varies, as that of the rows of a triangle."""
        most = max_trip_count(loop)
        return most if loop.count in self.integers else most / 2


def priced_bytes(storage: Storage | LoopPlan) -> float:
    """Bytes that an iteration records, and bytes at whose cheapest price it recomputes the rest."""
    return storage.bytes_per_iteration + storage.recompute_ns / CHEAPEST


def price_of(plans: Sequence[LoopPlan]) -> float:
    """The priced bytes of one run of a program; loops of unknown length count a few iterations."""
    return sum(
        priced_bytes(plan) * (plan.trip_count or ASSUMED_TRIP_COUNT) * plan.executions
        for plan in plans
    )


def _restored_carries_read(split: SplitAdjoint) -> set[int]:
    """The carries of which the adjoint reads a restored version."""
    read = {x for op in (*split.linear, *split.recomputed) for x in reads(op)}
    carries = set()
    for i, x in enumerate(split.carry_args):
        version = x
        versions = {x}
        while (made := split.versions.get(version)) and not isinstance(made, Carried):
            version = made.next
            versions.add(version)
        if version in split.versions and not read.isdisjoint(versions):
            carries.add(i)
    return carries
