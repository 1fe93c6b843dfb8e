"""What is known of integers in a program: how far apart two indices are, and in what range.

An integer is a sum of multiples of *atoms*, which are loop indices and integers of which nothing is
known, and a number. In `for %k < %n`, 0 <= %k <= %n - 1, and so on outwards:

    for %i < 9 { %n = sub 8, %i ; for %k < %n { %j = add %k, %i ; ... } }     %j - %i = %k >= 0
                                                                      8 - %j = 8 - %k - %i >= 1
Where an index is computed in another way, `as_index` says what is known of it. Overflow of 64 bits
is not thought of: such indices are in range of nothing. Who asks of other integers has to see that
they are exact.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.core import Op, Region, Value
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum

ONE = None  # the atom of numbers
Sum = Counter  # atom -> factor; factors are not zero


def as_index(x: Value, end: Value | None) -> Value:
    """Emit `x`, of which it is known that 0 <= x < end, in a way that `Ranges` can read."""
    low = x if end is None else minimum(x, sub(end, 1))
    return maximum(low, constant(0, I64.dtype))


class Ranges:
    """Of all integers of a region; `visit` adds what is defined in another."""

    def __init__(self, region: Region):
        self.sums: dict[Value, Sum] = {}
        self.ends: dict[Value, list[Sum]] = {}  # an index is less than each of these
        self.depth: dict[Value, int] = {}  # of indices: what their ends are made of has a smaller
        self.last: dict[Value, Sum] = {}  # of minima: what they do not exceed
        self.visit(region)

    def visit(self, region: Region, depth: int = 0) -> None:
        for op in region.ops:
            if len(op.results) == 1 and op.results[0].aval == I64:
                self.sums[op.results[0]] = self._sum(op)
                self._limited(op, depth)
            for inner in op.regions:
                if op.primitive in (loop_p, rev_p):
                    self._index(inner.args[0], Loop.of(op), depth + 1)
                self.visit(inner, depth + 2)

    def _limited(self, op: Op, depth: int) -> None:
        """Is it what `as_index` emits? A maximum with 0 may exceed a limit that is negative."""
        (y,) = op.results
        if op.primitive is minimum:
            self.last[y] = self.of(op.operands[1])
        if op.primitive is maximum and not self.of(op.operands[1]):
            last = self.last.get(op.operands[0])
            known = last is not None and self.not_negative(last)
            self.ends[y] = [plus(last, number(1))] if known else []
            self.depth[y] = depth

    def _index(self, k: Value, loop: Loop, depth: int) -> None:
        ends = [] if loop.count is None else [self.of(loop.count)]
        self.ends[k] = ends + ([] if loop.bound is None else [number(loop.bound)])
        self.depth[k] = depth

    def _sum(self, op: Op) -> Sum:
        if op.primitive is constant_p:
            return number(int(op.params["value"]))
        xs = [self.of(x) for x in op.operands if x.aval == I64]
        if op.primitive in (add, sub):
            return plus(*xs) if op.primitive is add else minus(*xs)
        if op.primitive is neg:
            return times(xs[0], -1)
        if op.primitive is mul:
            for x, y in (xs, xs[::-1]):
                if set(x) <= {ONE}:
                    return times(y, x[ONE])
        return Sum({op.results[0]: 1})

    # ----- Questions

    def of(self, x: Value) -> Sum:
        return self.sums.get(x) or (Sum() if x in self.sums else Sum({x: 1}))

    def place(self, starts: Sequence[Value]) -> tuple[Sum, ...]:
        return tuple(map(self.of, starts))

    def reach(self, x: Sum) -> set[Value]:
        """The atoms of a sum, and those on which it depends how large they are."""
        found, waiting = set(), [atom for atom in x if atom is not ONE]
        while waiting:
            atom = waiting.pop()
            if atom not in found:
                found.add(atom)
                ends = (a for end in self.ends.get(atom, ()) for a in end if a is not ONE)
                waiting += ends
        return found

    def not_negative(self, x: Sum) -> bool:
        """Is this sum at least zero whenever the place is reached where its atoms are defined?"""
        atoms = [atom for atom in x if atom is not ONE]
        if not atoms:
            return x[ONE] >= 0
        inner = max(atoms, key=lambda atom: self.depth.get(atom, -1))
        if inner not in self.depth:
            return False
        rest = Sum({atom: factor for atom, factor in x.items() if atom is not inner})
        if x[inner] > 0:
            return self.not_negative(rest)
        greatest = [minus(end, number(1)) for end in self.ends[inner]]
        return any(self.not_negative(plus(rest, times(end, x[inner]))) for end in greatest)

    def is_exact(self, x: Sum) -> bool:
        """Does the sum surely not overflow? One of NumPy's integers may, unless it is made of
        indices of loops and of what these end at."""
        indices = Sum({atom: 1 for atom in x if self.ends.get(atom)})
        return list(x.values()) == [1] or self.reach(indices).issuperset(x.keys() - {ONE})

    def same(self, xs: Sequence[Value], ys: Sequence[Value]) -> bool:
        """Are these the same integers?"""
        return self.place(xs) == self.place(ys)

    def apart(
        self,
        xs: Sequence[Sum],
        sizes: Sequence[int],
        ys: Sequence[Sum],
        others: Sequence[int],
        shape: Sequence[int],
    ) -> bool:
        """Have the windows that start at `xs` and at `ys`, of these sizes, no element in common?

        They lie in an array of this shape. Of one that stands out nothing can be said: it would be
        moved back.
        """
        axes = zip(xs, sizes, ys, others, shape)
        return any(
            self._before(x, m, y, n, extent) or self._before(y, n, x, m, extent)
            for x, m, y, n, extent in axes
        )

    def trips_apart(self, x: Value, size: int, extent: int, k: Value) -> bool:
        """Have the windows of `size` that start at `x` no element in common from trip to trip?

        `k` is the trip's index. They lie along an axis of this extent, and none stands out.
        """
        start = self.of(x)
        return (
            abs(start[k]) >= size
            and set(start) <= {k, ONE}
            and self.not_negative(start)
            and self.not_negative(minus(number(extent - size), start))
        )

    def ahead(self, x: Value, size: int, y: Value, other: int, extent: int, k: Value) -> bool:
        """Does a window at `x` lie where none at `y` has been, in this trip or one before?

        `k` is the trip's index; nothing else of what the two are made of changes in the loop.
        """
        here, behind = self.of(x), self.of(y)
        depth = self.depth.get(k, -1)
        if any(self.depth.get(atom, math.inf) > depth for atom in {*here, *behind} - {ONE}):
            return False
        before = behind[k] >= 0 and self._before(behind, other, here, size, extent)
        return before or (behind[k] <= 0 and self._before(here, size, behind, other, extent))

    def _before(self, x: Sum, size: int, y: Sum, other: int, extent: int) -> bool:
        """Does a window at `x` end before one at `y` begins, both in range?"""
        return (
            self.not_negative(minus(y, plus(x, number(size))))
            and self.not_negative(x)
            and self.not_negative(minus(number(extent - other), y))
        )


def number(n: int) -> Sum:
    return Sum({ONE: n}) if n else Sum()


def plus(x: Sum, y: Sum) -> Sum:
    found = Sum(x)
    for atom, factor in y.items():
        found[atom] += factor
    return Sum({atom: factor for atom, factor in found.items() if factor})


def times(x: Sum, n: int) -> Sum:
    return Sum({atom: factor * n for atom, factor in x.items() if factor * n})


def minus(x: Sum, y: Sum) -> Sum:
    return plus(x, times(y, -1))
