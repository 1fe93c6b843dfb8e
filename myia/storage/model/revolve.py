"""Optimal checkpointing (revolve): which snapshots transform a loop with the fewest replays.

    blocks      0   1   2   3   4   5      3 snapshots: after the first one two more, then
    snapshots   ●           ●       ●      the blocks before each are replayed with the rest

With s snapshots, and each block replayed at most t times, (s + t over s) blocks can be transformed.
The cost is the number of replays, not that of snapshots: t is the least for which they suffice.
(A. Griewank and A. Walther, "Algorithm 799: revolve", ACM Trans. Math. Softw. 26, 2000.)
"""

from __future__ import annotations

from math import comb


def max_blocks(snapshot_count: int, t: int) -> int:
    """How many blocks can be transformed if each is replayed at most t times."""
    return comb(snapshot_count + t, t)


def max_replays(block_count: int, snapshot_count: int) -> int:
    """How often a block is replayed at most when `block_count` blocks are transformed."""
    t = 0
    while max_blocks(snapshot_count, t) < block_count:
        t += 1
    return t


def forward_runs(trip_count: int, snapshot_count: int, block_length: int) -> float:
    """How often an iteration is run forwards on average, with blocks of `block_length` recorded."""
    if trip_count <= block_length:
        return 1.0
    block_count = -(-trip_count // block_length)
    t = max_replays(block_count, snapshot_count)
    replays = t * block_count - comb(snapshot_count + t, t - 1)
    return 1 + replays * block_length / trip_count


def blocks_before_next_snapshot(block_count: int, snapshot_count: int) -> int:
    """How many of `block_count` blocks precede the next snapshot.

    `snapshot_count`: the snapshots available, with the one at the start and the next one.
    """
    t = max_replays(block_count, snapshot_count)
    before = max_blocks(snapshot_count, t - 1)
    return max(1, min(before, block_count - before * snapshot_count // (snapshot_count + t - 1)))


def snapshot_positions(block_count: int, snapshot_count: int) -> list[int]:
    """The blocks before which the first sweep takes snapshots."""
    positions, position = [0], 0
    while snapshot_count > 1 and block_count - position > 1:
        position += blocks_before_next_snapshot(block_count - position, snapshot_count)
        positions.append(position)
        snapshot_count -= 1
    return positions
