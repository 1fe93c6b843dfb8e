"""Masks of several trips share the bytes of a row: a tape of truths takes a bit for each.

    trip         0     1     2     3   |   4     5     6     7         two masks a trip, a and b
    row                   0            |              1
    bits       a b   a b   a b   a b   |  a b   a b   a b   a b

A row is what one trip's masks would be as bytes, and several trips in a row write it: it stays in
the caches meanwhile. So a loop of n trips over an array writes an eighth of the bytes (a quarter,
of two masks) to memory that is further away, and takes as many fresh pages less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    static_indices,
)
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import mul, sub
from myia.primitives.pointwise.logic import and_, convert, ne, or_, shift_left, shift_right
from myia.storage.model.iteration_rows import stacked

BYTE = np.dtype(np.uint8)


@dataclass(frozen=True)
class Bits:
    """How `masks` truths of each element and trip lie in the bytes of a buffer's rows."""

    shape: tuple[int, ...]
    masks: int  # at most eight

    @property
    def trips(self) -> int:
        """How many trips share a row: a power of two."""
        return 8 // self.masks

    def buffer(self, trips: int) -> Aval:
        return stacked(Aval(BYTE, self.shape), -(-trips // self.trips))

    def write(self, buffer: Value, masks: Sequence[Value], k: Value) -> Value:
        """`buffer` with the masks of trip `k`. The trips come in order, and what a row holds before
        its first one does not matter."""
        row, shift = self._place(k)
        bits = convert(masks[0], dtype=BYTE)
        for i, mask in enumerate(masks[1:], 1):
            bits = or_(bits, shift_left(convert(mask, dtype=BYTE), self._all(i)))
        bits = reshape(shift_left(bits, self._each(shift)), shape=(1, *self.shape))
        one = constant(1, BYTE)
        earlier = broadcast(sub(shift_left(one, shift), one), shape=bits.shape, dims=())
        old = and_(self._row(buffer, row), earlier)
        return dynamic_update_slice(buffer, or_(old, bits), *self._start(row))

    def read(self, buffer: Value, k: Value) -> list[Value]:
        """The masks of trip `k`."""
        row, shift = self._place(k)
        bits = reshape(self._row(buffer, row), shape=self.shape)
        bits = shift_right(bits, self._each(shift))
        none = self._all(0)
        return [ne(and_(bits, self._all(1 << i)), none) for i in range(self.masks)]

    def _place(self, k: Value) -> tuple[Value, Value]:
        """The row of trip `k`, and the lowest of its bits there."""
        number = lambda n: constant(n, k.dtype)  # noqa: E731
        row = shift_right(k, number(self.trips.bit_length() - 1))
        shift = mul(and_(k, number(self.trips - 1)), number(self.masks))
        return row, convert(shift, dtype=BYTE)

    def _row(self, buffer: Value, row: Value) -> Value:
        return dynamic_slice(buffer, *self._start(row), sizes=(1, *self.shape))

    def _start(self, row: Value) -> list[Value]:
        return [row, *static_indices([0] * len(self.shape))]

    def _each(self, number: Value) -> Value:
        return broadcast(number, shape=self.shape, dims=())

    def _all(self, number: int) -> Value:
        return constant(number, BYTE, self.shape)


def shared_bits(records: Mapping[int, Aval], least: int) -> dict[tuple[int, ...], Bits]:
    """Which of the records, by their numbers, share bytes: masks of one shape, at most eight.

    `least`: of so many elements. Of fewer, the bits would cost more than the bytes.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, aval in records.items():
        if aval.dtype == bool and aval.size >= least:
            alike.setdefault(aval.shape, []).append(i)
    groups = [tuple(g[i : i + 8]) for g in alike.values() for i in range(0, len(g), 8)]
    return {group: Bits(records[group[0]].shape, len(group)) for group in groups}
