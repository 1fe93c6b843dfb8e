"""Strip-mining: a branch that a loop takes at a known trip becomes a loop around it.

    while %k (%x = %x0, %s = %s0, %due = 0) {        while (%i = 0, %x = %x0, %s = %s0, %due = 0) {
      cond { c }                                       cond { c }
      body {                                           body {
        %p = eq %k, %due                                 A
        %s', %due' = if %p { A } else {        ->        while (%x = %x) {
          yield %s, %due                                   cond { c and %i + %j < %due' }
        }                                                  body { B }
        B                                                }
        yield %x', %s', %due'                            yield %i + trips, ...
      }                                                }
    }                                                }

A trail (`trail.py`) is written as one loop that takes a snapshot when k reaches the next place for
one, so that it is recognised as the loop whose trips it records. Once all loops are lowered, the
snapshots leave the inner loop, which then touches only what a trip touches. Nothing else in a
lowered program has this form: an `if` on k being a carry, with a branch that changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.avals import I64
from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value, captures, reads
from myia.ir.rewrite import clone_op, inline
from myia.passes.analysis.linear_indices import clamped_index
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import and_, eq, lt
from myia.rewriting.walk import Walk, rewrite

# Snapshots of fewer bytes stay in the loop: a branch costs less than another loop.
LEAST_BYTES = 256


def strip_mine(function: Function) -> Function:
    """`function` with the snapshots of its trails outside the loops that make the trips."""
    return rewrite(function, _rule)


def _rule(op: Op, _: Walk) -> Sequence[Value] | None:
    strip = _find(op) if op.primitive is loop_p else None
    return None if strip is None else strip.emit()


@dataclass(frozen=True)
class _Strip:
    """A loop, the branches that it takes when k is the carry `due`, and the carries they change."""

    loop: Loop
    branches: tuple[Op, ...]
    moved: tuple[int, ...]  # the position of the carry that each result of the branches is
    due: int

    def emit(self) -> Sequence[Value]:
        start = [constant(0, I64.dtype), *self.loop.carries]
        return loop(start, self._strip, cond=lambda _, k, *xs: self._going_on(k, xs))[1:]

    def _going_on(self, k: Value, xs: Sequence[Value]) -> Value:
        count, cond = self.loop.count, self.loop.cond
        if cond is None:
            return lt(k, count)
        (more,) = inline(cond, (k, *xs))
        return more if count is None else and_(lt(k, count), more)

    def _strip(self, _, k: Value, *xs: Value) -> list[Value]:
        """A trip of the outer loop: the branches, then trips until they are to be taken again."""
        xs = self._branches_taken(k, xs)
        due = xs[self.due]
        own = [i for i in range(len(xs)) if i not in self.moved]

        def now(values: Sequence[Value]) -> list[Value]:
            changed = dict(zip(own, values))
            return [changed.get(i, x) for i, x in enumerate(xs)]

        def trip(j, trips, *values):
            place = clamped_index(add(k, j), self.loop.count)
            yields = self._trip(place, now(values))
            return [add(trips, 1), *(yields[i] for i in own)]

        def before_due(j, _, *values):
            place = add(k, j)
            return and_(lt(place, due), self._going_on(place, now(values)))

        init = [constant(0, I64.dtype), *(xs[i] for i in own)]
        trips, *values = loop(init, trip, cond=before_due)
        return [add(k, trips), *now(values)]

    def _branches_taken(self, k: Value, xs: Sequence[Value]) -> list[Value]:
        """The carries after the branches, which read them and constants of the body."""
        body = self.loop.body
        env = dict(zip(body.args, (k, *xs)))
        for op in body.ops:
            if op.primitive is constant_p:
                append(clone_op(op, env))
        taken = [y for branch in self.branches for y in inline(branch.regions[0], (), env)]
        changed = dict(zip(self.moved, taken, strict=True))
        return [changed.get(i, x) for i, x in enumerate(xs)]

    def _trip(self, k: Value, xs: Sequence[Value]) -> tuple[Value, ...]:
        """A trip without the branches."""
        body = self.loop.body
        rest = tuple(op for op in body.ops if op not in self.branches)
        results = [y for branch in self.branches for y in branch.results]
        env = dict(zip(results, (xs[i] for i in self.moved), strict=True))
        return inline(Region(body.args, rest, body.yields), (k, *xs), env)


def _find(op: Op) -> _Strip | None:
    """Trails whose trips one loop makes may share what says when a snapshot is due: all of the
    branches on it leave the loop, or none."""
    parts = Loop.of(op)
    tests = _tests(parts.body)
    for due in dict.fromkeys(tests.values()):
        branches = tuple(
            inner
            for inner in parts.body.ops
            if inner.primitive is if_p and tests.get(inner.operands[0]) == due
        )
        moved = _moved(parts.body, branches)
        if moved is not None and due in moved and _can_leave(branches, parts.body):
            found = _Strip(parts, branches, moved, due)
            if _are_alone(found):
                return found
    return None


def _tests(body: Region) -> dict[Value, int]:
    """The results of comparisons of the index with a carry, and the position of that carry."""
    k, *xs = body.args
    return {
        op.results[0]: xs.index(op.operands[1])
        for op in body.ops
        if op.primitive is eq and op.operands[0] is k and op.operands[1] in xs
    }


def _moved(body: Region, branches: Sequence[Op]) -> tuple[int, ...] | None:
    """The carries that the results of the branches are, if otherwise these stay as they were."""
    moved: list[int] = []
    for branch in branches:
        if any(body.yields.count(y) != 1 for y in branch.results):
            return None
        own = [body.yields.index(y) for y in branch.results]
        unchanged = tuple(body.args[1 + i] for i in own)
        if branch.regions[1].ops or branch.regions[1].yields != unchanged:
            return None
        moved += own
    return tuple(moved)


def _can_leave(branches: Sequence[Op], body: Region) -> bool:
    """True when the branches can run before the other ops of the body, and are worth it."""
    definitions = {y: op for op in body.ops for y in op.results}
    read = [x for branch in branches for x in captures(*branch.regions)]
    size = sum(y.aval.nbytes for branch in branches for y in branch.results)
    return size >= LEAST_BYTES and all(
        definitions[x].primitive is constant_p for x in read if x in definitions
    )


def _are_alone(strip: _Strip) -> bool:
    """True when nothing else reads the carries that the branches change, nor what these become."""
    body, cond = strip.loop.body, strip.loop.cond
    tests = [y for y, carry in _tests(body).items() if carry == strip.due]
    changed = {body.args[1 + i] for i in strip.moved}
    changed.update(y for branch in strip.branches for y in branch.results)
    others = [
        op for op in body.ops if op not in strip.branches and not set(op.results) & set(tests)
    ]
    read = {x for op in others for x in reads(op)}
    read.update(y for i, y in enumerate(body.yields) if i not in strip.moved)
    if cond is not None:
        changed.update(cond.args[1 + i] for i in strip.moved)
        read.update(cond.yields, *map(reads, cond.ops))
    return changed.isdisjoint(read)
