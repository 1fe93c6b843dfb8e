"""Congruent carried values: of those that are equal in every iteration, only the first is read.

    %i, %j = for %k < %n (%i = %0, %j = %0) {      ->      every %j, in the loop and after it,
      %1 = add %i, %c                                      becomes %i
      %2 = add %j, %c
      yield %1, %2
    }

Congruence is found optimistically: carried values with equal initial values are assumed to be
equal, the body is evaluated symbolically under that assumption, and values whose next values then
differ are separated, until the partition is stable. This proves congruence by induction over the
iterations. It misses values whose equality depends on arithmetic that `cse` does not see.

An array that starts as a constant, and in which every iteration stores that constant, is the
constant: so are blocks of a Jacobian of which no seed changes anything. One that starts empty is
the constant that is stored in it: so is the tape of a condition that is decided.

    %z = for %k < %n (%z = 0.0: f64[9]) {          ->      every %z becomes 0.0: f64[9]
      %1 = dynamic_update_slice %z, 0.0: f64[1], %k
      yield %1
    }

Dead code elimination removes the others, and the carried values that no iteration changes. In a
`rev` the same holds for the carried values of its loop, and for the cotangents and accumulators
that its adjoint carries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.params import params_key
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.define import constant, constant_p, empty_p
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.rewriting.common_subexpressions import congruence_keys
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def loop_carried_values(function: Function) -> Function:
    """`function` with only the first of congruent carried values read."""
    return with_region(function, _Redundancies().region(function.region))


class _Redundancies:
    """`env` maps redundant carried values to the values that replace them."""

    def __init__(self) -> None:
        self.env: Env = {}
        self.constant_keys: dict[Value, Hashable] = {}  # equal constants have equal keys
        self.initial: dict[Value, Op] = {}  # constants and empty arrays

    def region(self, region: Region) -> Region:
        with Builder() as b:
            for op in region.ops:
                self.op(op)
        return rebuilt(region, b.ops, look_up(region.yields, self.env))

    def op(self, op: Op) -> None:
        if op.primitive is constant_p:
            self.constant_keys[op.results[0]] = op.params_key
        if op.primitive in (constant_p, empty_p):
            self.initial[op.results[0]] = op
        if op.primitive in (loop_p, rev_p):
            with at(op.span):
                self.loop(op)
        append(substituted(op, self.env, self.region))

    def loop(self, op: Op) -> None:
        """Record the replacements of the arguments and results of a loop, before its regions are
        walked."""
        loop = Loop.of(op)
        n = len(loop.carries)
        regions = [r for r in (loop.cond, loop.body, loop.adjoint) if r is not None]
        copies = [r.args[1 : 1 + n] for r in regions]
        if loop.adjoint is None:
            copies.append(op.results)
        else:
            seeds = (*loop.seeds, *loop.accumulators)
            self.cycle(seeds, loop.adjoint, [loop.adjoint.args[1 + n :], op.results])
        self.cycle(loop.carries, loop.body, copies)

    def cycle(
        self, initial: tuple[Value, ...], region: Region, copies: Iterable[Sequence[Value]]
    ) -> None:
        """Record the replacements for values that start as `initial` and that `region` steps.

        `copies`: tuples, parallel to `initial`, of the values that hold them: region arguments and
        results of the loop.
        """
        own = region.args[len(region.args) - len(initial) :]
        initial = look_up(initial, self.env)
        leaders = self.leaders(initial, own, region)
        fixed = [self.fixed(*carried, region) for carried in zip(initial, own, region.yields)]
        for values in copies:
            self.env.update((values[i], values[j]) for i, j in enumerate(leaders) if i != j)
            self.env.update((x, y) for x, y in zip(values, fixed) if y is not None)

    def fixed(self, initial: Value, own: Value, y: Value, region: Region) -> Value | None:
        """The constant that a carried array is, if it starts as it or empty, and every store into
        it stores it."""
        filling = self.initial.get(initial)
        if filling is None or not own.aval.shape:
            return None
        made = definitions(region)
        while y is not own:
            op = made.get(y)
            if op is None or op.primitive is not dynamic_update_slice:
                return None
            y, stored = op.operands[:2]
            of_stored = self.initial.get(stored) or made.get(stored)
            if of_stored is None or of_stored.primitive is not constant_p:
                return None
            if filling.primitive is empty_p:
                filling = of_stored
            if _number(of_stored) != _number(filling):
                return None
        if filling is self.initial[initial]:
            return initial
        return constant(filling.params["value"], own.dtype, own.aval.shape)

    def leaders(self, initial: Sequence[Value], own: Sequence[Value], region: Region) -> list[int]:
        """For each carried value the position of the first one that is congruent to it."""
        leaders = _first_with_same_key([self.constant_keys.get(x, x) for x in initial])
        while leaders != list(range(len(leaders))):
            same = {own[i]: own[j] for i, j in enumerate(leaders) if i != j}
            after = congruence_keys(region, same)
            finer = _first_with_same_key(zip(leaders, after))
            if finer == leaders:
                break
            leaders = finer
        return leaders


def _number(op: Op) -> Hashable:
    """What fills a constant, to the bit."""
    key: Hashable = params_key({name: op.params[name] for name in ("value", "dtype")})
    return key


def _first_with_same_key(keys: Iterable[Hashable]) -> list[int]:
    """For each position the first position with the same key."""
    first: dict[Hashable, int] = {}
    return [first.setdefault(key, i) for i, key in enumerate(keys)]
