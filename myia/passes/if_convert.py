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
from myia.passes.hoist import CHEAP
from myia.passes.walk import Walk, rewrite, substituted
from myia.primitives import arithmetic, logic, shaping
from myia.primitives.define import constant_p
from myia.primitives.shaping import broadcast
from myia.primitives.structured import if_p
from myia.primitives.windows import dynamic_slice, dynamic_update_slice

# Limits of a branch worth converting: its ops, and the elements of each value that it makes.
MAX_OPS = 8
MAX_SIZE = 16

SMALL_OPS = (CHEAP - {shaping.pad, shaping.concatenate}) | {
    constant_p,
    arithmetic.div,
    arithmetic.sign,
    logic.xor,
    shaping.transpose,
    dynamic_slice,
    dynamic_update_slice,
}


def convert_branches(function: Function) -> Function:
    """`function` with small branches as selections."""
    return rewrite(function, _convert)


def _convert(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not if_p:
        return None
    arms = [_Arm(region) for region in op.regions]
    if not _convertible(*arms):
        return None
    (pred,) = op.operands
    env: Env = {}
    for taken, arm in zip((True, False), arms):
        _emit(arm, pred, taken, env)
        # The other branch goes on from what this one left, which is what was there, if not taken.
        env.update((root, env.get(y, y)) for root, y in arm.last.items())
    return [
        env.get(y, y) if _is_large(y) else _select(pred, env.get(x, x), env.get(y, y))
        for x, y in zip(*(region.yields for region in op.regions))
    ]


# ----- What can be converted


class _Arm:
    """One branch, and its stores into large arrays.

    `roots`: for each large yield the array of outside that it is a version of (else None);
    `last`: for each such array the version that is yielded.
    """

    def __init__(self, region: Region):
        self.region = region
        self.made = {y: op for op in region.ops for y in op.results}
        self.stores = {op for op in region.ops if _is_store(op)}
        self.roots = [self.root(y) if _is_large(y) else None for y in region.yields]
        self.last = {r: y for r, y in zip(self.roots, region.yields) if r is not None}

    def root(self, y: Value) -> Value:
        """What `y` was before the stores of this branch."""
        while y in self.made and self.made[y] in self.stores:
            y = self.made[y].operands[0]
        return y

    def is_small(self) -> bool:
        computing = [op for op in self.region.ops if op.primitive is not constant_p]
        return len(computing) <= MAX_OPS and all(
            op in self.stores or (op.primitive in SMALL_OPS and not any(map(_is_large, op.results)))
            for op in self.region.ops
        )

    def stores_in_a_row(self) -> bool:
        """Whether each version of an array is overwritten or yielded, and only once."""
        ends = [op.operands[0] for op in self.stores]
        ends += [y for y in self.region.yields if _is_large(y)]
        return len(set(ends)) == len(ends) and all(
            y in ends for op in self.stores for y in op.results
        )


def _convertible(then: _Arm, other: _Arm) -> bool:
    large = [root for root in then.roots if root is not None]
    return (
        then.is_small()
        and other.is_small()
        and then.roots == other.roots
        and len(set(large)) == len(large)
        and not any(root in then.made or root in other.made for root in large)
        and then.stores_in_a_row()
        and other.stores_in_a_row()
    )


def _is_large(x: Value) -> bool:
    return x.aval.size > MAX_SIZE


def _is_store(op: Op) -> bool:
    return (
        op.primitive is dynamic_update_slice
        and _is_large(op.operands[0])
        and not _is_large(op.operands[1])
    )


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
