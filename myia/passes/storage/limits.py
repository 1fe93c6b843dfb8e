"""How much memory storage may take."""

from __future__ import annotations

from dataclasses import dataclass

from myia.primitives.structured import Loop


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, and what is preferred.

    strategy    "auto"; "tape": a tape wherever there is a bound, whatever it takes; "trail"
    tape        for all records of one loop whose count has a static bound
    while_tape  the same of a `while`, which seldom reaches its bound
    leaf        for the trail's leaf
    inner_leaf  instead of these two in a loop, where they are cleared in each trip
    snapshots   for all slots of a trail; in a loop there are as few slots as may be
    blocks      least and most trips in a leaf: powers of two
    slots       least and most slots: multiples of four
    """

    strategy: str = "auto"
    tape: int = 1 << 30
    while_tape: int = 1 << 16
    leaf: int = 1 << 18
    inner_leaf: int = 1 << 10
    snapshots: int = 1 << 23
    blocks: tuple[int, int] = (16, 1 << 14)
    slots: tuple[int, int] = (16, 64)

    def capacity(self, loop: Loop, bytes_per_trip: int, inner: bool) -> int | None:
        """The size of an exact tape, or None where the trail is to be followed."""
        bound = loop.bound
        if bound is None or self.strategy == "trail":
            return None
        limit = self.tape
        if loop.cond is not None:
            limit = self.inner_leaf if inner else self.while_tape
        fits = self.strategy == "tape" or bound * bytes_per_trip <= limit
        return bound if fits else None

    def block(self, bytes_per_trip: int, inner: bool) -> int:
        """The number of trips in a trail's leaf."""
        wanted = (self.inner_leaf if inner else self.leaf) // max(1, bytes_per_trip)
        return _between(self.blocks, 1 << max(0, wanted.bit_length() - 1))

    def slot_count(self, snapshot_bytes: int, inner: bool) -> int:
        wanted = 0 if inner else self.snapshots // max(1, snapshot_bytes) // 4 * 4
        return _between(self.slots, wanted)


def _between(ends: tuple[int, int], wanted: int) -> int:
    least, most = ends
    return max(least, min(most, wanted))
