"""If-conversion: a small branch becomes straight code and selections.

    %y = if %p {                                 ->      %1 = neg %x
      %1 = neg %x                                        %y = select %p, %1, %x
      yield %1
    } else {
      yield %x
    }

A store in a branch becomes one that writes back what is there when the branch is not taken:

    %b = if %p {                                 ->      %2 = dynamic_slice %a, %i {sizes=(1,)}
      %1 = dynamic_update_slice %a, %u, %i               %3 = select %p, %u, %2
      yield %1                                           %b = dynamic_update_slice %a, %3, %i
    } else {
      yield %a
    }

On a CPU a branch in a loop costs more than a few operations on numbers, and it stands between XLA
and fusion. Both sides are computed and one is selected, so the results are the same to the bit, and
a NaN of the side that is not taken is dropped. A derivative would not be: this pass runs after all
derivatives have been taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.builder import append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.loops.invariant_code_motion import CHEAP_PRIMITIVES
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import arithmetic, logic
from myia.rewriting.walk import Walk, rewrite, substituted

# Limits of a branch worth converting: its ops, and the elements of each value that it makes. A
# branch that stores into a large array is worth more: XLA would copy the array on the way.
MAX_OPS = 8
MAX_OPS_WITH_STORES = 100
MAX_VALUE_ELEMENTS = 16

CONVERTIBLE_PRIMITIVES = (CHEAP_PRIMITIVES - {shaping.pad, shaping.concatenate}) | {
    constant_p,
    arithmetic.div,
    arithmetic.sign,
    logic.xor,
    shaping.transpose,
    dynamic_slice,
    dynamic_update_slice,
}
READS = {dynamic_slice, shaping.slice}


def convert_branches(function: Function) -> Function:
    """`function` with small branches as selections."""
    return rewrite(function, _convert)


def _convert(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not if_p:
        return None
    arms = [_Arm(region) for region in op.regions]
    stored = _settled(arms)
    if stored is None:
        return None
    (pred,) = op.operands
    env: Env = {}
    for taken, arm in zip((True, False), arms):
        _emit(arm, pred, taken, env)
        # The other branch goes on from what this one left, which is what was there, if not taken.
        env.update((arm.root(y), env.get(y, y)) for y in arm.last)
    return [
        env.get(y, y) if i in stored else _select(pred, env.get(x, x), env.get(y, y))
        for i, (x, y) in enumerate(zip(*(arm.region.yields for arm in arms)))
    ]


# ----- What can be converted


def is_convertible(op: Op) -> bool:
    """Whether this `if` is small enough."""
    return _settled([_Arm(region) for region in op.regions]) is not None


def _settled(arms: Sequence[_Arm]) -> list[int] | None:
    """The yields for which conditional stores are to be made; None if the branch is to stay."""
    stored = _stored(*arms)
    return stored if stored is not None and all(arm.settle(stored) for arm in arms) else None


class _Arm:
    """One branch."""

    def __init__(self, region: Region):
        self.region = region
        self.made = {y: op for op in region.ops for y in op.results}
        self.stores: set[Op] = set()  # those to be made conditional
        self.last: list[Value] = []  # the versions of the arrays stored into that are yielded

    def root(self, y: Value) -> Value:
        """What `y` was before the stores of this branch."""
        while (op := self.made.get(y)) is not None and _is_store(op):
            y = op.operands[0]
        return y

    def settle(self, stored: Sequence[int]) -> bool:
        """Whether all can be computed in vain, the `stored` yields by conditional stores."""
        self.last = [self.region.yields[i] for i in stored]
        for y in self.last:
            while y in self.made:
                self.stores.add(self.made[y])
                y = self.made[y].operands[0]
        return self.is_small() and self.stores_in_a_row()

    def is_small(self) -> bool:
        others = [op for op in self.region.ops if op not in self.stores]
        computing = [op for op in self.region.ops if op.primitive is not constant_p]
        if any(_is_large(y) for op in others for y in op.results):
            return False
        if any(map(_is_large, self.last)):
            return len(computing) <= MAX_OPS_WITH_STORES and all(map(_is_plain, others))
        return len(computing) <= MAX_OPS and all(
            op.primitive in CONVERTIBLE_PRIMITIVES for op in others
        )

    def stores_in_a_row(self) -> bool:
        """Whether no version of an array is overwritten or yielded twice."""
        ends = [op.operands[0] for op in self.stores]
        ends += [y for y in self.region.yields if y in self.last or y in ends]
        return len(set(ends)) == len(ends)


def _stored(then: _Arm, other: _Arm) -> list[int] | None:
    """The yields that are versions of one array; None if a large one is not."""
    stored, roots = [], set()
    for i, (x, y) in enumerate(zip(then.region.yields, other.region.yields)):
        root = then.root(x)
        alike = root is other.root(y) and root not in then.made and root not in other.made
        if alike and (x is not y or _is_large(x)) and root not in roots:
            stored.append(i)
            roots.add(root)
        elif _is_large(x):
            return None
    return stored


def _is_large(x: Value) -> bool:
    return x.aval.size > MAX_VALUE_ELEMENTS


def _is_plain(op: Op) -> bool:
    """An operation on a few numbers, which can be computed in vain."""
    if op.regions or op.primitive.effect:
        return False
    return op.primitive in READS or not any(map(_is_large, op.operands))


def _is_store(op: Op) -> bool:
    """A write of a small part of an array."""
    if op.primitive is not dynamic_update_slice:
        return False
    x, u, *_ = op.operands
    return u.aval.size < x.aval.size and not _is_large(u)


# ----- What it becomes


def _emit(arm: _Arm, pred: Value, taken: bool, env: Env) -> None:
    """The ops of a branch, its stores made to depend on `pred` being `taken`."""
    for op in arm.region.ops:
        now = substituted(op, env, lambda region: region)
        if op not in arm.stores:
            append(now)
            continue
        with at(op.span):
            x, u, *indices = now.operands
            old = dynamic_slice(x, *indices, sizes=u.shape)
            u = _select(pred, u, old) if taken else _select(pred, old, u)
            env[op.results[0]] = dynamic_update_slice(x, u, *indices)


def _select(pred: Value, x: Value, y: Value) -> Value:
    if x is y:
        return x
    if x.shape:
        pred = broadcast(pred, shape=x.shape, dims=())
    return logic.select(pred, x, y)
