"""When the forward sweep takes snapshots: offline for a known trip count, else online.

Offline, the snapshots are placed as revolve places them. Online, snapshots are taken at a fixed
stride until there is no room; then every second one is dropped and the stride doubles:

    iteration    0   B   2B  3B  4B  5B  6B  7B  8B ...
    snapshots    0   1   2   3                            C = 4, stride B
                 0       1       2       3                stride 2B

(P. Stumm and A. Walther, "New algorithms for optimal online checkpointing", SIAM J. Sci. Comput.
32, 2010, is the idea of doubling strides.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myia.ir.avals import I64
from myia.ir.core import Value, Values
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice, static_indices
from myia.primitives.arrays.rows import read_row, write_row
from myia.primitives.arrays.shaping import broadcast, iota, slice
from myia.primitives.core.define import array_constant, constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import convert, eq
from myia.storage.model.revolve import snapshot_positions

# The forward sweep leaves at most so many snapshots free, for the replays of the first iterations.
MAX_RESERVED_SNAPSHOTS = 8


class OfflineSnapshots:
    """Snapshots of a loop of `trip_count` iterations, where they take the fewest replays.

    The state: how many snapshots were taken, and the iteration before which the next one is due.
    """

    def __init__(self, trip_count: int, snapshot_count: int, block_length: int):
        block_count = -(-trip_count // block_length)
        found = [block_length * i for i in snapshot_positions(block_count, snapshot_count)]
        # Unused entries hold the trip count: no snapshot is due there.
        unused = [trip_count] * (snapshot_count + 1 - len(found))
        self.iterations = np.array(found + unused, I64.dtype)

    def initial_carries(self) -> list[Value]:
        return [_int(0), _int(0)]

    def updated_carries(self, k: Value, buffers: Values, xs: Values, state: Values) -> Values:
        """The buffers and the state; iteration `k` starts with the carries `xs`."""
        used, due = state

        def snapshot() -> Values:
            filled = [write_row(b, x, used) for b, x in zip(buffers, xs)]
            used_after = add(used, 1)
            return [*filled, used_after, read_row(array_constant(self.iterations), used_after)]

        return if_(eq(k, due), snapshot, lambda: [*buffers, used, due])

    def positions(self, state: Sequence[Value]) -> Value:
        """The iterations before which the snapshots were taken."""
        return array_constant(self.iterations)


class OnlineSnapshots:
    """Snapshots of a loop of any number of iterations.

    The state: how many snapshots there are, their stride, and the iteration before which the next
    one is due.
    """

    def __init__(self, snapshot_count: int, block_length: int):
        self.snapshot_count, self.block_length = snapshot_count, block_length
        reserved = min(MAX_RESERVED_SNAPSHOTS, snapshot_count // 2)
        self.capacity = (snapshot_count - reserved) // 2 * 2  # even: every second one is dropped

    def initial_carries(self) -> list[Value]:
        return [_int(0), _int(self.block_length), _int(0)]

    def updated_carries(self, k: Value, buffers: Values, xs: Values, state: Values) -> Values:
        """The buffers and the state; iteration `k` starts with the carries `xs`."""
        used, stride, due = state

        def snapshot() -> Values:
            # A loop of zero or one iterations, not a branch: XLA updates the arrays of a loop in
            # place, and copies those of a branch.
            *thinned, free, wider = loop(
                [*buffers, used, stride],
                lambda _, *xs: [
                    *map(self._thinned, xs[:-2]),
                    _int(self.capacity // 2),
                    mul(stride, 2),
                ],
                count=convert(eq(used, self.capacity), dtype=I64.dtype),
                bound=1,
            )
            filled = [write_row(b, x, free) for b, x in zip(thinned, xs)]
            used_after = add(free, 1)
            return [*filled, used_after, wider, mul(used_after, wider)]

        return if_(eq(k, due), snapshot, lambda: [*buffers, used, stride, due])

    def _thinned(self, buffer: Value) -> Value:
        """Every second snapshot, moved to the front."""
        rest = [0] * (buffer.aval.ndim - 1)
        even = slice(
            buffer,
            start=(0, *rest),
            limit=(self.capacity, *buffer.shape[1:]),
            stride=(2, *(1 for _ in rest)),
        )
        return dynamic_update_slice(buffer, even, *static_indices([0, *rest]))

    def positions(self, state: Sequence[Value]) -> Value:
        """The iterations before which the snapshots were taken."""
        shape = (self.snapshot_count + 1,)
        numbers = iota(shape=shape, axis=0, dtype=I64.dtype)
        return mul(numbers, broadcast(state[1], shape=shape, dims=()))


def _int(n: int) -> Value:
    return constant(n, I64.dtype)
