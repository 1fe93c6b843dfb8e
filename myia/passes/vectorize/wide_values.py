"""Wide values: what the values of a program are for all entries of a new axis.

    %x: f64[5]    ->    %x: f64[9,5]    one row for each of nine iterations ("rows")
    %x: f64[1]    ->    %x: f64[8]      one element for each of eight iterations ("vector")

A value that varies along the axis is *wide*: an array with a new first axis. The *layout* says what
follows this axis: the shape of the value ("rows"), or nothing, if all values that vary have one
element ("vector"). A value that does not vary is *shared*; it is repeated where that is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from myia.ir.avals import I64
from myia.ir.core import Value
from myia.ir.rewrite import Env
from myia.passes.vectorize.batching_rules import repeated
from myia.primitives.arrays.shaping import concatenate, iota, reshape, slice
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add, sub

Layout = Literal["vector", "rows"]


@dataclass(frozen=True)
class Axis:
    """The new axis. In direction -1 its first entry is the last iteration."""

    width: int
    direction: int = 1

    @property
    def is_forwards(self) -> bool:
        return self.direction > 0

    @property
    def in_order(self) -> Sequence[int]:
        """The entries in the order of the iterations."""
        return range(self.width) if self.is_forwards else range(self.width - 1, -1, -1)


class WideValues:
    """The values of a program along a new axis, by the old values."""

    def __init__(self, axis: Axis, layout: Layout):
        self.axis, self.layout = axis, layout
        self.wide: Env = {}
        # Values of the first entry: indices, arrays, and values that all entries share.
        self.first: Env = {}

    def set_index(self, k: Value, base: Value) -> None:
        """The index `k` of a loop, which is `base` in the first of the iterations."""
        steps, last = iota(shape=(self.axis.width,), axis=0, dtype=I64.dtype), self.last()
        self.first[k] = base if self.axis.is_forwards else add(base, last)
        start = repeated(self.first[k], self.axis.width)
        self.wide[k] = add(start, steps) if self.axis.is_forwards else sub(start, steps)

    def last(self) -> Value:
        return constant(self.axis.width - 1, I64.dtype)

    def row_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The axes that follow the new one, if a value has this shape."""
        return shape if self.layout == "rows" else ()

    def shared(self, x: Value) -> Value:
        """`x`, which does not vary, as an entry of a wide value."""
        x = self.first.get(x, x)
        return x if self.layout == "rows" else reshape(x, shape=())

    def widened(self, x: Value) -> Value:
        """`x` for all entries."""
        return self.wide.get(x) or repeated(self.shared(x), self.axis.width)

    def in_first(self, x: Value) -> Value:
        """`x` in the first entry; taken from the wide value if it is not computed as a scalar."""
        if x in self.first or x not in self.wide:
            return self.first.get(x, x)
        return entry(self.wide[x], 0, x.shape)

    def after_last(self, x: Value) -> Value:
        """`x` in the last iteration."""
        return entry(self.widened(x), self.axis.in_order[-1], x.shape)

    def shifted(self, x: Value, before: Value) -> Value:
        """For each iteration, `x` in its predecessor; `before` for the first iteration."""
        x, width = self.widened(x), self.axis.width
        before = reshape(before, shape=(1, *x.shape[1:]))
        if self.axis.is_forwards:
            return concatenate(before, entries(x, 0, width - 1), axis=0)
        return concatenate(entries(x, 1, width), before, axis=0)


def entries(x: Value, start: int, limit: int) -> Value:
    """The entries of a wide value from `start` to `limit`."""
    others = x.shape[1:]
    zeros, ones = (0,) * len(others), (1,) * len(others)
    return slice(x, start=(start, *zeros), limit=(limit, *others), stride=(1, *ones))


def entry(x: Value, i: int, shape: tuple[int, ...]) -> Value:
    """Entry `i` of a wide value, in this shape."""
    return reshape(entries(x, i, i + 1), shape=shape)
