"""The trail: reverse mode through a loop of any number of trips, in fixed memory.

Forwards, the loop records into a leaf, which holds the last BLOCK trips, and snapshots its carries
into SLOTS slots, at first each BLOCK trips; when the slots are full, every second one is dropped
and the stride doubles:

    trips     0   B   2B  3B  4B  5B  6B  7B  8B ...
    slots     0   1   2   3                            C = 4, stride B
              0       1       2       3                stride 2B

(The forward sweep fills no more than SLOTS - RESERVE of them.) Backwards, the trips in the leaf are
transformed at once: a loop of at most BLOCK trips costs what a tape costs. The others are replayed
from the slot before them, block by block into the leaf; slots that have become free take snapshots
on the way. One program serves all counts; memory is SLOTS snapshots and BLOCK records; each trip
runs about 3 + ½ log₂(trips / (SLOTS · BLOCK)) times at most.

A snapshot holds only carries that records depend on.  (P. Stumm and A. Walther, "New algorithms for
optimal online checkpointing", SIAM J. Sci. Comput. 32, 2010, is the idea of doubling strides.)
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.core import Value
from myia.passes.storage.leaf import Leaf
from myia.passes.storage.rows import read, stacked, write
from myia.primitives.arithmetic import add, mul, sub
from myia.primitives.control import if_, loop
from myia.primitives.define import constant, zeros
from myia.primitives.logic import (
    and_,
    convert,
    eq,
    ge,
    gt,
    le,
    not_,
    select,
    shift_left,
    shift_right,
)
from myia.primitives.shaping import broadcast, iota, slice
from myia.primitives.windows import dynamic_update_slice, static_indices

RESERVE = 8  # slots at most that the forward sweep leaves free, for the replays of the first trips


class Trail:
    """`initial` and `update` are further carries of the forward loop; `reverse` reads them."""

    def __init__(self, leaf: Leaf, slots: int, block: int):
        assert slots >= 4 and block & (block - 1) == 0
        self.cut, self.leaf = leaf.cut, leaf
        self.slots, self.block = slots, block
        self.filled = (slots - min(RESERVE, slots // 2)) // 2 * 2  # even: every second is dropped

    @property
    def bytes_per_trip(self) -> int:
        return self.leaf.bytes_per_trip

    def covers(self, trips: int | None) -> bool:
        """Are there so few trips that each is replayed only once?"""
        return trips is not None and trips <= self.filled * self.block

    # ----- Forwards

    def initial(self) -> list[Value]:
        """The slots, the leaf; the number of slots in use, their stride, the next to snapshot."""
        kept = [self.cut.xs[i].aval for i in self.cut.kept]
        slots = [zeros(stacked(aval, self.slots + 1)) for aval in kept]
        return [*slots, *self.leaf.initial(self.block), _int(0), _int(self.block), _int(0)]

    def update(self, k: Value, xs: Sequence[Value], extras: Sequence[Value]) -> list[Value]:
        slots, leaf, (used, stride, due) = self._parts(extras)
        kept = [xs[i] for i in self.cut.kept]
        leaf = self.leaf.record(leaf, k, kept, self._in_block(k))

        def snapshot():
            # A loop of one trip or none: XLA updates its arrays in place, unlike those of a branch.
            *thinned, room, wider = loop(
                [*slots, used, stride],
                lambda _, *xs: [
                    *map(self._thinned, xs[:-2]),
                    _int(self.filled // 2),
                    mul(stride, 2),
                ],
                count=convert(eq(used, self.filled), dtype=I64.dtype),
                bound=1,
            )
            filled = [write(s, x, room) for s, x in zip(thinned, kept)]
            more = add(room, 1)
            return [*filled, more, wider, mul(more, wider)]

        *slots, used, stride, due = if_(eq(k, due), snapshot, lambda: [*slots, used, stride, due])
        return [*slots, *leaf, used, stride, due]

    def _thinned(self, slots: Value) -> Value:
        """Every second slot, moved to the front."""
        rest = [0] * (slots.aval.ndim - 1)
        even = slice(
            slots,
            start=(0, *rest),
            limit=(self.filled, *slots.shape[1:]),
            stride=(2, *(1 for _ in rest)),
        )
        return dynamic_update_slice(slots, even, *static_indices([0, *rest]))

    # ----- Backwards

    def reverse(
        self, trips: Value, extras: Sequence[Value], state: Sequence[Value], last: Sequence[Value]
    ) -> Sequence[Value]:
        """`last`: the carries after the last trip."""
        slots, leaf, (used, stride, _) = self._parts(extras)
        shape = (self.slots + 1,)
        numbers = iota(shape=shape, axis=0, dtype=I64.dtype)
        positions = mul(numbers, broadcast(stride, shape=shape, dims=()))
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
        xs = loop(xs, lambda j, *xs: self.cut.step(add(start, j), xs), count=ahead)
        to = _choose((split, add(top, 1)), _int(self.slots))  # the last slot is never read
        slots = [write(s, x, to) for s, x in zip(slots, xs)]
        positions = write(positions, place, to)

        def replay(j, *carried):
            k, xs, leaf = add(place, j), carried[:n], carried[n:]
            leaf = self.leaf.record(leaf, k, xs, self._in_block(k))
            return [*self.cut.step(k, xs), *leaf]

        replays = _choose((in_leaf, _int(0)), back)
        results = loop([*xs, *leaf], replay, count=replays, bound=self.block)
        after = dict(zip(self.cut.kept, results[:n]))
        leaf = self.leaf.end(results[n:], replays, after, unless=in_leaf)

        def transform(j, *state):
            k = sub(sub(left, 1), j)
            return self.cut.transform(k, self.leaf.read(leaf, self._in_block(k)), state)

        state = loop(state, transform, count=back, bound=self.block)
        emptied = select(in_leaf, eq(start, held), short)
        top = _choose((emptied, sub(top, 1)), (split, add(top, 1)), top)
        return [sub(left, back), top, _int(-1), positions, *slots, *leaf, *state]

    def _stride(self, span: Value, free: Value) -> Value:
        """How far to the next snapshot: one block if slots suffice for all, else half the way."""
        shift = _int(self.block.bit_length() - 1)
        blocks = shift_right(add(span, self.block - 1), shift)
        half = shift_left(shift_right(blocks, _int(1)), shift)
        return _choose((le(sub(blocks, 1), free), _int(self.block)), half)

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
