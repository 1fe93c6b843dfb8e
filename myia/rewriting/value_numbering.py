"""Value numbering through regions: values with the same number are congruent.

Two congruent values are equal whenever both are computed. A number stands for an interned
expression over free values, so it does not depend on the order of ops, nor on dead ops or carries
that a region has besides.

Results of loops are numbered optimistically. Carries of two loops with the same count are assumed
equal if they start equal; then classes of carries are split until the yields of the bodies agree
with them (partition refinement). So two loops are recognised to have the same trajectory even if
one of them carries more.

Only loops of one region are compared, or loops of two bodies that are being compared. Inside a body
the index and the classes of carries are symbols, the same for all loops at one depth. A number in a
body is an expression of these symbols, and is compared only with others of the same bodies and
classes. So a congruence of inner loops holds wherever their inputs have the same numbers.

When it gives up: loops are equal only if they run the same iterations; results of other ops with
regions, except `if`, and of ops with effects equal only themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import count

from myia.ir.core import Op, Region, Value, has_effect, reads
from myia.ir.rewrite import Env
from myia.primitives.core.structured import Loop, if_p, loop_p


class Numbering:
    """Numbers of the values of one region and of the regions nested in it.

    `compare_loops`: look for congruent carries among the loops of the region itself.
    """

    def __init__(self, *, compare_loops: bool = True):
        self.interned: dict[Hashable, int] = {}
        self.numbers: dict[Value, int] = {}
        # The loops of this region so far: later ones are compared with them.
        self.loops: list[Op] | None = [] if compare_loops else None
        self.depth = 0  # how many loops are around the region that is visited
        self.looks_into_loops = True
        self.compared: dict[Hashable, list[list[int]] | None] = {}
        self.first_iterations: dict[Hashable, frozenset[tuple[int, int]]] = {}

    def number(self, x: Value) -> int:
        """The number of `x`; a free value is congruent only to itself."""
        if x not in self.numbers:
            self.numbers[x] = self._intern(("value", x))
        return self.numbers[x]

    def set_equal(self, x: Value, y: Value) -> None:
        self.numbers[x] = self.number(y)

    def numbers_of(self, xs: Iterable[Value]) -> list[int]:
        return [self.number(x) for x in xs]

    def visit(self, ops: Iterable[Op]) -> None:
        for op in ops:
            if op.primitive is if_p:
                self._if(op)
            elif op.primitive is loop_p:
                self._loop(op)
            elif not op.regions and not op.primitive.effect:
                key = (op.primitive, op.params_key, *self.numbers_of(op.operands))
                for i, y in enumerate(op.results):
                    self.numbers[y] = self._intern((key, i))

    def repeated_values(self, ops: Iterable[Op]) -> Env:
        """value -> congruent earlier value, for ops without effect of which all results have one.

        Common subexpressions are equal ops; these may also be loops of which one carries more.
        """
        first: dict[int, Value] = {}
        equal: Env = {}
        for op in ops:
            numbers = self.numbers_of(op.results)
            if all(n in first for n in numbers) and not has_effect(op):
                equal.update((y, first[n]) for n, y in zip(numbers, op.results))
            for n, y in zip(numbers, op.results):
                first.setdefault(n, y)
        return equal

    def matching_carries(self, one: Loop, other: Loop) -> list[int] | None:
        """For each carry of `one` the position of a congruent carry of `other`.

        None if a carry has none, or if the two loops do not run the same iterations.
        """
        found = self._classes(one, other)
        common = self._common(found)
        whole = found is not None and len(common) == len(one.carries)
        return [common[i] for i in range(len(common))] if whole else None

    def common_carries(self, one: Op, other: Op) -> dict[int, int]:
        """The positions of carries of `one` and of their congruent carries of `other`.

        Empty if the two loops do not run the same iterations.
        """
        return self._common(self._compared(one, other))

    def _common(self, found: Sequence[Sequence[int]] | None) -> dict[int, int]:
        if found is None:
            return {}
        positions = {c: j for j, c in enumerate(found[1])}
        return {i: positions[c] for i, c in enumerate(found[0]) if c in positions}

    def _intern(self, key: Hashable) -> int:
        return self.interned.setdefault(key, len(self.interned))

    # ----- Ops with regions

    def _if(self, op: Op) -> None:
        for region in op.regions:
            self.visit(region.ops)
        pred = self.number(op.operands[0])
        then, other = op.regions
        for y, a, b in zip(op.results, then.yields, other.yields):
            self.numbers[y] = self._intern((if_p, pred, self.number(a), self.number(b)))

    def _loop(self, op: Op) -> None:
        if not self.looks_into_loops:
            return self._shallow_loop(op)
        equal: dict[int, int] = {}  # position of a carry -> number of one that is equal
        for other in self.loops or ():
            found = self._compared(op, other)
            if found is not None:
                known = dict(zip(found[1], self.numbers_of(other.results)))
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
            self.numbers[y] = self._intern((loop_p, count, self.number(x)))

    def _inputs(self, op: Op) -> tuple[int, ...]:
        """The numbers of all values that a loop reads."""
        return tuple(self.numbers_of(reads(op)))

    def _compared(self, one: Op, other: Op) -> list[list[int]] | None:
        """As `_classes`, of two loops of one region; cached by their inputs."""
        ours, theirs = self._inputs(one), self._inputs(other)
        key = one, other, ours, theirs
        if key not in self.compared:
            first = self._first_iteration(one, ours), self._first_iteration(other, theirs)
            disjoint = one.results and first[0].isdisjoint(first[1])
            self.compared[key] = None if disjoint else self._classes(Loop.of(one), Loop.of(other))
        return self.compared[key]

    def _first_iteration(self, op: Op, inputs: Hashable) -> frozenset[tuple[int, int]]:
        """The numbers of each carry before and after one iteration.

        Congruent carries have them in common, so this rules out most pairs of loops cheaply. Inner
        loops are not looked into: carries that start equal count as equal after equal trip counts.
        """
        if (op, inputs) not in self.first_iterations:
            loop, outer = Loop.of(op), (self.looks_into_loops, self.depth)
            starts = self.numbers_of(loop.carries)
            self.looks_into_loops, self.depth = False, self.depth + 1
            self.first_iterations[op, inputs] = frozenset(
                zip(starts, self._applied(loop.body, starts))
            )
            self.looks_into_loops, self.depth = outer
        return self.first_iterations[op, inputs]

    def _classes(self, one: Loop, other: Loop) -> list[list[int]] | None:
        """The class of each carry of both loops; None if they do not run the same iterations."""
        if (one.cond is None) != (other.cond is None) or self._count(one) != self._count(other):
            return None
        labels = _labels(self.numbers_of((*one.carries, *other.carries)))
        ours, theirs = _split([one, other], labels)
        if one.carries and not set(ours) & set(theirs):
            return None
        classes, conditions = self._refined([one, other], labels)
        return classes if conditions[0] == conditions[1] else None

    def _count(self, loop: Loop) -> int | None:
        return None if loop.count is None else self.number(loop.count)

    def _refined(
        self, loops: Sequence[Loop], labels: list[int]
    ) -> tuple[list[list[int]], list[list[int] | None]]:
        """The coarsest classes that the bodies respect, and what the conditions yield in them."""
        outer = self.loops, self.depth
        while True:
            self.loops, self.depth = [], outer[1] + 1
            yields: list[int] = []
            conditions: list[list[int] | None] = []
            for loop, classes in zip(loops, _split(loops, labels)):
                yields += self._applied(loop.body, classes)
                cond = loop.cond
                conditions.append(None if cond is None else self._applied(cond, classes))
            self.loops, self.depth = outer
            refined = _refinement(labels, yields)
            if refined == labels:
                return _split(loops, labels), conditions
            labels = refined

    def _applied(self, region: Region, classes: Sequence[int]) -> list[int]:
        """The numbers of what a region of a loop yields if each carry stands for its class."""
        self.numbers[region.args[0]] = self._intern(("index", self.depth))
        for x, c in zip(region.args[1:], classes, strict=True):
            self.numbers[x] = self._intern(("carry", self.depth, c))
        self.visit(region.ops)
        return self.numbers_of(region.yields)


def _labels(keys: Iterable[Hashable]) -> list[int]:
    """Equal labels for equal keys."""
    found: dict[Hashable, int] = {}
    return [found.setdefault(key, len(found)) for key in keys]


def _refinement(labels: Sequence[int], keys: Sequence[Hashable]) -> list[int]:
    """Classes split by the keys of their members.

    The first part of a class keeps its label. So the numbers of values that depend only on classes
    that are not split stay the same.
    """
    parts: dict[Hashable, int] = {}
    fresh = count(max(labels, default=-1) + 1)
    taken: set[int] = set()
    for label, key in zip(labels, keys, strict=True):
        if (label, key) not in parts:
            parts[label, key] = next(fresh) if label in taken else label
            taken.add(label)
    return [parts[pair] for pair in zip(labels, keys)]


def _split(loops: Sequence[Loop], labels: Sequence[int]) -> list[list[int]]:
    rest = iter(labels)
    return [[next(rest) for _ in loop.carries] for loop in loops]
