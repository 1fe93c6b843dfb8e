"""Which loops make trips that do not wait for one another.

    for %k < %n (%a = %a0, %s = %s0) bound 90 {         each trip has an element of %a to itself;
      %1 = dynamic_slice %b, %k {sizes=(1,)}            it reads what no other trip writes, and
      %2 = dynamic_slice %a, %k {sizes=(1,)}            adds to a sum that it does not look at
      %3 = mul %1, %2
      %4 = dynamic_update_slice %a, %3, %k
      %5 = add %s, %3
      yield %4, %5
    }

All is done on single elements. An access is at a place that is the same in all trips, or moves
along one axis by one from trip to trip and surely stays in the array (`ranges.py`). An array that
is written: each store lies apart from all other accesses of the other trips, or is followed by them
only after `width` trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value
from myia.passes.places import place_of
from myia.passes.ranges import ONE, Ranges, Sum, minus, number
from myia.passes.uses import uses, varying_in
from myia.primitives import arithmetic, logic
from myia.primitives.define import PointwisePrimitive, constant_p
from myia.primitives.shaping import broadcast, reshape
from myia.primitives.structured import Loop
from myia.primitives.windows import dynamic_slice, dynamic_update_slice

SUMS = {arithmetic.add, arithmetic.mul, arithmetic.max, arithmetic.min, logic.and_, logic.or_}
SUMS_INTO_THE_FIRST = {arithmetic.sub}
CASTS = {reshape, broadcast}


@dataclass(frozen=True)
class Moves:
    """How an access moves from trip to trip: by `step`, which is 1 or -1, along `axis`."""

    axis: int
    step: int


@dataclass(frozen=True)
class Total:
    """The op that adds to a carry what a trip has found, which is the operand `term`."""

    op: Op
    term: int


@dataclass(frozen=True)
class Trips:
    """What is known of independent trips."""

    varying: frozenset[Value]
    moves: Mapping[Op, Moves | None]  # of accesses; None: always in the same place
    totals: Mapping[Value, Total]  # by what the trips yield
    summing: frozenset[Op]  # these ops, and changes of the shape of what they sum up

    @property
    def direction(self) -> int:
        """The step of most accesses."""
        steps = sum(move.step for move in self.moves.values() if move is not None)
        return 1 if steps >= 0 else -1


def independent(loop: Loop, ranges: Ranges, width: int) -> Trips | None:
    """What `width` trips one after the other have in common, if they do not wait for each other."""
    body = loop.body
    if loop.count is None or loop.cond is not None or not all(map(_on_elements, body.ops)):
        return None
    found = _Search(body, ranges, width)
    arrays = [found.versions(i) for i in range(len(loop.carries))]
    totals = [None if array else found.total(i) for i, array in enumerate(arrays)]
    if any(array is None and total is None for array, total in zip(arrays, totals)):
        return None
    if not found.all_move() or not all(found.apart(versions) for versions in arrays if versions):
        return None
    if not any(found.moves.values()):
        return None
    chosen = {y: total for y, total in zip(body.yields, totals) if total is not None}
    return Trips(frozenset(found.varying), found.moves, chosen, frozenset(found.summing))


def _on_elements(op: Op) -> bool:
    if op.primitive is dynamic_update_slice:
        return op.operands[1].aval.size == 1
    known = isinstance(op.primitive, PointwisePrimitive) or op.primitive in CASTS
    known = known or op.primitive in (dynamic_slice, constant_p)
    return known and all(y.aval.size == 1 for y in op.results)


class _Search:
    """The trips of one loop."""

    def __init__(self, body: Region, ranges: Ranges, width: int):
        self.body, self.ranges, self.width = body, ranges, width
        self.varying = varying_in(body)
        self.moves: dict[Op, Moves | None] = {}
        self.summing: set[Op] = set()

    # ----- Carries

    def versions(self, i: int) -> list[Value] | None:
        """The versions of carry `i`, if it is an array of which elements are read and stored."""
        version = self.body.args[1 + i]
        found = [version]
        while version is not self.body.yields[i]:
            if version in self.body.yields:
                return None
            stores = [op for op in self._users(version) if op.primitive is dynamic_update_slice]
            if len(stores) != 1:
                return None
            (version,) = stores[0].results
            found.append(version)
        return found if len(found) > 1 and all(map(self._only_accessed, found)) else None

    def _only_accessed(self, version: Value) -> bool:
        return self.body.yields.count(version) <= 1 and all(
            op.primitive in (dynamic_slice, dynamic_update_slice)
            and op.operands[0] is version
            and op.operands.count(version) == 1
            for op in self._users(version)
        )

    def total(self, i: int) -> Total | None:
        """The sum into carry `i`, if nobody else looks at it."""
        total = self._uncast(self.body.args[1 + i])
        op = self._only_user(total)
        if op is None or op.operands.count(total) != 1:
            return None
        term = 1 - op.operands.index(total)
        if op.primitive not in SUMS and not (op.primitive in SUMS_INTO_THE_FIRST and term == 1):
            return None
        self.summing.add(op)
        end = self._uncast(op.results[0])
        unseen = not self._users(end) and self.body.yields.count(end) == 1
        return Total(op, term) if unseen and end is self.body.yields[i] else None

    def _uncast(self, x: Value) -> Value:
        """What becomes of `x` by changes of its shape alone."""
        op = self._only_user(x)
        while op is not None and op.primitive in CASTS:
            self.summing.add(op)
            (x,) = op.results
            op = self._only_user(x)
        return x

    def _only_user(self, x: Value) -> Op | None:
        users = self._users(x)
        return users[0] if len(users) == 1 and x not in self.body.yields else None

    def _users(self, x: Value) -> list[Op]:
        return uses(self.body).get(x, [])

    # ----- Accesses

    def all_move(self) -> bool:
        """Does each access of the trips stay where it is, or move by one, within the array?"""
        for op in self.body.ops:
            if op.primitive not in (dynamic_slice, dynamic_update_slice):
                continue
            if op.results[0] in self.varying and not self._moves(op):
                return False
        return True

    def _moves(self, op: Op) -> bool:
        place = self.ranges.place(place_of(op))
        if not all(self._is_known(start) for start in place):
            return False
        steps = self._steps(place)
        moving = [axis for axis, step in enumerate(steps) if step]
        if not moving:
            self.moves[op] = None
            return op.primitive is dynamic_slice
        if len(moving) > 1 or abs(steps[moving[0]]) != 1:
            return False
        (axis,) = moving
        self.moves[op] = Moves(axis, steps[axis])
        last = number(op.operands[0].shape[axis] - 1)
        inside = (place[axis], minus(last, place[axis]))
        return all(map(self.ranges.not_negative, inside))

    def _is_known(self, start: Sum) -> bool:
        return not (set(start) - {self.body.args[0], ONE}) & self.varying

    def _steps(self, place: tuple[Sum, ...]) -> list[int]:
        return [start[self.body.args[0]] for start in place]

    def apart(self, versions: list[Value]) -> bool:
        """Do the stores into an array leave alone what other trips access?"""
        accesses = [op for x in versions for op in self._users(x)]
        stores = [op for op in accesses if op.primitive is dynamic_update_slice]
        return all(self._in_any_order(op, other) for op in stores for other in accesses)

    def _in_any_order(self, op: Op, other: Op) -> bool:
        places = [self.ranges.place(place_of(x)) for x in (op, other)]
        steps = [self._steps(place) for place in places]
        if places[0] == places[1]:
            return True
        distance = [minus(x, y) for x, y in zip(*places)]
        shape = op.operands[0].shape
        return any(self._never_meet(*axis) for axis in zip(*places, *steps, distance, shape))

    def _never_meet(self, x: Sum, y: Sum, step: int, other: int, between: Sum, extent: int) -> bool:
        """Along one axis: neither in one trip nor in two of `width`."""
        if step != other:
            return False
        if step == 0:
            return self.ranges.apart((x,), (1,), (y,), (1,), (extent,))
        return set(between) <= {ONE} and abs(between[ONE]) >= self.width
