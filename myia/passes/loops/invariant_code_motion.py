"""Loop-invariant code motion: what is the same in all iterations is computed once, before the loop.

    %y = for %k < %n (%y = %x) {            ->      %1 = exp %c
      %1 = exp %c                                   %y = for %k < %n (%y = %x) {
      %2 = mul %y, %1                                 %2 = mul %y, %1
      yield %2                                        yield %2
    }                                               }

Ops leave every region of `loop` and `rev`, from the innermost loop outwards, but never a branch.
Typed ops cannot fail, so an op that is computed although the loop makes no iteration costs time
only. Of loops only counted ones are moved: a `while` that would never run might not terminate.

Constants stay in the loop. So does an op that makes a large buffer from little data at little cost:
a broadcast, arithmetic on broadcasts. In the loop XLA fuses it with its consumer; before the loop
it would be written to memory once and read in every iteration. If an op that moves reads such a
value, it gets a copy of the op.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from myia.ir.core import Function, Op, Region, Value, has_effect, reads, walk
from myia.ir.rewrite import Env, clone_op
from myia.primitives.arrays import shaping
from myia.primitives.core.structured import call_p, if_p, loop_p, rev_p
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region

# A result of a cheap op that is more than this many times larger than its inputs gets no buffer.
MAX_SIZE_RATIO = 2

CHEAP_PRIMITIVES = {
    arithmetic.neg,
    arithmetic.add,
    arithmetic.sub,
    arithmetic.mul,
    arithmetic.square,
    arithmetic.abs,
    arithmetic.max,
    arithmetic.min,
    transcendental.floor,
    transcendental.is_finite,
    logic.eq,
    logic.ne,
    logic.lt,
    logic.le,
    logic.gt,
    logic.ge,
    logic.and_,
    logic.or_,
    logic.not_,
    logic.select,
    logic.convert_p,
    shaping.reshape,
    shaping.broadcast,
    shaping.pad,
    shaping.concatenate,
}


def invariant_code_motion(function: Function) -> Function:
    """`function` with loop-invariant ops moved out of the loops."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        op = substituted(op, {}, _region)
        if op.primitive in (loop_p, rev_p):
            op = _emit_invariant_ops(op, ops)
        ops.append(op)
    return rebuilt(region, ops, region.yields)


def _emit_invariant_ops(loop: Op, ops: list[Op]) -> Op:
    """Append to `ops` those that can leave the loop; returns the loop without them."""
    regions = []
    for region in loop.regions:
        invariant = _invariant_ops(region)
        hoisted = _Hoisted(invariant)
        ops += hoisted.ops
        remaining = [op for op in region.ops if op not in hoisted.originals]
        regions.append(rebuilt(region, remaining, region.yields))
    if tuple(regions) == loop.regions:
        return loop
    return Op(loop.primitive, loop.operands, loop.params, tuple(regions), loop.results, loop.span)


def _invariant_ops(region: Region) -> list[Op]:
    """The pure ops of `region` that depend on nothing that varies."""
    varying = set(region.args)
    found = []
    for op in region.ops:
        if _is_movable(op) and varying.isdisjoint(reads(op)):
            found.append(op)
        else:
            varying.update(op.results)
    return found


def _is_movable(op: Op) -> bool:
    if not op.regions:
        return not op.primitive.effect
    return not has_effect(op) and all(map(_terminates, (op, *_nested_ops(op))))


def _nested_ops(op: Op) -> Iterable[Op]:
    for region in op.regions:
        yield from walk(region)


def _terminates(op: Op) -> bool:
    """Does `op` surely terminate?"""
    if op.primitive in (loop_p, rev_p):
        return op.params["counted"] and not op.params["conditional"]
    return not op.regions or op.primitive in (if_p, call_p)


class _Hoisted:
    """The choice among the invariant ops of a region.

    `ops` are to stand before the loop: `originals`, which leave it, and copies of the ops that stay
    and compute what the originals read.
    """

    def __init__(self, invariant: Sequence[Op]):
        self.invariant = invariant
        self.input_bytes: dict[Value, int] = {}  # of results of ops that stay
        self.originals = {op for op in invariant if not self._stays(op)}
        self.ops: list[Op] = []
        copied = self._copied()
        env: Env = {}
        for op in invariant:
            if op in self.originals:
                self.ops.append(substituted(op, env, partial(substituted_region, env=env)))
            elif op in copied:
                self.ops.append(clone_op(op, env))

    def _stays(self, op: Op) -> bool:
        """Is `op` cheap, and its result much larger than the values that it is computed from?

        A chain of ops that stay counts as one: its inputs are those of its first ops.
        """
        if op.regions or (op.operands and op.primitive not in CHEAP_PRIMITIVES):
            return False
        inputs = sum(self.input_bytes.get(x, x.aval.nbytes) for x in set(op.operands))
        if sum(y.aval.nbytes for y in op.results) <= MAX_SIZE_RATIO * inputs:
            return False
        self.input_bytes.update((y, inputs) for y in op.results)
        return True

    def _copied(self) -> set[Op]:
        """The ops that stay, but whose results are read by ops that move."""
        wanted: set[Value] = set()
        found = set()
        for op in reversed(self.invariant):
            if op in self.originals:
                wanted.update(reads(op))
            elif not wanted.isdisjoint(op.results):
                wanted.update(op.operands)
                found.add(op)
        return found
