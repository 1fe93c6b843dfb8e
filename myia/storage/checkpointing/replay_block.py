"""The records of the trips of one block of a trail.

Where a carry is recorded, and what it becomes in the trip too, that is the carry's record of the
next trip: they share a buffer of one more row, whose last row is written when the block has ended.

    row     0    1    2    3    4
    x       x0   x1   x2   x3   x4         record of trip 2: x2, and f(x2) = x3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from myia.ir.core import Value
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import select
from myia.storage.model.iteration_rows import read, stacked, write
from myia.storage.residuals.record_or_recompute import Cut


class Leaf:
    """The records of `cut`; `successors` are pairs (x, y) such that y is x in the next trip."""

    def __init__(self, cut: Cut, successors: Mapping[int, int]):
        self.cut = cut
        self.predecessors = {y: x for x, y in successors.items()}
        # The records that have a buffer: of a pair the first.
        self.columns = [i for i in range(len(cut.records)) if i not in self.predecessors]
        self.avals = [cut.records[i].aval for i in self.columns]
        # The buffers of pairs, and the carries that they hold.
        self.paired = {self.columns.index(x): cut.xs.index(cut.records[x]) for x in successors}

    @property
    def bytes_per_trip(self) -> int:
        return sum(aval.nbytes for aval in self.avals)

    @property
    def bytes_more(self) -> int:
        return sum(self.avals[i].nbytes for i in self.paired)

    def initial(self, block: int) -> list[Value]:
        """Empty buffers for the records of `block` trips."""
        rows = [block + (i in self.paired) for i in range(len(self.avals))]
        return [zeros(stacked(aval, n)) for aval, n in zip(self.avals, rows)]

    def record(
        self, buffers: Sequence[Value], k: Value, kept: Sequence[Value], row: Value
    ) -> list[Value]:
        """The buffers with trip `k`, at whose start the kept carries are these."""
        records = self.cut.record(k, kept)
        return [write(b, records[i], row) for b, i in zip(buffers, self.columns)]

    def end(
        self,
        buffers: Sequence[Value],
        row: Value,
        xs: Mapping[int, Value] | Sequence[Value],
        unless: Value | None = None,
    ) -> list[Value]:
        """The buffers with carries as they are after the last trip, unless that is there."""
        found = list(buffers)
        for i, carry in self.paired.items():
            x = xs[carry]
            if unless is not None:
                there = broadcast(unless, shape=x.shape, dims=())
                x = select(there, read(buffers[i], row), x)
            found[i] = write(buffers[i], x, row)
        return found

    def read(self, buffers: Sequence[Value], row: Value) -> list[Value]:
        """The records of the trip in this row."""
        buffer = dict(zip(self.columns, buffers))
        next_row = add(row, constant(1, row.dtype))
        return [
            read(buffer[self.predecessors[i]], next_row)
            if i in self.predecessors
            else read(buffer[i], row)
            for i in range(len(self.cut.records))
        ]
