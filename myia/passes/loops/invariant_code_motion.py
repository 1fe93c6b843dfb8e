"""Loop-invariant code motion: what is the same on every trip is computed once, before the loop.

    %y = for %k < %n (%y = %x) {            ->      %1 = exp %c
      %1 = exp %c                                   %y = for %k < %n (%y = %x) {
      %2 = mul %y, %1                                 %2 = mul %y, %1
      yield %2                                        yield %2
    }                                               }

Out of every region of `loop` and `rev`, from the innermost loop outwards, but never out of a
branch. Typed ops cannot fail, so that computing one in vain (before a loop of no trips) costs time
only; a loop is moved only if it is counted, since a `while` might not end when nobody asked for it.

Constants stay where they are, and so does what would make a large buffer out of little at little
cost: a broadcast, arithmetic on broadcasts. In the loop XLA fuses it with what reads it; before the
loop it would be written to memory, to be read on every trip. If something worth moving reads it,
that gets a copy.
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

# A result this many times larger than what it is made of is not worth a buffer.
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


def move_invariant_code(function: Function) -> Function:
    """`function` with loop-invariant ops moved out of the loops."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        op = substituted(op, {}, _region)
        if op.primitive in (loop_p, rev_p):
            op = _before(op, ops)
        ops.append(op)
    return rebuilt(region, ops, region.yields)


def _before(loop: Op, ops: list[Op]) -> Op:
    """Append to `ops` what can leave the loop; returns the loop without it."""
    regions = []
    for region in loop.regions:
        invariant = _invariant_ops(region)
        moved = _Moved(invariant)
        ops += moved.ops
        left = [op for op in region.ops if op not in moved.originals]
        regions.append(rebuilt(region, left, region.yields))
    if tuple(regions) == loop.regions:
        return loop
    return Op(loop.primitive, loop.operands, loop.params, tuple(regions), loop.results, loop.span)


def _invariant_ops(region: Region) -> list[Op]:
    """The pure ops of `region` that depend on nothing that varies."""
    varying = set(region.args)
    found = []
    for op in region.ops:
        if _movable(op) and varying.isdisjoint(reads(op)):
            found.append(op)
        else:
            varying.update(op.results)
    return found


def _movable(op: Op) -> bool:
    if not op.regions:
        return not op.primitive.effect
    return not has_effect(op) and all(map(_ends, (op, *_inner(op))))


def _inner(op: Op) -> Iterable[Op]:
    for region in op.regions:
        yield from walk(region)


def _ends(op: Op) -> bool:
    """Whether `op` surely ends, whatever happens."""
    if op.primitive in (loop_p, rev_p):
        return op.params["counted"] and not op.params["conditional"]
    return not op.regions or op.primitive in (if_p, call_p)


class _Moved:
    """The choice among the invariant ops of a region.

    `ops` are to stand before the loop: `originals`, which leave it, and copies of what they read.
    """

    def __init__(self, invariant: Sequence[Op]):
        self.invariant = invariant
        self.weight: dict[Value, int] = {}  # of what stays: bytes of what it is made of
        self.originals = {op for op in invariant if not self.stays(op)}
        self.ops: list[Op] = []
        needed = self.needed()
        env: Env = {}
        for op in invariant:
            if op in self.originals:
                self.ops.append(substituted(op, env, partial(substituted_region, env=env)))
            elif op in needed:
                self.ops.append(clone_op(op, env))

    def stays(self, op: Op) -> bool:
        """Whether `op` is cheap, and makes much out of little."""
        if op.regions or (op.operands and op.primitive not in CHEAP_PRIMITIVES):
            return False
        made_of = sum(self.weight.get(x, _size(x)) for x in set(op.operands))
        if sum(map(_size, op.results)) <= MAX_SIZE_RATIO * made_of:
            return False
        self.weight.update((y, made_of) for y in op.results)
        return True

    def needed(self) -> set[Op]:
        """What stays, but is read by what moves."""
        wanted: set[Value] = set()
        found = set()
        for op in reversed(self.invariant):
            if op in self.originals:
                wanted.update(reads(op))
            elif not wanted.isdisjoint(op.results):
                wanted.update(op.operands)
                found.add(op)
        return found


def _size(x: Value) -> int:
    return x.aval.nbytes
