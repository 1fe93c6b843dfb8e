"""Strip mining: a branch that a loop takes at a known iteration becomes an outer loop around it.

    while %k (%x = %x0, %s = %s0, %due = 0) {        while (%i = 0, %x = %x0, %s = %s0, %due = 0) {
      cond { c }                                       cond { c }
      body {                                           body {
        %p = eq %k, %due                                 A
        %s', %due' = if %p { A } else {        ->        while (%x = %x) {
          yield %s, %due                                   cond { c and %i + %j < %due' }
        }                                                  body { B }
        B                                                }
        yield %x', %s', %due'                            yield %i + %j, ...
      }                                                }
    }                                                }

Online checkpointing (`online_checkpointing.py`) emits one loop that takes a snapshot when k reaches
the carry `due`. As one loop it can be paired with the program's loop, whose iterations it records.
Once all loops are lowered, the snapshots leave the inner loop, which then accesses only what an
iteration accesses. Nothing else in a lowered program has this form: an `if` on k being equal to a
carry, with a branch that changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.analysis.linear_indices import clamped_index
from myia.ir.avals import I64
from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value, captures, reads
from myia.ir.rewrite import clone_op, inline
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import and_, eq, lt
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import Walk, rewrite

# Smaller snapshots stay in the loop: a branch costs less than an outer loop.
MIN_SNAPSHOT_BYTES = 256


def strip_mine(function: Function) -> Function:
    """`function` with snapshots moved out of the loops of the iterations."""
    return rewrite(function, _strip_mined)


def _strip_mined(op: Op, _: Walk) -> Sequence[Value] | None:
    strip = _strip_of(op) if op.primitive is loop_p else None
    return None if strip is None else strip.emit()


@dataclass(frozen=True)
class _Strip:
    """A loop, the branches that it takes when k equals the carry `due`, and the carries they
    change.

    `moved`: for each result of the branches the position of its carry.
    """

    loop: Loop
    branches: tuple[Op, ...]
    moved: tuple[int, ...]
    due: int

    def emit(self) -> Sequence[Value]:
        start = [constant(0, I64.dtype), *self.loop.carries]
        return loop(start, self._emit_strip, cond=lambda _, k, *xs: self._condition(k, xs))[1:]

    def _condition(self, k: Value, xs: Sequence[Value]) -> Value:
        count, cond = self.loop.count, self.loop.cond
        if cond is None:
            return lt(k, self.loop.trip_count)
        (more,) = inline(cond, (k, *xs))
        return more if count is None else and_(lt(k, count), more)

    def _emit_strip(self, _: Value, k: Value, *carries: Value) -> list[Value]:
        """One strip: the branches, then iterations until they are due again."""
        xs = self._after_branches(k, carries)
        due = xs[self.due]
        own = [i for i in range(len(xs)) if i not in self.moved]

        def all_carries(values: Sequence[Value]) -> list[Value]:
            changed = dict(zip(own, values))
            return [changed.get(i, x) for i, x in enumerate(xs)]

        def iteration(j: Value, done: Value, *values: Value) -> list[Value]:
            index = clamped_index(add(k, j), self.loop.count)
            yields = self._emit_iteration(index, all_carries(values))
            return [add(done, 1), *(yields[i] for i in own)]

        def before_due(j: Value, _: Value, *values: Value) -> Value:
            index = add(k, j)
            return and_(lt(index, due), self._condition(index, all_carries(values)))

        init = [constant(0, I64.dtype), *(xs[i] for i in own)]
        done, *values = loop(init, iteration, cond=before_due)
        return [add(k, done), *all_carries(values)]

    def _after_branches(self, k: Value, xs: Sequence[Value]) -> list[Value]:
        """The carries after the branches, which read only carries and constants of the body."""
        body = self.loop.body
        env = dict(zip(body.args, (k, *xs)))
        for op in body.ops:
            if op.primitive is constant_p:
                append(clone_op(op, env))
        taken = [y for branch in self.branches for y in inline(branch.regions[0], (), env)]
        changed = dict(zip(self.moved, taken, strict=True))
        return [changed.get(i, x) for i, x in enumerate(xs)]

    def _emit_iteration(self, k: Value, xs: Sequence[Value]) -> tuple[Value, ...]:
        """An iteration without the branches."""
        body = self.loop.body
        rest = tuple(op for op in body.ops if op not in self.branches)
        results = [y for branch in self.branches for y in branch.results]
        env = dict(zip(results, (xs[i] for i in self.moved), strict=True))
        return inline(Region(body.args, rest, body.yields), (k, *xs), env)


def _strip_of(op: Op) -> _Strip | None:
    """The strip mining of a loop, or None if it has no branches that can leave it.

    The checkpointing of several adjoints may share one loop and one carry `due`. Then either all of
    the branches on it leave the loop, or none.
    """
    parts = Loop.of(op)
    tests = _index_tests(parts.body)
    for due in dict.fromkeys(tests.values()):
        branches = tuple(
            inner
            for inner in parts.body.ops
            if inner.primitive is if_p and tests.get(inner.operands[0]) == due
        )
        moved = _moved_carries(parts.body, branches)
        if moved is not None and due in moved and _can_leave(branches, parts.body):
            strip = _Strip(parts, branches, moved, due)
            if _only_branches_read_moved_carries(strip):
                return strip
    return None


def _index_tests(body: Region) -> dict[Value, int]:
    """The results of comparisons `k == carry` -> the position of the carry."""
    k, *xs = body.args
    return {
        op.results[0]: xs.index(op.operands[1])
        for op in body.ops
        if op.primitive is eq and op.operands[0] is k and op.operands[1] in xs
    }


def _moved_carries(body: Region, branches: Sequence[Op]) -> tuple[int, ...] | None:
    """The carries that the branches change; None if they change when no branch is taken."""
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
    """May the branches run before the other ops of the body, and are they large enough?"""
    made_by = definitions(body)
    read = [x for branch in branches for x in captures(*branch.regions)]
    size = sum(y.aval.nbytes for branch in branches for y in branch.results)
    return size >= MIN_SNAPSHOT_BYTES and all(
        made_by[x].primitive is constant_p for x in read if x in made_by
    )


def _only_branches_read_moved_carries(strip: _Strip) -> bool:
    """Does no other op read the carries that the branches change, before or after the change?"""
    body, cond = strip.loop.body, strip.loop.cond
    tests = [y for y, carry in _index_tests(body).items() if carry == strip.due]
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
