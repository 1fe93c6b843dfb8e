"""Carries that are no state: one that never changes is its initial value, twins are one.

    %c, %i, %j = for %k < %n (%c = %a, %i = %0, %j = %0) {   ->   every %c, in the loop and after
      %1 = add %i, %c                                             it, becomes %a; every %j, %i
      %2 = add %j, %c
      yield %c, %1, %2
    }

Twins are found optimistically: carries that start equal are taken to be equal, the body is read
under that assumption, and those whose next values then differ are told apart, until none are. The
carries themselves, read by nobody now, are left to dead code elimination. In a `rev` all this holds
for the carries of its loop, and for the cotangents and accumulators that its adjoint carries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.canonicalize.cse import congruence_keys
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def simplify_loop_carried_values(function: Function) -> Function:
    """`function` with invariant carries replaced by their initial values, and twins by one."""
    return with_region(function, _Carries().region(function.region))


class _Carries:
    def __init__(self):
        self.env: Env = {}
        self.contents: dict[Value, Hashable] = {}  # of constants: what they are equal by

    def region(self, region: Region) -> Region:
        ops = [self.op(op) for op in region.ops]
        return rebuilt(region, ops, look_up(region.yields, self.env))

    def op(self, op: Op) -> Op:
        if op.primitive is constant_p:
            self.contents[op.results[0]] = op.params_key
        if op.primitive in (loop_p, rev_p):
            self.loop(op)
        return substituted(op, self.env, self.region)

    def loop(self, op: Op) -> None:
        """Record what the arguments and results of a loop stand for; its regions come later."""
        loop = Loop.of(op)
        n = len(loop.carries)
        regions = [r for r in (loop.cond, loop.body, loop.adjoint) if r is not None]
        names = [r.args[1 : 1 + n] for r in regions]
        if loop.adjoint is None:
            names.append(op.results)
        else:
            seeds = (*loop.seeds, *loop.accumulators)
            self.cycle(seeds, loop.adjoint, [loop.adjoint.args[1 + n :], op.results])
        self.cycle(loop.carries, loop.body, names)

    def cycle(self, initial, region: Region, names: Iterable[Sequence[Value]]) -> None:
        """`names`: tuples of values that are what `initial` is, if it never changes."""
        own = region.args[len(region.args) - len(initial) :]
        initial = look_up(initial, self.env)
        fixed = [
            y is arg or self.env.get(y, y) is x for x, arg, y in zip(initial, own, region.yields)
        ]
        leaders = self.leaders(initial, own, region)
        for of_each in names:
            for i, (name, j) in enumerate(zip(of_each, leaders)):
                if fixed[j]:
                    self.env[name] = initial[j]
                elif i != j:
                    self.env[name] = of_each[j]

    def leaders(self, initial: Sequence[Value], own: Sequence[Value], region: Region) -> list[int]:
        """For each carry the first one that always equals it."""
        leaders = _leaders([self.contents.get(x, x) for x in initial])
        while leaders != list(range(len(leaders))):
            same = {own[i]: own[j] for i, j in enumerate(leaders) if i != j}
            after = congruence_keys(region, same)
            finer = _leaders(zip(leaders, after))
            if finer == leaders:
                break
            leaders = finer
        return leaders


def _leaders(keys: Iterable[Hashable]) -> list[int]:
    """For each position the first one with the same key."""
    first: dict[Hashable, int] = {}
    return [first.setdefault(key, i) for i, key in enumerate(keys)]
