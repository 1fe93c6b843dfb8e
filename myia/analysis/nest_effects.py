"""Effects of a nest of counted loops on the arrays and scalars that it carries.

    %g, %s = for %i < 60 (%g = %g0, %s = %s0) {           to %g at (%j): adds %2, for all (%i, %j)
      %g, %s = for %j < 40 (%g = %g, %s = %s) {           to %s:         adds %1, for all (%i, %j)
        ...
        %3 = dynamic_slice %g, %j {sizes=(1,)}
        %4 = add %3, %2 {reassoc=True}
        %g = dynamic_update_slice %g, %4, %j
        %s = add %s, %1 {reassoc=True}
        yield %g, %s
      }
      yield %g, %s
    }

What it computes: for each carried value the additions and assignments that the nest makes, each
with the loops around it. The adjoint of loops over elements is of this form: it reads arrays and
adds to cotangents (`reassoc`).

What it guarantees: the effects listed are all, and nothing else uses the values in between. So the
additions may be made in any order.

When it gives up (`NoWholeArrayForm`): loops without a constant trip count (unless `triangles` are
allowed, whose loops have a bound) or with a condition, other ops with regions or effects, sums that
have an order, an iteration that loads another slice of an array than it stores.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from myia.analysis.linear_indices import (
    ONE,
    IndexRanges,
    LinearForm,
    constant_form,
    is_same_slice,
    minus,
)
from myia.analysis.reductions import array_reduction_at
from myia.ir.core import Op, Region, Value, captures
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.def_use import uses
from myia.widening.summary import SHAPE_CHANGES, ArrayReduction

Path = tuple[Value, ...]  # the indices of the loops around an op, the outermost first


class NoWholeArrayForm(Exception):
    """A nest cannot be expressed by ops on whole arrays, or that does not pay."""


@dataclass(frozen=True)
class Addition:
    """In each iteration of the loops of `path`, `op` adds `term`.

    It adds to the slice that `store` stores; to a carried scalar if `store` is None.
    """

    op: Op
    term: Value
    store: Op | None
    path: Path


@dataclass(frozen=True)
class Assignment:
    """In each iteration of the loops of `path` an element becomes `term`.

    `reads` are the loads of the old element, from which `term` may be computed.
    """

    term: Value
    store: Op
    path: Path
    reads: tuple[Op, ...]

    @property
    def op(self) -> Op:
        return self.store


Effect = Addition | Assignment
NextVersion = Generator[Effect, None, Value]


class LoopNest:
    """A loop and all loops inside it, each with a trip count that is known at compile time.

    With `triangles` the count of an inner loop may depend on the indices of outer ones: then
    `trip_counts` has its bound, and `varying_counts` the linear form of the count.
    """

    def __init__(self, op: Op, ranges: IndexRanges, triangles: bool = False):
        """Raises `NoWholeArrayForm` if another op with regions is inside, or one with an effect."""
        self.ranges, self.triangles = ranges, triangles
        self.trip_counts: dict[Value, int] = {}  # by the index of the loop
        self.varying_counts: dict[Value, LinearForm] = {}
        self.definitions: dict[Value, Op] = {}
        self.carried: set[Value] = set()
        self._enter(op)

    def _enter(self, op: Op) -> None:
        loop = Loop.of(op)
        count = None if loop.count is None else self.ranges.linear_form(loop.count)
        if loop.cond is not None or count is None:
            raise NoWholeArrayForm
        index, *args = loop.body.args
        if set(count) <= {ONE}:
            self.trip_counts[index] = count[ONE]
        elif self.triangles and loop.bound is not None:
            self.trip_counts[index], self.varying_counts[index] = loop.bound, count
        else:
            raise NoWholeArrayForm
        self.carried.update(args)
        for inner in loop.body.ops:
            self.definitions.update((y, inner) for y in inner.results)
            if inner.primitive is loop_p:
                self._enter(inner)
            elif inner.regions or inner.primitive.effect:
                raise NoWholeArrayForm

    # ----- Accesses

    def axis_access(self, x: Value) -> tuple[LinearForm, Value | None, int]:
        """Of accesses along one axis that start at `x`: the least start index, the loop index that
        it depends on (or None), and its stride in that index: 1, -1 (or 0)."""
        start = self.ranges.linear_form(x)
        indices = [symbol for symbol in start if symbol in self.trip_counts]
        if not indices:
            return self._outside(start), None, 0
        # In a triangle the last index may depend on outer ones, the least start index does not.
        inner = [k for k in indices if k in self.varying_counts] or indices[:1]
        if len(inner) > 1 or abs(start[inner[0]]) != 1:
            raise NoWholeArrayForm
        (k,) = inner
        rest = LinearForm({symbol: n for symbol, n in start.items() if symbol is not k})
        # With stride -1 the last iteration has the least index.
        least = minus(rest, self.last_index(k)) if start[k] < 0 else rest
        return self._outside(least), k, start[k]

    def _outside(self, x: LinearForm) -> LinearForm:
        """`x`, if it is the same number in all iterations of the nest."""
        inside = (self.trip_counts, self.definitions, self.carried)
        if any(symbol in each for symbol in x for each in inside):
            raise NoWholeArrayForm
        return x

    def last_index(self, k: Value) -> LinearForm:
        """The index of the last iteration of a loop."""
        count = self.varying_counts.get(k, constant_form(self.trip_counts[k]))
        return minus(count, constant_form(1))

    # ----- Effects

    def effects_on_carry(self, op: Op, i: int, path: Path = ()) -> Iterator[Effect]:
        """The effects of loop `op`, itself inside the loops of `path`, on its carry `i`."""
        body = Loop.of(op).body
        version, last = body.args[1 + i], body.yields[i]
        inner = (*path, body.args[0])
        while version is not last:
            version = yield from self._next_version(body, version, inner)
        if uses(body).get(last) or body.yields.count(last) != 1:
            raise NoWholeArrayForm

    def _next_version(self, body: Region, version: Value, path: Path) -> NextVersion:
        """Yields the effects that make the next version of this one; returns that version."""
        users = uses(body).get(version, [])
        stores = [op for op in users if op.primitive is dynamic_update_slice]
        if stores and version not in body.yields:
            return (yield from self._effects_of_store(body, version, users, stores[0], path))
        op = _only_user(body, version)
        if op.operands.count(version) != 1:
            raise NoWholeArrayForm
        if op.primitive is loop_p:
            return (yield from self._effects_of_inner_loop(op, version, path))
        if version.aval.size != 1:
            raise NoWholeArrayForm
        if op.primitive not in SHAPE_CHANGES:
            yield Addition(op, _added_term(op, version), None, path)
        return op.results[0]

    def _effects_of_inner_loop(self, op: Op, version: Value, path: Path) -> NextVersion:
        carries = Loop.of(op).carries
        if version not in carries or version in captures(*op.regions):
            raise NoWholeArrayForm
        i = carries.index(version)
        yield from self.effects_on_carry(op, i, path)
        return op.results[i]

    def _effects_of_store(
        self, body: Region, version: Value, users: list[Op], store: Op, path: Path
    ) -> NextVersion:
        """As `_next_version`, where `store` makes the next one: additions or an assignment."""
        reads = [op for op in users if op is not store]
        if store.operands.count(version) != 1 or store.operands[0] is not version:
            raise NoWholeArrayForm
        if not all(op.primitive is dynamic_slice for op in reads):
            raise NoWholeArrayForm
        if not all(is_same_slice(op, store, self.ranges) for op in reads):
            raise NoWholeArrayForm
        reduction = array_reduction_at(store, body, [version], self.ranges)
        if reduction is None or not _only_adds(reduction, reads):
            yield Assignment(store.operands[1], store, path, tuple(reads))
        else:
            for step in reduction.steps:
                term = step.op.operands[step.term_position]
                yield Addition(step.op, term, store, path)
        return store.results[0]


def _only_adds(reduction: ArrayReduction, reads: list[Op]) -> bool:
    """Does it only add to the element, in any order, and is its load the only read of the array?"""
    adds = all(step.op.primitive is add for step in reduction.steps)
    return adds and reduction.is_reassociable and reads == [reduction.ops[0]]


def _only_user(body: Region, x: Value) -> Op:
    users = uses(body).get(x, [])
    if len(users) != 1 or x in body.yields:
        raise NoWholeArrayForm
    return users[0]


def _added_term(op: Op, x: Value) -> Value:
    """The term that `op` adds to `x`, if it may do so in any order."""
    free = op.primitive is add and op.params.get("reassoc", False)
    if not free or op.operands.count(x) != 1:
        raise NoWholeArrayForm
    return op.operands[1 - op.operands.index(x)]
