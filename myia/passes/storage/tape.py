"""The exact tape: one buffer for each record, written at k going forwards and read at k going back.

It serves the loops whose count has a static bound that fits, and those that record nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from myia.ir.core import Value
from myia.passes.storage.cut import Cut
from myia.passes.storage.rows import read, stacked, write
from myia.primitives.arithmetic import add, sub
from myia.primitives.control import loop
from myia.primitives.define import empty, zeros
from myia.primitives.windows import static_indices


class Tape:
    """`initial` and `update` are further carries of the forward loop; `reverse` reads them.

    `successors` are pairs of records (x, y) such that y is x in the next trip. They share a buffer
    of one more row: x is read at k, y at k + 1. `inner`: the loop is in another, which then has no
    need to clear the buffers for each run of it.
    """

    def __init__(
        self, cut: Cut, capacity: int | None, successors: Mapping[int, int], inner: bool = False
    ):
        self.cut = cut
        self.capacity = capacity
        self.blank = empty if inner else zeros
        self.successors = successors
        self.predecessors = {y: x for x, y in successors.items()}

    @property
    def columns(self) -> list[int]:
        """The records that have a buffer: of a pair the second."""
        return [i for i in range(len(self.cut.records)) if i not in self.successors]

    @property
    def bytes_per_trip(self) -> int:
        return sum(self.cut.records[i].aval.nbytes for i in self.columns)

    @property
    def again(self) -> float:
        return self.cut.again

    @property
    def nbytes(self) -> int:
        return self.capacity * self.bytes_per_trip if self.columns else 0

    def initial(self) -> list[Value]:
        return [self._buffer(i) for i in self.columns]

    def _buffer(self, i: int) -> Value:
        aval = self.cut.records[i].aval
        if i not in self.predecessors:
            return self.blank(stacked(aval, self.capacity))
        carry = self.cut.xs.index(self.cut.records[self.predecessors[i]])
        start, (zero,) = self.cut.parts.carries[carry], static_indices([0])
        return write(self.blank(stacked(aval, self.capacity + 1)), start, zero)

    def update(self, k: Value, xs: Sequence[Value], buffers: Sequence[Value]) -> list[Value]:
        records = self.cut.record(k, [xs[i] for i in self.cut.kept])
        return [write(b, records[i], self._row(i, k)) for b, i in zip(buffers, self.columns)]

    def _row(self, i: int, k: Value) -> Value:
        return add(k, 1) if i in self.predecessors else k

    def reverse(
        self, trips: Value, buffers: Sequence[Value], state: Sequence[Value], _: Sequence[Value]
    ) -> Sequence[Value]:
        buffer = dict(zip(self.columns, buffers))
        buffer |= {x: buffer[y] for x, y in self.successors.items()}

        def back(j, *state):
            k = sub(sub(trips, 1), j)
            records = [read(buffer[i], self._row(i, k)) for i in range(len(buffer))]
            return self.cut.transform(k, records, state)

        return loop(state, back, count=trips, bound=self.capacity)
