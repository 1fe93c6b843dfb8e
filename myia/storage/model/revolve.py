"""How a loop is run backwards from few snapshots with the fewest replays.

    blocks   0   1   2   3   4   5        3 slots: after the first snapshot two more, then
    slots    ●           ●       ●        what is before each is replayed with those left

With s slots, and each block replayed at most t times, s + t over s blocks can be transformed. It
is the work for b blocks that matters, not for the slots: t is the least for which they suffice.
(A. Griewank and A. Walther, "Algorithm 799: revolve", ACM Trans. Math. Softw. 26, 2000.)
"""

from __future__ import annotations

from math import comb


def blocks(slots: int, t: int) -> int:
    """How many blocks can be transformed, if each is replayed at most t times."""
    return comb(slots + t, t)


def replays(count: int, slots: int) -> int:
    """How often a block is replayed at most to transform so many of them."""
    t = 0
    while blocks(slots, t) < count:
        t += 1
    return t


def runs(trips: int, slots: int, block: int) -> float:
    """How often a trip is run forwards on average, if `block` of them are recorded at a time."""
    if trips <= block:
        return 1.0
    count = -(-trips // block)
    t = replays(count, slots)
    return 1 + (t * count - comb(slots + t, t - 1)) * block / trips


def step(count: int, slots: int) -> int:
    """How many of so many blocks are before the next snapshot; `slots`: for it, others, this."""
    t = replays(count, slots)
    before = blocks(slots, t - 1)
    return max(1, min(before, count - before * slots // (slots + t - 1)))


def places(count: int, slots: int) -> list[int]:
    """The blocks before which the first sweep takes snapshots."""
    found, place = [0], 0
    while slots > 1 and count - place > 1:
        place += step(count - place, slots)
        found.append(place)
        slots -= 1
    return found
