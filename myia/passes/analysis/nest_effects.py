"""What a nest of counted loops does to its carries: what it adds to them, in any order, and what
becomes of elements that a trip has to itself.

    %g, %s = for %i < 60 (%g = %g0, %s = %s0) {           to %g at (%j): %2, in the trips (%i, %j)
      %g, %s = for %j < 40 (%g = %g, %s = %s) {           to %s:         %1, in the same
        ...
        %3 = dynamic_slice %g, %j {sizes=(1,)}
        %4 = add %3, %2 {reassoc=True}
        %g = dynamic_update_slice %g, %4, %j
        %s = add %s, %1 {reassoc=True}
        yield %g, %s
      }
      yield %g, %s
    }

The reversal of loops over elements reads arrays and adds to cotangents (`reassoc`). More than that,
and what is not known, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, captures
from myia.passes.analysis.accesses import start_indices
from myia.passes.analysis.array_reductions import SHAPE_CHANGES
from myia.passes.analysis.def_use import uses
from myia.passes.analysis.linear_indices import ONE, IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add

Path = tuple[Value, ...]  # the indices of loops, from the outermost one


class NoWholeArrayForm(Exception):
    """A nest is not made of operations of whole arrays, or that is not worth it."""


@dataclass(frozen=True)
class Addition:
    """In each trip of the loops of `path`, `op` adds `term`; to an element, where `store` says."""

    op: Op
    term: Value
    store: Op | None
    path: Path


@dataclass(frozen=True)
class Assignment:
    """In each trip of the loops of `path` an element becomes `term`, computed from what is read."""

    term: Value
    store: Op
    path: Path
    reads: tuple[Op, ...]

    @property
    def op(self) -> Op:
        return self.store


Effect = Addition | Assignment


class LoopNest:
    """A loop, and those in its trips, which all make a number of trips that is known."""

    def __init__(self, op: Op, ranges: IndexRanges):
        """Raises `NoWholeArrayForm` if another op with regions is in it, or one with an effect."""
        self.ranges = ranges
        self.trip_counts: dict[Value, int] = {}  # by index
        self.definitions: dict[Value, Op] = {}
        self.carried: set[Value] = set()
        self._enter(op)

    def _enter(self, op: Op) -> None:
        loop = Loop.of(op)
        count = None if loop.count is None else self.ranges.linear_form(loop.count)
        if loop.cond is not None or count is None or not set(count) <= {ONE}:
            raise NoWholeArrayForm
        index, *args = loop.body.args
        self.trip_counts[index] = count[ONE]
        self.carried.update(args)
        for inner in loop.body.ops:
            self.definitions.update((y, inner) for y in inner.results)
            if inner.primitive is loop_p:
                self._enter(inner)
            elif inner.regions or inner.primitive.effect:
                raise NoWholeArrayForm

    def effects_on_carry(self, op: Op, i: int, path: Path = ()) -> Iterator[Effect]:
        """What loop `op`, in the trips of `path`, does to its carry `i`."""
        body = Loop.of(op).body
        version, end = body.args[1 + i], body.yields[i]
        inner = (*path, body.args[0])
        while version is not end:
            version = yield from self._next(body, version, inner)
        if uses(body).get(end) or body.yields.count(end) != 1:
            raise NoWholeArrayForm

    def _next(self, body: Region, version: Value, path: Path) -> Iterator[Effect]:
        """The version after this one, and what has been added to make it."""
        users = uses(body).get(version, [])
        stores = [op for op in users if op.primitive is dynamic_update_slice]
        if stores and version not in body.yields:
            return (yield from self._stored(body, version, users, stores[0], path))
        op = _only_user(body, version)
        if op.operands.count(version) != 1:
            raise NoWholeArrayForm
        if op.primitive is loop_p:
            return (yield from self._through(op, version, path))
        if version.aval.size != 1:
            raise NoWholeArrayForm
        if op.primitive not in SHAPE_CHANGES:
            yield Addition(op, _other(op, version), None, path)
        return op.results[0]

    def _through(self, op: Op, version: Value, path: Path) -> Iterator[Effect]:
        carries = Loop.of(op).carries
        if version not in carries or version in captures(*op.regions):
            raise NoWholeArrayForm
        i = carries.index(version)
        yield from self.effects_on_carry(op, i, path)
        return op.results[i]

    def _stored(
        self, body: Region, version: Value, users: list[Op], store: Op, path: Path
    ) -> Iterator[Effect]:
        """What becomes of an element that a trip has to itself, or that it adds to."""
        reads = [op for op in users if op is not store]
        if store.operands.count(version) != 1 or store.operands[0] is not version:
            raise NoWholeArrayForm
        if store.operands[1].aval.size != 1 or not all(self._reads_it(op, store) for op in reads):
            raise NoWholeArrayForm
        terms = _added(body, reads[0], store) if len(reads) == 1 else None
        if terms is None:
            yield Assignment(store.operands[1], store, path, tuple(reads))
        else:
            yield from (Addition(op, term, store, path) for op, term in terms)
        return store.results[0]

    def _reads_it(self, op: Op, store: Op) -> bool:
        """Does `op` read the element that is stored?"""
        one = op.primitive is dynamic_slice and op.results[0].aval.size == 1
        return one and self.ranges.are_equal(start_indices(op), start_indices(store))


def _added(body: Region, read: Op, store: Op) -> list[tuple[Op, Value]] | None:
    """What is added to an element that is read, until it is stored; and by which ops."""
    found = []
    (x,) = read.results
    try:
        while (op := _only_user(body, x)) is not store:
            if op.primitive not in SHAPE_CHANGES:
                found.append((op, _other(op, x)))
            (x,) = op.results
    except NoWholeArrayForm:
        return None
    return found


def _only_user(body: Region, x: Value) -> Op:
    users = uses(body).get(x, [])
    if len(users) != 1 or x in body.yields:
        raise NoWholeArrayForm
    return users[0]


def _other(op: Op, x: Value) -> Value:
    """What is added to `x`, in any order."""
    free = op.primitive is add and op.params.get("reassoc", False)
    if not free or op.operands.count(x) != 1:
        raise NoWholeArrayForm
    return op.operands[1 - op.operands.index(x)]
