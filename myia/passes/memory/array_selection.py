"""Arrays that a loop selects or permutes: which carried names may stand for which arrays.

    %z = for %k < %n (%z = %x) {              %a, %b = for %k < %n (%a = %x, %b = %y) {
      %w = if %p { yield %y }                   %c, %d = if %p { yield %b, %a }
           else { yield %z }                             else { yield %a, %b }
      %1 = dynamic_slice %w, %k                 %e = write %u into %c at %k
      yield %w                                  yield %e, %d
    }                                         }
    selected: %z, %w are %x or %y,            permuted: %a, ..., %e are one of two arrays,
    which do not change                       which are stored into

What it computes: for a loop, an `ArraySelection`: a set of values that the loop defines (its
`members`) and the points-to set that they share (its `arrays`).

What it guarantees: slices of members are loaded and stored, members are passed on, and nothing else
is done with them. The slices of an iteration, read from each of the arrays, have fewer elements
than one array: otherwise selecting the whole array costs no more than the iteration itself. If
members are stored into, each array has one name at each point of the program, that of its newest
version, so one copy of each array is enough.

When it gives up: a member is used in any other way; two members are the same array at one point, or
an old version is still used; the points-to set has more than `MAX_ARRAYS` arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, reads
from myia.passes.memory.load_of_select import MAX_CHEAP_SELECT_ELEMENTS, UNKNOWN_TRIP_COUNT
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice
from myia.primitives.arrays.shaping import slice as slice_
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.rewriting.value_classes import ValueClasses

MAX_ARRAYS = 4  # in the points-to set of a name
LOADS = (dynamic_slice, slice_)


@dataclass(frozen=True)
class ArraySelection:
    """Each of `members`, which the loop defines, is one of `arrays`, which are defined before it.

    `is_written`: members are stored into; `arrays` are then the initial values of the members that
    are carried, in order.
    """

    members: frozenset[Value]
    arrays: tuple[Value, ...]
    is_written: bool


def array_selection_of(op: Op) -> ArraySelection | None:
    """An `ArraySelection` whose members the loop carries, if it has one."""
    arrays = [x for x in Loop.of(op).carries if x.aval.size > MAX_CHEAP_SELECT_ELEMENTS]
    return next(_Search(op).selections(), None) if arrays else None


class _Search:
    """Which values of a loop may be which others, and how else they are used."""

    def __init__(self, op: Op):
        self.op, self.loop = op, Loop.of(op)
        self.inside: set[Value] = set()  # what the loop defines
        self.flows: list[tuple[Value, Value]] = []  # (x, y): y may be x
        self.others: set[Value] = set()  # what is used or computed in another way
        self.stored: set[Value] = set()
        self.elements: dict[Value, int] = defaultdict(int)  # loaded or stored per iteration
        self._visit_loop(self.loop, 1)

    def selections(self) -> Iterator[ArraySelection]:
        roots = self._roots()
        for root in dict.fromkeys(roots[x] for x in self.loop.body.args[1:] if x in roots):
            members = {x for x, other in roots.items() if other is root}
            arrays = [x for x, y in self.flows if y in members and x not in self.inside]
            elements = sum(self.elements[x] for x in members)
            accesses_less = elements * len(set(arrays)) < root.aval.size
            if accesses_less and members.isdisjoint(self.others):
                found = self._selection(members, arrays)
                if found is not None:
                    yield found

    def _selection(self, members: set[Value], arrays: Sequence[Value]) -> ArraySelection | None:
        if members.isdisjoint(self.stored):
            arrays = tuple(dict.fromkeys(arrays))
            if not 2 <= len(arrays) <= MAX_ARRAYS:
                return None
            return ArraySelection(frozenset(members), arrays, is_written=False)
        pairs = zip(self.loop.carries, self.loop.body.args[1:])
        carries = tuple(x for x, arg in pairs if arg in members)
        # Any other array from outside would have to be copied before it is stored into.
        only_carries = 2 <= len(carries) <= MAX_ARRAYS and len(carries) == len(arrays)
        if not only_carries or not _OneNameEach(members).holds_for(self.loop):
            return None
        return ArraySelection(frozenset(members), carries, is_written=True)

    def _roots(self) -> dict[Value, Value]:
        """The representative of all values that may be the same array, for each."""
        classes = ValueClasses()
        for x, y in self.flows:
            if x in self.inside:
                classes.unite(x, y)
        return {x: classes.of(x) for flow in self.flows for x in flow if x in self.inside}

    # ----- What the ops do

    def _visit_loop(self, loop: Loop, times: int) -> None:
        args = loop.body.args[1:]
        self._add_flow(loop.carries, args)
        self._visit(loop.body, times)
        self._add_flow(loop.body.yields, args)
        if loop.cond is not None:
            self._add_flow(args, loop.cond.args[1:])
            self._visit(loop.cond, times)

    def _visit(self, region: Region, times: int) -> None:
        """`times`: how often the region is executed in an iteration of the loop."""
        self.inside.update(region.args)
        for op in region.ops:
            self.inside.update(op.results)
            if op.primitive is if_p:
                for arm in op.regions:
                    self._visit(arm, times)
                    self._add_flow(arm.yields, op.results)
            elif op.primitive is loop_p:
                inner = Loop.of(op)
                bound = UNKNOWN_TRIP_COUNT if inner.bound is None else inner.bound
                self._visit_loop(inner, times * bound)
                self._add_flow(inner.body.args[1:], op.results)
            elif op.primitive in LOADS or op.primitive in STORES:
                self._visit_access(op, times)
            else:
                self.others.update((*reads(op), *op.results))

    def _visit_access(self, op: Op, times: int) -> None:
        array, *others = op.operands
        is_store = op.primitive in STORES
        self.elements[array] += times * (others[0] if is_store else op.results[0]).aval.size
        self.others.update(others)
        if is_store:
            self._add_flow([array], op.results)
            self.stored.update(op.results)
        else:
            self.others.update(op.results)

    def _add_flow(self, xs: Sequence[Value], ys: Sequence[Value]) -> None:
        self.flows += ((x, y) for x, y in zip(xs, ys) if y.aval.size > MAX_CHEAP_SELECT_ELEMENTS)


class _Aliased(Exception):
    """Two names stand for one array, or a name stands for an old version of an array."""


class _OneNameEach:
    """Do the members of a loop have one name for each array, that of its newest version?

    A linear type check: a store, a loop, a branch or the end of a region consumes each member once,
    after its last load. `current` are those that have not been consumed.
    """

    def __init__(self, members: set[Value]):
        self.members = members

    def holds_for(self, loop: Loop) -> bool:
        try:
            self._loop(loop, set())
        except _Aliased:
            return False
        return True

    def _region(self, region: Region, current: set[Value]) -> set[Value]:
        """The current members at the end of the region."""
        for op in region.ops:
            if op.primitive is if_p:
                ends = [self._left(arm.yields, self._region(arm, current)) for arm in op.regions]
                if ends[0] != ends[1] or not ends[0] <= current:
                    raise _Aliased
                current = ends[0] | self.members.intersection(op.results)
            elif op.primitive is loop_p:
                current = self._left(Loop.of(op).carries, current)
                self._loop(Loop.of(op), current)
                current = current | self.members.intersection(op.results)
            elif op.primitive in STORES and op.operands[0] in self.members:
                current = self._left(op.operands[:1], current) | {op.results[0]}
            elif not self.members.intersection(op.operands) <= current:
                raise _Aliased
        return current

    def _loop(self, loop: Loop, others: set[Value]) -> None:
        """The loop may read the `others`, but not consume them."""
        for region in filter(None, (loop.cond, loop.body)):
            args = self.members.intersection(region.args)
            end = self._region(region, others | args)
            consumed = region.yields if region is loop.body else tuple(args)
            if self._left(consumed, end) != others:
                raise _Aliased

    def _left(self, consumed: Sequence[Value], current: set[Value]) -> set[Value]:
        """The members that are current after these have been consumed."""
        members = [x for x in consumed if x in self.members]
        if len(set(members)) < len(members) or not current.issuperset(members):
            raise _Aliased
        return current.difference(members)
