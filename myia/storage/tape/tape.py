"""The exact tape: one buffer for each record, written at k going forwards and read at k going back.

It serves the loops whose count has a static bound that fits, and those that record nothing. Masks
of large arrays share a buffer, where each truth takes a bit (`bits.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, prod

from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import static_indices
from myia.primitives.core.define import empty, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import add, sub
from myia.storage.model.iteration_rows import read, stacked, write
from myia.storage.model.memory_limits import Limits
from myia.storage.residuals.record_or_recompute import Cut
from myia.storage.tape.packed_masks import Bits, shared_bits


class Tape:
    """`initial` and `update` are further carries of the forward loop; `reverse` reads them.

    `successors` are pairs of records (x, y) such that y is x in the next trip. They share a buffer
    of one more row: x is read at k, y at k + 1. `inner`: the loop is in another, which then has no
    need to clear the buffers for each run of it. Masks take a bit for each truth where `limits` say
    so, but not in an inner loop, nor those that an inner loop records: the buffers of the outer
    loop are filled in place by the inner one (`copy_elision.py`).
    """

    def __init__(
        self,
        cut: Cut,
        capacity: int | None,
        successors: Mapping[int, int],
        limits: Limits,
        inner: bool = False,
    ):
        self.cut = cut
        self.capacity = capacity
        self.blank = empty if inner else zeros
        self.successors = successors
        self.predecessors = {y: x for x, y in successors.items()}
        self.bits = {} if inner else self._bits(limits)
        in_bits = {i for group in self.bits for i in group}
        # The records that have a buffer of their own: of a pair the second.
        rest = [i for i in range(len(cut.records)) if i not in in_bits]
        self.columns = [i for i in rest if i not in successors]

    def _bits(self, limits: Limits) -> dict[tuple[int, ...], Bits]:
        """The records that share bytes, by how they do."""
        inner = {y for op in self.cut.primal if op.regions for y in op.results}
        alone = {
            i: x.aval
            for i, x in enumerate(self.cut.records)
            if x not in inner and i not in self.successors and i not in self.predecessors
        }
        groups = shared_bits(alone, limits.masks[0])
        truths = sum(bits.masks * prod(bits.shape) for bits in groups.values())
        return groups if truths * (self.capacity or 0) >= limits.masks[1] else {}

    @property
    def bytes_per_trip(self) -> int:
        """Rounded up, where trips share bytes."""
        shared = sum(ceil(prod(bits.shape) / bits.trips) for bits in self.bits.values())
        return shared + sum(self.cut.records[i].aval.nbytes for i in self.columns)

    @property
    def again(self) -> float:
        return self.cut.again

    @property
    def nbytes(self) -> int:
        own = sum(self.cut.records[i].aval.nbytes for i in self.columns)
        shared = sum(bits.buffer(self.capacity).nbytes for bits in self.bits.values())
        return shared + (self.capacity * own if own else 0)

    def initial(self) -> list[Value]:
        shared = [self.blank(bits.buffer(self.capacity)) for bits in self.bits.values()]
        return [*(self._buffer(i) for i in self.columns), *shared]

    def _buffer(self, i: int) -> Value:
        aval = self.cut.records[i].aval
        if i not in self.predecessors:
            return self.blank(stacked(aval, self.capacity))
        carry = self.cut.xs.index(self.cut.records[self.predecessors[i]])
        start, (zero,) = self.cut.parts.carries[carry], static_indices([0])
        return write(self.blank(stacked(aval, self.capacity + 1)), start, zero)

    def update(self, k: Value, xs: Sequence[Value], buffers: Sequence[Value]) -> list[Value]:
        records = self.cut.record(k, [xs[i] for i in self.cut.kept])
        n = len(self.columns)
        own = [write(b, records[i], self._row(i, k)) for b, i in zip(buffers[:n], self.columns)]
        shared = [
            bits.write(b, [records[i] for i in group], k)
            for b, (group, bits) in zip(buffers[n:], self.bits.items(), strict=True)
        ]
        return own + shared

    def _row(self, i: int, k: Value) -> Value:
        return add(k, 1) if i in self.predecessors else k

    def _read(self, buffers: Sequence[Value], k: Value) -> list[Value]:
        """The records of trip `k`."""
        n = len(self.columns)
        buffer = dict(zip(self.columns, buffers[:n]))
        buffer |= {x: buffer[y] for x, y in self.successors.items()}
        found = {i: read(b, self._row(i, k)) for i, b in buffer.items()}
        for b, (group, bits) in zip(buffers[n:], self.bits.items(), strict=True):
            found.update(zip(group, bits.read(b, k), strict=True))
        return [found[i] for i in range(len(found))]

    def reverse(
        self, trips: Value, buffers: Sequence[Value], state: Sequence[Value], _: Sequence[Value]
    ) -> Sequence[Value]:
        def back(j, *state):
            k = sub(sub(trips, 1), j)
            return self.cut.transform(k, self._read(buffers, k), state)

        return loop(state, back, count=trips, bound=self.capacity)
