"""The exact tape: one buffer for each record, written at k going forwards and read at k going back.

It serves the loops whose count has a static bound that fits, and those that record nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.passes.storage.cut import Cut
from myia.primitives.arithmetic import sub
from myia.primitives.control import loop
from myia.primitives.define import zeros
from myia.primitives.shaping import reshape
from myia.primitives.windows import dynamic_slice, dynamic_update_slice, static_indices


class Tape:
    """`initial` and `update` are further carries of the forward loop; `reverse` reads them."""

    def __init__(self, cut: Cut, capacity: int | None):
        self.cut = cut
        self.capacity = capacity

    def initial(self) -> list[Value]:
        return [zeros(stacked(x.aval, self.capacity)) for x in self.cut.records]

    def update(self, k: Value, xs: Sequence[Value], buffers: Sequence[Value]) -> list[Value]:
        records = self.cut.record(k, [xs[i] for i in self.cut.kept])
        return [write(b, x, k) for b, x in zip(buffers, records)]

    def reverse(
        self, trips: Value, buffers: Sequence[Value], state: Sequence[Value]
    ) -> Sequence[Value]:
        def back(j, *state):
            k = sub(sub(trips, 1), j)
            return self.cut.transform(k, [read(b, k) for b in buffers], state)

        return loop(state, back, count=trips, bound=self.capacity)


def stacked(aval: Aval, n: int) -> Aval:
    """The aval of a buffer of `n` values."""
    return aval.with_shape((n, *aval.shape))


def write(buffer: Value, x: Value, i: Value) -> Value:
    row = reshape(x, shape=(1, *x.shape))
    return dynamic_update_slice(buffer, row, i, *static_indices([0] * x.aval.ndim))


def read(buffer: Value, i: Value) -> Value:
    shape = buffer.shape[1:]
    row = dynamic_slice(buffer, i, *static_indices([0] * len(shape)), sizes=(1, *shape))
    return reshape(row, shape=shape)
