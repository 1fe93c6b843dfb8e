"""Wide values: what the values of a program are for all entries of a new axis.

    %x: f64[5]    ->    %x: f64[9,5]    one row for each of nine entries ("rows")
    %x: f64[1]    ->    %x: f64[8]      one element for each of eight entries ("vector")

A value that varies along the axis is *wide*: an array with a new first axis. The *layout* says what
follows this axis: the shape of the value ("rows"), or nothing, if all values that vary have one
element ("vector"). A value that does not vary is *shared*; it is repeated where that is needed.

The *mask* says which entries run: `bool[width]`, or None if all do. The others store nothing in
shared arrays and contribute nothing to sums; what they compute is never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from myia.ir.avals import I64
from myia.ir.core import Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import along_axis, broadcast, concatenate, iota, reshape
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add, sub
from myia.primitives.pointwise.logic import and_, select
from myia.widening.batching_rules import repeated

Layout = Literal["vector", "rows"]


@dataclass(frozen=True)
class Axis:
    """The new axis: iterations of a loop, or examples of a batch.

    In direction -1 its first entry is the last iteration.
    """

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

    def __init__(self, varying: Set[Value], axis: Axis, mask: Value | None, layout: Layout):
        self.varying, self.axis, self.mask, self.layout = varying, axis, mask, layout
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

    # ----- Values as operands

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

    def at(self, x: Value, i: Value) -> Value:
        """`x` in entry `i`, which is known at run time."""
        if x not in self.wide:
            return self.first.get(x, x)
        return reshape(entry_at(self.wide[x], i), shape=x.shape)

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

    # ----- Values that enter and leave regions

    def passed(self, x: Value, target: Value) -> Value:
        """`x`, which becomes `target`: a carry of a loop, or the result of a branch.

        Axes of one element are removed: XLA would copy arrays that have them into another layout in
        every iteration.
        """
        if target not in self.varying:
            return self.first.get(x, x)
        shape = (self.axis.width, *(n for n in x.shape if n != 1))
        return reshape(self.widened(x), shape=shape)

    def bind(self, targets: Sequence[Value], values: Sequence[Value]) -> None:
        """Record that `targets` have become these values, which have been passed."""
        for target, x in zip(targets, values, strict=True):
            if target in self.varying:
                shape = (self.axis.width, *self.row_shape(target.shape))
                self.wide[target] = reshape(x, shape=shape)
            else:
                self.first[target] = x

    # ----- Masks

    def masked(self, condition: Value) -> Value:
        """The entries that run and for which the condition holds."""
        return condition if self.mask is None else and_(self.mask, condition)

    @contextmanager
    def under(self, mask: Value) -> Iterator[None]:
        """Only the entries of `mask` run what is emitted inside."""
        outer, self.mask = self.mask, mask
        try:
            yield
        finally:
            self.mask = outer

    def where_run(self, x: Value, other: Value | float) -> Value:
        """The wide `x` in the entries that run, `other` in the others."""
        return x if self.mask is None else where(self.mask, x, other)


def where(condition: Value, x: Value, other: Value | float) -> Value:
    """The entries of `x` where the condition holds, else those of `other`, or that number."""
    return select(broadcast(condition, shape=x.shape, dims=(0,)), x, other)


def entries(x: Value, start: int, limit: int) -> Value:
    """The entries of a wide value from `start` to `limit`."""
    return along_axis(x, 0, start, limit)


def entry(x: Value, i: int, shape: tuple[int, ...]) -> Value:
    """Entry `i` of a wide value, in this shape."""
    return reshape(entries(x, i, i + 1), shape=shape)


def entry_at(x: Value, i: Value) -> Value:
    """Entry `i` of a wide value, which is known at run time; the new axis stays."""
    zero = constant(0, I64.dtype)
    return dynamic_slice(x, i, *(zero for _ in x.shape[1:]), sizes=(1, *x.shape[1:]))
