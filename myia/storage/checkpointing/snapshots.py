"""When the forward sweep of a trail takes snapshots: `Planned`, where the count is known, or not.

Not knowing the count, it fills slots until there are none, then drops every second one and doubles
the stride:

    trips     0   B   2B  3B  4B  5B  6B  7B  8B ...
    slots     0   1   2   3                            C = 4, stride B
              0       1       2       3                stride 2B

(P. Stumm and A. Walther, "New algorithms for optimal online checkpointing", SIAM J. Sci. Comput.
32, 2010, is the idea of doubling strides.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice, static_indices
from myia.primitives.arrays.shaping import broadcast, iota, slice
from myia.primitives.core.define import array_constant, constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import convert, eq
from myia.storage.model.iteration_rows import read, write
from myia.storage.model.revolve import places

RESERVE = 8  # slots at most that the forward sweep leaves free, for the replays of the first trips


class Planned:
    """Snapshots of a loop of `trips` trips, in the places that take the fewest replays.

    The state: how many there are, and the trip before which the next one is due.
    """

    def __init__(self, trips: int, slots: int, block: int):
        found = [block * place for place in places(-(-trips // block), slots)]
        self.places = np.array(found + [trips] * (slots + 1 - len(found)), I64.dtype)

    def initial(self) -> list[Value]:
        return [_int(0), _int(0)]

    def update(self, k: Value, slots: Sequence[Value], xs: Sequence[Value], state) -> list[Value]:
        """The slots and the state, when trip `k` starts with `xs`."""
        used, due = state

        def snapshot():
            filled = [write(s, x, used) for s, x in zip(slots, xs)]
            more = add(used, 1)
            return [*filled, more, read(array_constant(self.places), more)]

        return if_(eq(k, due), snapshot, lambda: [*slots, used, due])

    def positions(self, state) -> Value:
        """The trips before which the snapshots were taken."""
        return array_constant(self.places)


class Doubling:
    """Snapshots of a loop of any number of trips.

    The state: how many there are, their stride, and the trip before which the next one is due.
    """

    def __init__(self, slots: int, block: int):
        self.slots, self.block = slots, block
        self.filled = (slots - min(RESERVE, slots // 2)) // 2 * 2  # even: every second is dropped

    def initial(self) -> list[Value]:
        return [_int(0), _int(self.block), _int(0)]

    def update(self, k: Value, slots: Sequence[Value], xs: Sequence[Value], state) -> list[Value]:
        """The slots and the state, when trip `k` starts with `xs`."""
        used, stride, due = state

        def snapshot():
            # A loop of one trip or none: XLA updates its arrays in place, unlike those of a branch.
            *thinned, room, wider = loop(
                [*slots, used, stride],
                lambda _, *xs: [
                    *map(self._thinned, xs[:-2]),
                    _int(self.filled // 2),
                    mul(stride, 2),
                ],
                count=convert(eq(used, self.filled), dtype=I64.dtype),
                bound=1,
            )
            filled = [write(s, x, room) for s, x in zip(thinned, xs)]
            more = add(room, 1)
            return [*filled, more, wider, mul(more, wider)]

        return if_(eq(k, due), snapshot, lambda: [*slots, used, stride, due])

    def _thinned(self, slots: Value) -> Value:
        """Every second slot, moved to the front."""
        rest = [0] * (slots.aval.ndim - 1)
        even = slice(
            slots,
            start=(0, *rest),
            limit=(self.filled, *slots.shape[1:]),
            stride=(2, *(1 for _ in rest)),
        )
        return dynamic_update_slice(slots, even, *static_indices([0, *rest]))

    def positions(self, state) -> Value:
        """The trips before which the snapshots were taken."""
        shape = (self.slots + 1,)
        numbers = iota(shape=shape, axis=0, dtype=I64.dtype)
        return mul(numbers, broadcast(state[1], shape=shape, dims=()))


def _int(n: int) -> Value:
    return constant(n, I64.dtype)
