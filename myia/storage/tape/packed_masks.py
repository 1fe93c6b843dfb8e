"""Packed masks: a tape of boolean arrays takes a bit for each element, not a byte.

    iteration    0     1     2     3   |   4     5     6     7       two masks an iteration, a and b
    row                   0            |              1
    bits       a b   a b   a b   a b   |  a b   a b   a b   a b

A row has the shape of a mask, with one byte per element. Successive iterations write the same row,
which stays in the caches meanwhile. So the loop writes an eighth of the bytes to main memory (with
two masks, a quarter of one byte array), and takes fewer fresh pages by the same factor.
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
from myia.primitives.arrays.rows import rows_aval
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import mul, sub
from myia.primitives.pointwise.logic import and_, convert, ne, or_, shift_left, shift_right

BYTE = np.dtype(np.uint8)


@dataclass(frozen=True)
class PackedMasks:
    """The layout of `count` masks per iteration, at most eight, in the bytes of a buffer's rows."""

    shape: tuple[int, ...]
    count: int

    @property
    def iterations_per_row(self) -> int:
        """How many iterations share a row."""
        return 8 // self.count

    def buffer_aval(self, iterations: int) -> Aval:
        return rows_aval(Aval(BYTE, self.shape), -(-iterations // self.iterations_per_row))

    def write(self, buffer: Value, masks: Sequence[Value], k: Value) -> Value:
        """`buffer` with the masks of iteration `k`.

        The iterations must come in order. Earlier contents of a row do not matter: bits from the
        iteration's own upwards are overwritten.
        """
        row, shift = self._row_and_shift(k)
        bits = convert(masks[0], dtype=BYTE)
        for i, mask in enumerate(masks[1:], 1):
            bits = or_(bits, shift_left(convert(mask, dtype=BYTE), self._filled(i)))
        bits = reshape(shift_left(bits, self._broadcast(shift)), shape=(1, *self.shape))
        one = constant(1, BYTE)
        earlier = broadcast(sub(shift_left(one, shift), one), shape=bits.shape, dims=())
        old = and_(self._row(buffer, row), earlier)
        return dynamic_update_slice(buffer, or_(old, bits), *self._start(row))

    def read(self, buffer: Value, k: Value) -> list[Value]:
        """The masks of iteration `k`."""
        row, shift = self._row_and_shift(k)
        bits = reshape(self._row(buffer, row), shape=self.shape)
        bits = shift_right(bits, self._broadcast(shift))
        zero = self._filled(0)
        return [ne(and_(bits, self._filled(1 << i)), zero) for i in range(self.count)]

    def _row_and_shift(self, k: Value) -> tuple[Value, Value]:
        """The row of iteration `k`, and the position of its lowest bit there."""

        def number(n: int) -> Value:
            return constant(n, k.dtype)

        row = shift_right(k, number(self.iterations_per_row.bit_length() - 1))
        shift = mul(and_(k, number(self.iterations_per_row - 1)), number(self.count))
        return row, convert(shift, dtype=BYTE)

    def _row(self, buffer: Value, row: Value) -> Value:
        return dynamic_slice(buffer, *self._start(row), sizes=(1, *self.shape))

    def _start(self, row: Value) -> list[Value]:
        return [row, *static_indices([0] * len(self.shape))]

    def _broadcast(self, number: Value) -> Value:
        return broadcast(number, shape=self.shape, dims=())

    def _filled(self, number: int) -> Value:
        return constant(number, BYTE, self.shape)


def group_masks(
    residuals: Mapping[int, Aval], min_elements: int
) -> dict[tuple[int, ...], PackedMasks]:
    """The residuals, by position, that share bytes: masks of one shape, at most eight a group.

    Masks of fewer elements stay bytes: packing them would take longer.
    """
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for i, aval in residuals.items():
        if aval.dtype == bool and aval.size >= min_elements:
            by_shape.setdefault(aval.shape, []).append(i)
    groups = [tuple(g[i : i + 8]) for g in by_shape.values() for i in range(0, len(g), 8)]
    return {group: PackedMasks(residuals[group[0]].shape, len(group)) for group in groups}
