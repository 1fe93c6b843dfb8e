"""Value numbering through regions: values with the same number are equal, whenever both exist.

The numbers are interned expressions over whatever stands free, so they do not depend on the order
of ops, nor on which dead ops or carries a region has besides. Results of loops are numbered
optimistically: carries of two loops with the same count are assumed equal when they start equal,
and classes of carries are split until what the bodies yield agrees with them (partition
refinement). So a loop that carries more besides is recognised as following the same trajectory.

Only loops of the same region are compared, or of the bodies of two loops being compared. In a body
the index and the classes of carries are symbols, the same for all loops at one depth: a number is
an expression of them, and is compared only with others of the same bodies and classes. So what is
found of inner loops holds wherever their inputs have the same numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import count

from myia.ir.core import Op, Region, Value, reads
from myia.primitives.core.structured import Loop, if_p, loop_p


class Numbering:
    """Numbers of the values of one region and of those nested in it.

    `compare_loops`: look for equal carries of the loops of the region itself.
    """

    def __init__(self, *, compare_loops: bool = True):
        self.interned: dict[Hashable, int] = {}
        self.numbers: dict[Value, int] = {}
        # The loops of this region so far, to compare others with.
        self.loops: list[Op] | None = [] if compare_loops else None
        self.depth = 0  # of loops around the region that is visited
        self.deep = True  # look into inner loops?
        self.compared: dict[Hashable, list[list[int]] | None] = {}
        self.first_trips: dict[Hashable, frozenset[tuple[int, int]]] = {}

    def of(self, x: Value) -> int:
        """The number of `x`; a value that nothing here defines is equal only to itself."""
        if x not in self.numbers:
            self.numbers[x] = self._intern(("value", x))
        return self.numbers[x]

    def set_equal(self, x: Value, y: Value) -> None:
        self.numbers[x] = self.of(y)

    def all(self, xs: Iterable[Value]) -> list[int]:
        return [self.of(x) for x in xs]

    def visit(self, ops: Iterable[Op]) -> None:
        for op in ops:
            if op.primitive is if_p:
                self._if(op)
            elif op.primitive is loop_p:
                self._loop(op)
            elif not op.regions and not op.primitive.effect:
                key = (op.primitive, op.params_key, *self.all(op.operands))
                for i, y in enumerate(op.results):
                    self.numbers[y] = self._intern((key, i))

    def matching_carries(self, one: Loop, other: Loop) -> list[int] | None:
        """For each carry of `one` the position of an equal carry of `other`, if all have one.

        And the two loops make the same trips.
        """
        found = self._classes(one, other)
        common = self._common(found)
        whole = found is not None and len(common) == len(one.carries)
        return [common[i] for i in range(len(common))] if whole else None

    def common_carries(self, one: Op, other: Op) -> dict[int, int]:
        """Which carries of `one` are which of `other`; none if they do not make the same trips."""
        return self._common(self._compared(one, other))

    def _common(self, found) -> dict[int, int]:
        if found is None:
            return {}
        places = {c: j for j, c in enumerate(found[1])}
        return {i: places[c] for i, c in enumerate(found[0]) if c in places}

    def _intern(self, key: Hashable) -> int:
        return self.interned.setdefault(key, len(self.interned))

    # ----- Ops with regions

    def _if(self, op: Op) -> None:
        for region in op.regions:
            self.visit(region.ops)
        pred = self.of(op.operands[0])
        then, other = op.regions
        for y, a, b in zip(op.results, then.yields, other.yields):
            self.numbers[y] = self._intern((if_p, pred, self.of(a), self.of(b)))

    def _loop(self, op: Op) -> None:
        if not self.deep:
            return self._shallow_loop(op)
        equal: dict[int, int] = {}  # position of a carry -> number of one that is equal
        for other in self.loops or ():
            found = self._compared(op, other)
            if found is not None:
                known = dict(zip(found[1], self.all(other.results)))
                equal |= {i: known[c] for i, c in enumerate(found[0]) if c in known}
            if len(equal) == len(op.results):
                break
        inputs = self._inputs(op)
        for i, y in enumerate(op.results):
            self.numbers[y] = equal[i] if i in equal else self._intern((op, inputs, i))
        if self.loops is not None:
            self.loops.append(op)

    def _shallow_loop(self, op: Op) -> None:
        loop = Loop.of(op)
        count = self._count(loop)
        for y, x in zip(op.results, loop.carries):
            self.numbers[y] = self._intern((loop_p, count, self.of(x)))

    def _inputs(self, op: Op) -> tuple[int, ...]:
        """The numbers of all that a loop reads."""
        return tuple(self.all(reads(op)))

    def _compared(self, one: Op, other: Op) -> list[list[int]] | None:
        """As `_classes`, of two loops of one region: found once for the same inputs."""
        ours, theirs = self._inputs(one), self._inputs(other)
        key = one, other, ours, theirs
        if key not in self.compared:
            first = self._first_trip(one, ours), self._first_trip(other, theirs)
            apart = one.results and first[0].isdisjoint(first[1])
            self.compared[key] = None if apart else self._classes(Loop.of(one), Loop.of(other))
        return self.compared[key]

    def _first_trip(self, op: Op, inputs: Hashable) -> frozenset[tuple[int, int]]:
        """What carries start with, and what becomes of that: equal carries have it in common.

        Inner loops are not looked into: what starts equal counts as equal after as many trips.
        """
        if (op, inputs) not in self.first_trips:
            loop, outer = Loop.of(op), (self.deep, self.depth)
            starts = self.all(loop.carries)
            self.deep, self.depth = False, self.depth + 1
            self.first_trips[op, inputs] = frozenset(zip(starts, self._applied(loop.body, starts)))
            self.deep, self.depth = outer
        return self.first_trips[op, inputs]

    def _classes(self, one: Loop, other: Loop) -> list[list[int]] | None:
        """The class of each carry of both loops; None if they do not make the same trips."""
        if (one.cond is None) != (other.cond is None) or self._count(one) != self._count(other):
            return None
        labels = _labels(self.all((*one.carries, *other.carries)))
        ours, theirs = _split([one, other], labels)
        if one.carries and not set(ours) & set(theirs):
            return None
        classes, conditions = self._refined([one, other], labels)
        return classes if conditions[0] == conditions[1] else None

    def _count(self, loop: Loop) -> int | None:
        return None if loop.count is None else self.of(loop.count)

    def _refined(self, loops: Sequence[Loop], labels: list[int]):
        """The coarsest classes of carries that the bodies respect, and what the conditions are."""
        outer = self.loops, self.depth
        while True:
            self.loops, self.depth = [], outer[1] + 1
            yields, conditions = [], []
            for loop, classes in zip(loops, _split(loops, labels)):
                yields += self._applied(loop.body, classes)
                conditions.append(loop.cond and self._applied(loop.cond, classes))
            self.loops, self.depth = outer
            refined = _refinement(labels, yields)
            if refined == labels:
                return _split(loops, labels), conditions
            labels = refined

    def _applied(self, region: Region, classes: Sequence[int]) -> list[int]:
        """The numbers of what a region of a loop yields when its carries are their classes."""
        self.numbers[region.args[0]] = self._intern(("index", self.depth))
        for x, c in zip(region.args[1:], classes, strict=True):
            self.numbers[x] = self._intern(("carry", self.depth, c))
        self.visit(region.ops)
        return self.all(region.yields)


def _labels(keys: Iterable[Hashable]) -> list[int]:
    """Equal labels for equal keys."""
    found: dict[Hashable, int] = {}
    return [found.setdefault(key, len(found)) for key in keys]


def _refinement(labels: Sequence[int], keys: Sequence[Hashable]) -> list[int]:
    """Classes split by the keys of their members. The first part of each keeps its label, so that
    what depends on classes that stay whole is numbered as before."""
    parts: dict[Hashable, int] = {}
    fresh = count(max(labels, default=-1) + 1)
    taken: set[int] = set()
    for label, key in zip(labels, keys, strict=True):
        if (label, key) not in parts:
            parts[label, key] = next(fresh) if label in taken else label
            taken.add(label)
    return [parts[pair] for pair in zip(labels, keys)]


def _split(loops: Sequence[Loop], labels: Sequence[int]) -> list[Sequence[int]]:
    labels = iter(labels)
    return [[next(labels) for _ in loop.carries] for loop in loops]
