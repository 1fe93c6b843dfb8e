"""Memory limits: how many bytes a tape, a replay block and snapshots may take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from myia.primitives.core.structured import Loop
from myia.source.diagnostics import Diagnostic
from myia.storage.model.revolve import forward_runs

# What users pass as `checkpoint=`; "trail" means online checkpointing.
STRATEGIES = ("auto", "tape", "trail", "recompute")
MIN_SNAPSHOTS = 4
MIN_BLOCK_LENGTH = 2  # XLA unrolls loops of one iteration, which then take more memory


@dataclass(frozen=True)
class Limits:
    """The strategy that the user chose, and limits in bytes.

    strategy               "auto"; "tape": a tape for every loop, which then must have a bound;
                           "trail": online checkpointing; "recompute": the residuals of an
                           iteration are its carries, all else is recomputed
    budget                 if given, the bytes of each loop's whole storage, where there is a
                           choice; the limits below do not apply then
    max_tape_bytes         of a tape, for a loop whose count has a static bound
    max_while_tape_bytes   of a tape, for a `while`, which seldom reaches its bound
    max_block_bytes        of a replay block
    max_inner_block_bytes  in place of the two above for an inner loop, whose buffers are cleared in
                           each iteration of the outer one
    max_snapshot_bytes     of all snapshots of a loop; an inner loop has the fewest possible
    min_packed_elements    from how many mask elements, per iteration and in all, a tape takes a bit
                           for each, not a byte: bytes of small loops stay in the nearest cache, too
    block_length_range     fewest and most iterations in a replay block: powers of two
    snapshot_count_range   fewest and most snapshots
    """

    strategy: str = "auto"
    budget: int | None = None
    max_tape_bytes: int = 1 << 30
    max_while_tape_bytes: int = 1 << 16
    max_block_bytes: int = 1 << 18
    max_inner_block_bytes: int = 1 << 10
    max_snapshot_bytes: int = 1 << 23
    min_packed_elements: tuple[int, int] = (1 << 10, 1 << 16)
    block_length_range: tuple[int, int] = (16, 1 << 14)
    snapshot_count_range: tuple[int, int] = (16, 64)

    def with_budget(self, budget: int) -> Limits:
        return replace(self, budget=budget)

    def allows_tape(self, loop: Loop) -> bool:
        """May the loop have a tape, if that is small enough?"""
        return loop.bound is not None and self.strategy != "trail"

    def tape_capacity(self, loop: Loop, bytes_per_iteration: int, is_inner: bool) -> int | None:
        """The iterations that a tape holds, or None where online checkpointing has to be used."""
        bound = loop.bound
        if bound is None or not self.allows_tape(loop):
            return None
        fits = bound * bytes_per_iteration <= self._tape_bytes(loop, is_inner)
        return bound if self.strategy == "tape" or fits else None

    def _tape_bytes(self, loop: Loop, is_inner: bool) -> int:
        if self.budget is not None:
            return self.budget
        if loop.cond is None:
            return self.max_tape_bytes
        return self.max_inner_block_bytes if is_inner else self.max_while_tape_bytes

    def snapshots_and_block_length(
        self, sizes: CheckpointBytes, is_inner: bool, trip_count: int | None
    ) -> tuple[int, int]:
        """The number of snapshots, and that of the iterations in a replay block.

        `trip_count`: None if it is not known at compile time.
        """
        if self.budget is not None:
            return _within_budget(self.budget - sizes.block_overhead, sizes, trip_count)
        block_bytes = self.max_inner_block_bytes if is_inner else self.max_block_bytes
        block_length = _power_of_two_at_most(block_bytes // max(1, sizes.iteration))
        snapshot_count = 0 if is_inner else self.max_snapshot_bytes // max(1, sizes.snapshot)
        return (
            _clip(snapshot_count, self.snapshot_count_range),
            _clip(block_length, self.block_length_range),
        )


@dataclass(frozen=True)
class CheckpointBytes:
    """Bytes of an iteration in a replay block, of the block beside its rows, and of a snapshot."""

    iteration: int
    block_overhead: int
    snapshot: int


def _within_budget(budget: int, sizes: CheckpointBytes, trip_count: int | None) -> tuple[int, int]:
    """Snapshots and block length of at most `budget` bytes, or the smallest possible."""
    iteration, snapshot = max(1, sizes.iteration), max(1, sizes.snapshot)

    def snapshots_beside(block_length: int) -> int:
        # One row more is written to and never read. More snapshots than blocks are useless.
        fitting = (budget - block_length * iteration) // snapshot - 1
        if trip_count is not None:
            fitting = min(fitting, -(-trip_count // block_length))
        return max(MIN_SNAPSHOTS, fitting)

    if trip_count is None:
        # snapshots * block_length iterations are replayed only once: this product is greatest when
        # both have half of the memory.
        half = max(0, budget) // 2
        block_length = max(MIN_BLOCK_LENGTH, _power_of_two_at_most(half // iteration))
        return snapshots_beside(block_length), block_length
    left = budget - (MIN_SNAPSHOTS + 1) * snapshot
    longest = max(MIN_BLOCK_LENGTH, _power_of_two_at_most(max(1, left // iteration)))
    lengths = [1 << i for i in range(1, longest.bit_length())]
    block_length = min(lengths, key=lambda n: forward_runs(trip_count, snapshots_beside(n), n))
    return snapshots_beside(block_length), block_length


def _power_of_two_at_most(n: int) -> int:
    """The greatest power of two that is at most n, or 1."""
    return 1 << max(0, n.bit_length() - 1)


def _clip(n: int, limits: tuple[int, int]) -> int:
    least, most = limits
    return max(least, min(most, n))


class OverBudget(Diagnostic):
    """The user's budget does not suffice for the program at these arguments."""

    title = "the program does not fit into {budget:,} bytes of temporaries"
    notes = ("the least that it takes is {least:,} bytes",)
    help = "raise `memory`"

    budget: int
    least: int
