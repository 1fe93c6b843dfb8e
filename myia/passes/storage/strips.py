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
from myia.passes.walk import Walk, rewrite
from myia.primitives.arithmetic import add
from myia.primitives.control import loop
from myia.primitives.define import constant, constant_p
from myia.primitives.logic import and_, eq, lt
from myia.primitives.structured import Loop, if_p, loop_p

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
    """A loop, the branch that it takes when k is the carry `due`, and the carries it changes."""

    loop: Loop
    branch: Op
    moved: tuple[int, ...]  # the position of the carry that each result of the branch is
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
        """A trip of the outer loop: the branch, then trips until it is to be taken again."""
        xs = self._branch_taken(k, list(xs))
        due = xs[self.due]
        own = [i for i in range(len(xs)) if i not in self.moved]

        def now(values: Sequence[Value]) -> list[Value]:
            changed = dict(zip(own, values))
            return [changed.get(i, x) for i, x in enumerate(xs)]

        def trip(j, trips, *values):
            yields = self._trip(add(k, j), now(values))
            return [add(trips, 1), *(yields[i] for i in own)]

        def before_due(j, _, *values):
            place = add(k, j)
            return and_(lt(place, due), self._going_on(place, now(values)))

        init = [constant(0, I64.dtype), *(xs[i] for i in own)]
        trips, *values = loop(init, trip, cond=before_due)
        return [add(k, trips), *now(values)]

    def _branch_taken(self, k: Value, xs: list[Value]) -> list[Value]:
        """The carries after the branch, which reads them and constants of the body."""
        body = self.loop.body
        env = dict(zip(body.args, (k, *xs)))
        for op in body.ops:
            if op.primitive is constant_p:
                append(clone_op(op, env))
        for i, x in zip(self.moved, inline(self.branch.regions[0], (), env)):
            xs[i] = x
        return xs

    def _trip(self, k: Value, xs: Sequence[Value]) -> tuple[Value, ...]:
        """A trip without the branch."""
        body = self.loop.body
        rest = tuple(op for op in body.ops if op is not self.branch)
        env = dict(zip(self.branch.results, (xs[i] for i in self.moved)))
        return inline(Region(body.args, rest, body.yields), (k, *xs), env)


def _find(op: Op) -> _Strip | None:
    parts = Loop.of(op)
    definitions = {y: inner for inner in parts.body.ops for y in inner.results}
    for inner in parts.body.ops:
        if inner.primitive is if_p:
            moved = _moved(parts.body, inner)
            due = _due(parts.body, definitions.get(inner.operands[0]))
            if moved is not None and due in moved and _can_leave(inner, parts.body, definitions):
                return _Strip(parts, inner, moved, due)
    return None


def _due(body: Region, test: Op | None) -> int | None:
    """The position of the carry that the index is compared with."""
    if test is None or test.primitive is not eq:
        return None
    k, due = test.operands
    return body.args.index(due) - 1 if k is body.args[0] and due in body.args[1:] else None


def _moved(body: Region, branch: Op) -> tuple[int, ...] | None:
    """The carries that the results of the branch are, if otherwise these stay as they were."""
    _, other = branch.regions
    used = [x for op in body.ops for x in reads(op)]
    if any(y in used or body.yields.count(y) != 1 for y in branch.results):
        return None
    moved = tuple(body.yields.index(y) for y in branch.results)
    unchanged = tuple(body.args[1 + i] for i in moved)
    return moved if not other.ops and other.yields == unchanged else None


def _can_leave(branch: Op, body: Region, definitions: dict[Value, Op]) -> bool:
    """True when the branch can run before the other ops of the body, and is worth the trouble."""
    inside = [definitions[x] for x in captures(*branch.regions) if x in definitions]
    return (
        all(op.primitive is constant_p for op in inside)
        and sum(y.aval.nbytes for y in branch.results) >= LEAST_BYTES
    )
