"""The trail: reverse mode through a loop of any number of trips, in fixed memory.

Forwards, the loop records into a leaf, which holds the last BLOCK trips, and takes snapshots of its
carries before some blocks (`snapshots.py`). Backwards, the trips in the leaf are transformed at
once: a loop of at most BLOCK trips costs what a tape costs. The others are replayed from the slot
before them, block by block into the leaf; slots that have become free take snapshots on the way,
where that saves most (`binomial.py`). One program serves all counts; memory is SLOTS snapshots and
BLOCK records. A snapshot holds only carries that records depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Value
from myia.passes.analysis.linear_indices import clamped_index
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
from myia.storage.checkpointing.replay_block import Leaf
from myia.storage.checkpointing.snapshots import Doubling, Planned
from myia.storage.loops.loop_fusion import shared
from myia.storage.model.cost_model import op_cost, region_cost
from myia.storage.model.iteration_rows import read, stacked, write
from myia.storage.model.revolve import runs


class Trail:
    """`initial` and `update` are further carries of the forward loop; `reverse` reads them."""

    def __init__(self, leaf: Leaf, slots: int, block: int, trips: int | None):
        assert slots >= 4 and block & (block - 1) == 0
        self.cut, self.leaf = leaf.cut, leaf
        self.slots, self.block = slots, block
        self.snapshots = Planned(trips, slots, block) if trips else Doubling(slots, block)

    @property
    def bytes_per_trip(self) -> int:
        return self.leaf.bytes_per_trip

    @property
    def again(self) -> float:
        return self.cut.again

    @property
    def nbytes(self) -> int:
        snapshot = sum(self.cut.xs[i].aval.nbytes for i in self.cut.kept)
        leaf = self.block * self.leaf.bytes_per_trip + self.leaf.bytes_more
        return leaf + (self.slots + 1) * snapshot

    def runs(self, trips: int | None) -> float:
        """How often each trip is run forwards."""
        return inf if trips is None else runs(trips, self.slots, self.block)

    def work(self, trips: int | None) -> float:
        """What it costs to run a trip so often, and to compute again what is not recorded."""
        step = region_cost(self.cut.parts.body, in_place=True)
        return self.runs(trips) * step + sum(map(op_cost, self.cut.late))

    # ----- Forwards

    def initial(self) -> list[Value]:
        """The slots, the leaf, and what snapshots need."""
        kept = [self.cut.xs[i].aval for i in self.cut.kept]
        slots = [zeros(stacked(aval, self.slots + 1)) for aval in kept]
        return [*slots, *self.leaf.initial(self.block), *self.snapshots.initial()]

    def update(self, k: Value, xs: Sequence[Value], extras: Sequence[Value]) -> list[Value]:
        slots, leaf, state = self._parts(extras)
        kept = [xs[i] for i in self.cut.kept]
        leaf = self.leaf.record(leaf, k, kept, self._in_block(k))
        found = self.snapshots.update(k, slots, kept, state)
        return [*found[: len(slots)], *leaf, *found[len(slots) :]]

    # ----- Backwards

    def reverse(
        self, trips: Value, extras: Sequence[Value], state: Sequence[Value], last: Sequence[Value]
    ) -> Sequence[Value]:
        """`last`: the carries after the last trip."""
        slots, leaf, snapshots = self._parts(extras)
        positions, used = self.snapshots.positions(snapshots), snapshots[0]
        held = and_(sub(trips, 1), _int(-self.block))  # the first trip whose records are there
        leaf = self.leaf.end(leaf, sub(trips, held), last)
        init = [trips, sub(used, 1), held, positions, *slots, *leaf, *state]
        results = loop(init, self._act, cond=lambda _, left, *rest: gt(left, _int(0)))
        return results[len(init) - len(state) :]

    def _act(self, _, left, top, held, positions, *rest):
        """One action: replay to the next place of a snapshot, or replay a block and transform it.

        `left` trips are still to be transformed, `top` is the last slot in use.
        """
        n = len(self.cut.kept)
        slots, leaf, state = self._parts(rest)
        start = read(positions, top)
        span, free = sub(left, start), sub(_int(self.slots - 1), top)
        in_leaf, short, room = ge(held, _int(0)), le(span, _int(self.block)), gt(free, _int(0))
        far = and_(not_(in_leaf), not_(short))
        split = and_(far, room)
        ahead = _choose((split, self._stride(span, free)), (far, sub(span, self.block)), _int(0))
        back = _choose((in_leaf, sub(left, held)), (short, span), (room, _int(0)), _int(self.block))

        place = add(start, ahead)
        xs = [read(s, top) for s in slots]
        xs = loop(xs, lambda j, *xs: self.cut.step(self._index(start, j), xs), count=ahead)
        to = _choose((split, add(top, 1)), _int(self.slots))  # the last slot is never read
        slots = [write(s, x, to) for s, x in zip(slots, xs)]
        positions = write(positions, place, to)

        def replay(j, *carried):
            k, xs, leaf = self._index(place, j), carried[:n], carried[n:]
            leaf = self.leaf.record(leaf, k, xs, self._in_block(k))
            return [*self.cut.step(k, xs), *leaf]

        replays = _choose((in_leaf, _int(0)), back)
        init = [*xs, *leaf]
        trip = shared(build_region([I64, *(x.aval for x in init)], replay))
        results = emit_loop(Loop(replays, tuple(init), None, trip, self.block))
        after = dict(zip(self.cut.kept, results[:n]))
        leaf = self.leaf.end(results[n:], replays, after, unless=in_leaf)

        def transform(j, *state):
            k = clamped_index(sub(sub(left, 1), j), self.cut.parts.count)
            return self.cut.transform(k, self.leaf.read(leaf, self._in_block(k)), state)

        state = loop(state, transform, count=back, bound=self.block)
        emptied = select(in_leaf, eq(start, held), short)
        top = _choose((emptied, sub(top, 1)), (split, add(top, 1)), top)
        return [sub(left, back), top, _int(-1), positions, *slots, *leaf, *state]

    def _stride(self, span: Value, free: Value) -> Value:
        """How far to the next snapshot: as `binomial.step`, where slots are free beside this."""
        shift = _int(self.block.bit_length() - 1)
        blocks = shift_right(add(span, self.block - 1), shift)
        slots = maximum(add(free, 1), _int(2))

        def once_more(_, t, before, reach):
            t = add(t, 1)
            return [t, reach, truncdiv(mul(reach, add(slots, t)), t)]

        t, before, _ = loop(
            [_int(0), _int(1), _int(1)], once_more, cond=lambda _, t, b, reach: lt(reach, blocks)
        )
        behind = truncdiv(mul(before, slots), sub(add(slots, t), 1))
        return shift_left(maximum(minimum(before, sub(blocks, behind)), _int(1)), shift)

    def _index(self, start: Value, j: Value) -> Value:
        """The index of the trip that is `j` trips after `start`."""
        return clamped_index(add(start, j), self.cut.parts.count)

    def _in_block(self, k: Value) -> Value:
        return and_(k, _int(self.block - 1))

    def _parts(self, extras: Sequence[Value]):
        n, m = len(self.cut.kept), len(self.leaf.columns)
        return extras[:n], extras[n : n + m], extras[n + m :]


def _int(n: int) -> Value:
    return constant(n, I64.dtype)


def _choose(*choices) -> Value:
    """The value of the first pair (condition, value) that holds; the last choice is the default."""
    *pairs, result = choices
    for condition, value in reversed(pairs):
        result = select(condition, value, result)
    return result
