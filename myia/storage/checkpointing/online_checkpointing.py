"""Online checkpointing: reverse mode through a loop of any number of iterations, in fixed memory.

Users call this strategy "trail". The forward sweep records into the replay block, which holds the
residuals of the last BLOCK iterations, and takes snapshots of its carries before some blocks
(`snapshots.py`). The reverse sweep transforms the iterations in the replay block first: a loop of
at most BLOCK iterations costs what a tape costs. Earlier iterations are replayed from the snapshot
before them, block by block, into the replay block. Snapshots that have become free are taken anew
on the way, where they save most replays (`revolve.py`). One program serves all trip counts, in the
memory of SNAPSHOTS snapshots and BLOCK residuals. A snapshot holds only the carries that residuals
depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from myia.analysis.cost_model import op_cost, region_cost
from myia.analysis.linear_indices import clamped_index
from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Value, Values
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import emit_loop, loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add, mul, sub, truncdiv
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import (
    and_,
    eq,
    ge,
    gt,
    le,
    lt,
    not_,
    select,
    shift_left,
    shift_right,
)
from myia.storage.checkpointing.replay_block import ReplayBlock
from myia.storage.checkpointing.snapshots import OfflineSnapshots, OnlineSnapshots
from myia.storage.loops.loop_fusion import fuse_loops
from myia.storage.model.revolve import forward_runs


class OnlineCheckpointing:
    """The snapshots and the replay block of a loop.

    `initial_carries` and `updated_carries` are further carries of the forward loop; `adjoint_loop`
    reads them. `trip_count`: None if it is not known at compile time.
    """

    def __init__(
        self,
        replay_block: ReplayBlock,
        snapshot_count: int,
        block_length: int,
        trip_count: int | None,
    ):
        # A power of two: the row of an iteration is the low bits of its index.
        assert snapshot_count >= 4 and block_length & (block_length - 1) == 0
        self.split, self.replay_block = replay_block.split, replay_block
        self.snapshot_count, self.block_length = snapshot_count, block_length
        self.snapshots: OfflineSnapshots | OnlineSnapshots
        if trip_count:
            self.snapshots = OfflineSnapshots(trip_count, snapshot_count, block_length)
        else:
            self.snapshots = OnlineSnapshots(snapshot_count, block_length)

    @property
    def bytes_per_iteration(self) -> int:
        return self.replay_block.bytes_per_iteration

    @property
    def recompute_ns(self) -> float:
        return self.split.recompute_ns

    @property
    def nbytes(self) -> int:
        snapshot = sum(self.split.carry_args[i].aval.nbytes for i in self.split.replayed_carries)
        rows = self.block_length * self.replay_block.bytes_per_iteration
        return rows + self.replay_block.extra_bytes + (self.snapshot_count + 1) * snapshot

    def forward_runs(self, trip_count: int | None) -> float:
        """How often each iteration is run forwards."""
        if trip_count is None:
            return inf
        return forward_runs(trip_count, self.snapshot_count, self.block_length)

    def work(self, trip_count: int | None) -> float:
        """The modelled cost, per iteration, of its forward runs and of what is recomputed."""
        step = region_cost(self.split.rev.body, in_place=True)
        return self.forward_runs(trip_count) * step + sum(map(op_cost, self.split.recomputed))

    # ----- Forwards

    def initial_carries(self) -> list[Value]:
        """Empty snapshots, an empty replay block, and the state of the snapshots."""
        avals = [self.split.carry_args[i].aval for i in self.split.replayed_carries]
        buffers = [zeros(rows_aval(aval, self.snapshot_count + 1)) for aval in avals]
        block = self.replay_block.initial_carries(self.block_length)
        return [*buffers, *block, *self.snapshots.initial_carries()]

    def updated_carries(
        self, k: Value, xs: Sequence[Value], extras: Sequence[Value]
    ) -> list[Value]:
        """The further carries after iteration `k`, which starts with the carries `xs`."""
        buffers, block, state = self._parts(extras)
        replayed = [xs[i] for i in self.split.replayed_carries]
        block = self.replay_block.record(block, k, replayed, self._row(k))
        updated = self.snapshots.updated_carries(k, buffers, replayed, state)
        return [*updated[: len(buffers)], *block, *updated[len(buffers) :]]

    # ----- Backwards

    def adjoint_loop(
        self,
        trip_count: Value,
        extras: Sequence[Value],
        cotangents: Sequence[Value],
        last: Sequence[Value],
    ) -> Sequence[Value]:
        """`last`: the carries after the last iteration."""
        buffers, block, state = self._parts(extras)
        positions, used = self.snapshots.positions(state), state[0]
        # The first iteration whose residuals the forward sweep has left in the replay block.
        held = and_(sub(trip_count, 1), _int(-self.block_length))
        block = self.replay_block.end(block, sub(trip_count, held), last)
        init = [trip_count, sub(used, 1), held, positions, *buffers, *block, *cotangents]
        results = loop(init, self._act, cond=lambda _, left, *rest: gt(left, _int(0)))
        return results[len(init) - len(cotangents) :]

    def _act(
        self, _: Value, left: Value, top: Value, held: Value, positions: Value, *rest: Value
    ) -> list[Value]:
        """One action: replay up to the next snapshot, or replay a block and transform it.

        `left` iterations are still to be transformed, `top` is the last snapshot in use. `held` is
        the first iteration in the replay block, or -1 if the block must be replayed first.
        """
        n = len(self.split.replayed_carries)
        buffers, block, cotangents = self._parts(rest)
        start = read_row(positions, top)
        span, free = sub(left, start), sub(_int(self.snapshot_count - 1), top)
        # Snapshots and held blocks begin at multiples of the block length. So once the held block
        # has been transformed, `left` and `span` are multiples, too.
        is_held, fits = ge(held, _int(0)), le(span, _int(self.block_length))
        has_free = gt(free, _int(0))
        far = and_(not_(is_held), not_(fits))
        takes_snapshot = and_(far, has_free)
        # Iterations to replay before the block, and iterations of the block to transform. Actions
        # differ in these trip counts, not by branches: XLA copies arrays that a branch changes.
        ahead = _choose(
            (takes_snapshot, self._stride(span, free)),
            (far, sub(span, self.block_length)),
            otherwise=_int(0),
        )
        back = _choose(
            (is_held, sub(left, held)),
            (fits, span),
            (has_free, _int(0)),
            otherwise=_int(self.block_length),
        )

        position = add(start, ahead)
        starts = [read_row(b, top) for b in buffers]
        xs = loop(
            starts, lambda j, *xs: self.split.emit_step(self._index(start, j), xs), count=ahead
        )
        # Written in any case: without a snapshot to the last row, which is never read.
        to = _choose((takes_snapshot, add(top, 1)), otherwise=_int(self.snapshot_count))
        buffers = [write_row(b, x, to) for b, x in zip(buffers, xs)]
        positions = write_row(positions, position, to)

        def replay(j: Value, *carried: Value) -> list[Value]:
            k, xs, block = self._index(position, j), carried[:n], carried[n:]
            recorded = self.replay_block.record(block, k, xs, self._row(k))
            return [*self.split.emit_step(k, xs), *recorded]

        replays = _choose((is_held, _int(0)), otherwise=back)
        init = [*xs, *block]
        body = fuse_loops(build_region([I64, *(x.aval for x in init)], replay))
        results = emit_loop(Loop(replays, tuple(init), None, body, self.block_length))
        after = dict(zip(self.split.replayed_carries, results[:n]))
        block = self.replay_block.end(results[n:], replays, after, unless=is_held)

        def transform(j: Value, *cotangents: Value) -> list[Value]:
            k = clamped_index(sub(sub(left, 1), j), self.split.rev.count)
            residuals = self.replay_block.read(block, self._row(k))
            return self.split.emit_adjoint(k, residuals, cotangents)

        cotangents = loop(cotangents, transform, count=back, bound=self.block_length)
        is_used_up = select(is_held, eq(start, held), fits)
        top = _choose((is_used_up, sub(top, 1)), (takes_snapshot, add(top, 1)), otherwise=top)
        return [sub(left, back), top, _int(-1), positions, *buffers, *block, *cotangents]

    def _stride(self, span: Value, free: Value) -> Value:
        """The iterations before the next snapshot.

        As `blocks_before_next_snapshot` in `revolve.py`, at run time; `free`: the snapshots that
        are free beside the one at the start.
        """
        shift = _int(self.block_length.bit_length() - 1)
        blocks = shift_right(add(span, self.block_length - 1), shift)
        # At least 2 even if none is free and the result is not used: the divisors stay positive.
        snapshots = maximum(add(free, 1), _int(2))

        def once_more(_: Value, t: Value, before: Value, reach: Value) -> list[Value]:
            t = add(t, 1)
            # (snapshots + t over t) from that of t - 1: the division is exact.
            return [t, reach, truncdiv(mul(reach, add(snapshots, t)), t)]

        # The least t with enough blocks; `before`: the blocks that t - 1 replays suffice for.
        t, before, _ = loop(
            [_int(0), _int(1), _int(1)], once_more, cond=lambda _, t, b, reach: lt(reach, blocks)
        )
        behind = truncdiv(mul(before, snapshots), sub(add(snapshots, t), 1))
        return shift_left(maximum(minimum(before, sub(blocks, behind)), _int(1)), shift)

    def _index(self, start: Value, j: Value) -> Value:
        """The index of the iteration that is `j` iterations after `start`."""
        return clamped_index(add(start, j), self.split.rev.count)

    def _row(self, k: Value) -> Value:
        """The row of iteration `k` in the replay block."""
        return and_(k, _int(self.block_length - 1))

    def _parts(self, extras: Values) -> tuple[Values, Values, Values]:
        """Snapshot buffers, replay block, and the rest."""
        n, m = len(self.split.replayed_carries), len(self.replay_block.columns)
        return extras[:n], extras[n : n + m], extras[n + m :]


def _int(n: int) -> Value:
    return constant(n, I64.dtype)


def _choose(*pairs: tuple[Value, Value], otherwise: Value) -> Value:
    """The value of the first pair (condition, value) whose condition holds."""
    result = otherwise
    for condition, value in reversed(pairs):
        result = select(condition, value, result)
    return result
