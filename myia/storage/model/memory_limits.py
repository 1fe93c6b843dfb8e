"""How much memory storage may take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from myia.primitives.core.structured import Loop
from myia.storage.model.revolve import runs

STRATEGIES = ("auto", "tape", "trail", "recompute")
LEAST_SLOTS = 4
LEAST_BLOCK = 2  # XLA unrolls loops of one trip, which then take more memory


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, and what is preferred.

    strategy    "auto"; "tape": a tape for every loop, which then must have a bound; "trail";
                "recompute": of a trip only its carries are recorded, all else is computed again
    budget      if given, of each loop's storage as a whole, where there is a choice; the sizes
                below are then not heeded
    tape        for all records of one loop whose count has a static bound
    while_tape  the same of a `while`, which seldom reaches its bound
    leaf        for the trail's leaf
    inner_leaf  instead of these two in a loop, where they are cleared in each trip
    snapshots   for all slots of a trail; in a loop there are as few slots as may be
    masks       from how many truths of a trip, and of all trips, a tape takes a bit for each of
                them, not a byte: those of small loops stay in the nearest cache as bytes, too
    blocks      least and most trips in a leaf: powers of two
    slots       least and most slots
    """

    strategy: str = "auto"
    budget: int | None = None
    tape: int = 1 << 30
    while_tape: int = 1 << 16
    leaf: int = 1 << 18
    inner_leaf: int = 1 << 10
    snapshots: int = 1 << 23
    masks: tuple[int, int] = (1 << 10, 1 << 16)
    blocks: tuple[int, int] = (16, 1 << 14)
    slots: tuple[int, int] = (16, 64)

    def with_budget(self, budget: int) -> Limits:
        return replace(self, budget=budget)

    def may_tape(self, loop: Loop) -> bool:
        """Could an exact tape be taken, if it is small enough?"""
        return loop.bound is not None and self.strategy != "trail"

    def capacity(self, loop: Loop, bytes_per_trip: int, inner: bool) -> int | None:
        """The size of an exact tape, or None where the trail is to be followed."""
        bound = loop.bound
        if not self.may_tape(loop):
            return None
        fits = self.strategy == "tape" or bound * bytes_per_trip <= self._tape(loop, inner)
        return bound if fits else None

    def _tape(self, loop: Loop, inner: bool) -> int:
        if self.budget is not None:
            return self.budget
        if loop.cond is None:
            return self.tape
        return self.inner_leaf if inner else self.while_tape

    def trail(self, sizes: Sizes, inner: bool, trips: int | None) -> tuple[int, int]:
        """The number of slots of a trail, and that of the trips in its leaf.

        `trips`: how many the loop makes at most, if that is known.
        """
        if self.budget is not None:
            return _within(self.budget - sizes.more, sizes, trips)
        wanted = (self.inner_leaf if inner else self.leaf) // max(1, sizes.record)
        block = _between(self.blocks, _power_of_two(wanted))
        slots = 0 if inner else self.snapshots // max(1, sizes.snapshot)
        return _between(self.slots, slots), block


@dataclass(frozen=True)
class Sizes:
    """Bytes of a trip in a leaf, of a leaf beside its trips, and of a snapshot."""

    record: int
    more: int
    snapshot: int


def _within(budget: int, sizes: Sizes, trips: int | None) -> tuple[int, int]:
    """Slots and block that take at most `budget` bytes, if the least ones do."""
    record, snapshot = max(1, sizes.record), max(1, sizes.snapshot)

    def slots(block: int) -> int:
        # One more is written to and never read; more than there are blocks are of no use.
        room = (budget - block * record) // snapshot - 1
        return max(LEAST_SLOTS, room if trips is None else min(room, -(-trips // block)))

    if trips is None:
        # Slots · block trips are replayed just once: most when both have half of the memory.
        block = max(LEAST_BLOCK, _power_of_two(max(0, budget) // 2 // record))
        return slots(block), block
    room = budget - (LEAST_SLOTS + 1) * snapshot
    most = max(LEAST_BLOCK, _power_of_two(max(1, room // record)))
    blocks = [1 << i for i in range(1, most.bit_length())]
    block = min(blocks, key=lambda block: runs(trips, slots(block), block))
    return slots(block), block


def _power_of_two(n: int) -> int:
    """The greatest that is at most n, or 1."""
    return 1 << max(0, n.bit_length() - 1)


def _between(ends: tuple[int, int], wanted: int) -> int:
    least, most = ends
    return max(least, min(most, wanted))
