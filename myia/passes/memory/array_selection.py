"""Arrays of which a loop chooses, trip by trip, what names stand for: families.

    %z = for %k < %n (%z = %x) {              %a, %b = for %k < %n (%a = %x, %b = %y) {
      %w = if %p { yield %y }                   %c, %d = if %p { yield %b, %a }
           else { yield %z }                             else { yield %a, %b }
      %1 = dynamic_slice %w, %k                 %e = write %u into %c at %k
      yield %w                                  yield %e, %d
    }                                         }
    %z, %w: %x or %y, which do not change     %a, ..., %e: one of two arrays, which are written

Left: names that come to stand for another array. Right: arrays that are exchanged. Of the members
of a family only windows are read, in all fewer elements than an array has: else a trip takes as
long as the choice of a whole array. Where members are written, there must at each place be one name
for each array, the newest version of it, so that the arrays need to be there only once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, reads
from myia.passes.analysis.accesses import STORES
from myia.passes.memory.load_of_select import MAX_SELECTED_ELEMENTS, UNKNOWN_TRIP_COUNT
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import slice as slice_
from myia.primitives.core.structured import Loop, if_p, loop_p

MAX_ARRAYS = 4  # arrays that a name may stand for
LOADS = (dynamic_slice, slice_)


@dataclass(frozen=True)
class ArraySelection:
    """`members`, which the loop defines, stand for one of `arrays`, which are there before it.

    `is_written`: members are stored into; each of `arrays` is then what a member begins with.
    """

    members: frozenset[Value]
    arrays: tuple[Value, ...]
    is_written: bool


def array_selection_of(op: Op) -> ArraySelection | None:
    """A family whose members a loop carries, if it has one."""
    arrays = [x for x in Loop.of(op).carries if x.aval.size > MAX_SELECTED_ELEMENTS]
    return next(_Search(op).families(), None) if arrays else None


class _Search:
    """What flows where in a loop, and how else it is read or made."""

    def __init__(self, op: Op):
        self.op, self.loop = op, Loop.of(op)
        self.inside: set[Value] = set()  # what the loop defines
        self.flows: list[tuple[Value, Value]] = []  # (x, y): y may be x
        self.others: set[Value] = set()  # what is read or made in another way
        self.stored: set[Value] = set()
        self.elements: dict[Value, int] = defaultdict(int)  # read or stored of it in a trip
        self._visit_loop(self.loop, 1)

    def families(self) -> Iterator[ArraySelection]:
        leaders = self._leaders()
        for lead in dict.fromkeys(leaders[x] for x in self.loop.body.args[1:] if x in leaders):
            members = {x for x, other in leaders.items() if other is lead}
            arrays = [x for x, y in self.flows if y in members and x not in self.inside]
            elements = sum(self.elements[x] for x in members)
            few = elements * len(set(arrays)) < lead.aval.size
            if few and members.isdisjoint(self.others):
                found = self._family(members, arrays)
                if found is not None:
                    yield found

    def _family(self, members: set[Value], arrays: Sequence[Value]) -> ArraySelection | None:
        if members.isdisjoint(self.stored):
            arrays = tuple(dict.fromkeys(arrays))
            return (
                ArraySelection(frozenset(members), arrays, False)
                if 2 <= len(arrays) <= MAX_ARRAYS
                else None
            )
        pairs = zip(self.loop.carries, self.loop.body.args[1:])
        carries = tuple(x for x, arg in pairs if arg in members)
        # What else comes from outside would have to be copied to be written.
        alone = 2 <= len(carries) <= MAX_ARRAYS and len(carries) == len(arrays)
        exchanged = alone and _Exchanges(members).are_made_by(self.loop)
        return ArraySelection(frozenset(members), carries, True) if exchanged else None

    def _leaders(self) -> dict[Value, Value]:
        """Of each value that the loop passes on, one that stands for all that may be the same."""
        leaders = {x: x for flow in self.flows for x in flow if x in self.inside}

        def leader(x: Value) -> Value:
            while leaders[x] is not x:
                x = leaders[x]
            return x

        for x, y in self.flows:
            if x in leaders:
                leaders[leader(x)] = leader(y)
        return {x: leader(x) for x in leaders}

    # ----- What the ops do

    def _visit_loop(self, loop: Loop, trips: int) -> None:
        args = loop.body.args[1:]
        self._flow(loop.carries, args)
        self._visit(loop.body, trips)
        self._flow(loop.body.yields, args)
        if loop.cond is not None:
            self._flow(args, loop.cond.args[1:])
            self._visit(loop.cond, trips)

    def _visit(self, region: Region, trips: int) -> None:
        """`trips`: how often it is run in a trip of the loop."""
        self.inside.update(region.args)
        for op in region.ops:
            self.inside.update(op.results)
            if op.primitive is if_p:
                for arm in op.regions:
                    self._visit(arm, trips)
                    self._flow(arm.yields, op.results)
            elif op.primitive is loop_p:
                inner = Loop.of(op)
                self._visit_loop(
                    inner, trips * (UNKNOWN_TRIP_COUNT if inner.bound is None else inner.bound)
                )
                self._flow(inner.body.args[1:], op.results)
            elif op.primitive in LOADS or op.primitive in STORES:
                self._visit_access(op, trips)
            else:
                self.others.update((*reads(op), *op.results))

    def _visit_access(self, op: Op, trips: int) -> None:
        array, *others = op.operands
        stores = op.primitive in STORES
        self.elements[array] += trips * (others[0] if stores else op.results[0]).aval.size
        self.others.update(others)
        if stores:
            self._flow([array], op.results)
            self.stored.update(op.results)
        else:
            self.others.update(op.results)

    def _flow(self, xs: Sequence[Value], ys: Sequence[Value]) -> None:
        self.flows += ((x, y) for x, y in zip(xs, ys) if y.aval.size > MAX_SELECTED_ELEMENTS)


class _Aliased(Exception):
    """Two names stand for one array, or one for an old version of it."""


Current = dict[Value, object]  # the newest version of each array, and which array it is


class _Exchanges:
    """Do trips exchange arrays by conditions, and have one name for each of them?"""

    def __init__(self, members: set[Value]):
        self.members = members
        self.conditional = False

    def are_made_by(self, loop: Loop) -> bool:
        try:
            self._loop(loop, loop.body.args[1:], {})
        except _Aliased:
            return False
        return self.conditional

    def _region(self, region: Region, current: Current) -> Current:
        """What is current at its end."""
        for op in region.ops:
            if op.primitive is if_p:
                current = self._if(op, current)
            elif op.primitive is loop_p:
                inner = Loop.of(op)
                which = self._take(inner.carries, current)
                after = self._loop(inner, which, current)
                current = {**current, **dict(zip(self._own(op.results), after, strict=True))}
            elif op.primitive in STORES and op.operands[0] in self.members:
                (which,) = self._take(op.operands[:1], current)
                current = {**current, op.results[0]: which}
            elif not self.members.intersection(op.operands) <= set(current):
                raise _Aliased
        return current

    def _if(self, op: Op, current: Current) -> Current:
        ends = [self._region(arm, dict(current)) for arm in op.regions]
        arms = [self._take(arm.yields, end) for arm, end in zip(op.regions, ends)]
        if ends[0] != ends[1] or not set(ends[0]) <= set(current):
            raise _Aliased
        which = [x if x is y else object() for x, y in zip(*arms)]
        self.conditional |= arms[0] != arms[1]
        return {**ends[0], **dict(zip(self._own(op.results), which, strict=True))}

    def _loop(self, loop: Loop, which: Sequence[object], others: Current) -> Sequence[object]:
        """Which arrays its results are, of carries that are these; the `others` it may read."""
        begin = [object() for _ in which]
        for region in filter(None, (loop.cond, loop.body)):
            args = dict(zip(self._own(region.args), begin))
            end = self._region(region, {**others, **args})
            if region is loop.body:
                after = self._take(region.yields, end)
                args = {}
            if end != {**others, **args}:
                raise _Aliased
        return [x if y is z else object() for x, y, z in zip(which, begin, after)]

    def _take(self, xs: Sequence[Value], current: Current) -> list[object]:
        """Which arrays the members among `xs` are; they are no longer current."""
        if not all(x in current for x in self._own(xs)):
            raise _Aliased
        try:
            return [current.pop(x) for x in self._own(xs)]
        except KeyError:
            raise _Aliased from None

    def _own(self, xs: Sequence[Value]) -> list[Value]:
        return [x for x in xs if x in self.members]
