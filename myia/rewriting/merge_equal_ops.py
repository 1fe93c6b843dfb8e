"""Common subexpression elimination in straight-line code, through the branches of `if`.

    %a = write %u into %x at %i      the iteration    %a = write %u into %x at %i
    %b = write %u into %x at %i      recomputed  ->   %1 = read %a at %j
    %1 = read %b at %j

This runs before an adjoint is taken: a value that is computed twice would have two cotangents. That
of %b would begin with zeros, take what is read, and be added to that of %a: two whole arrays in
each iteration. With one array, the element is added to the cotangent of %a, which is there already.

Results of an `if` are compared one by one: of two that are equal otherwise, one may yield more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from myia.ir.core import Op, Region, Value
from myia.ir.equality import same_region
from myia.ir.rewrite import Env, substituted
from myia.primitives.core.structured import if_p


def merge_equal_ops(ops: Iterable[Op], values: Sequence[Value]) -> tuple[list[Op], list[Value]]:
    """`ops` without those that equal earlier ones, and what `values` are then.

    The ops must have no effects.
    """
    env: Env = {}
    table, kept = _OpTable(), []
    for op in ops:
        op = substituted(op, env)
        equal = table.equal_results(op, {})
        env.update(equal)
        if len(equal) < len(op.results):
            table.add(op)
            kept.append(op)
    return kept, [env.get(x, x) for x in values]


class _OpTable:
    """Ops by primitive, operands and parameters."""

    def __init__(self, ops: Iterable[Op] = ()):
        self.ops: dict[Hashable, list[Op]] = defaultdict(list)
        for op in ops:
            self.add(op)

    def add(self, op: Op) -> None:
        self.ops[_key(op, {})].append(op)

    def equal_results(self, op: Op, congruent: Env) -> Env:
        """The results of `op` that equal results of ops in the table.

        `congruent` maps values that `op` reads to equal values that ops of the table read.
        """
        found: Env = {}
        for other in self.ops.get(_key(op, congruent), ()):
            found = {**_equal_results(op, other, congruent), **found}
        return found


def _key(op: Op, congruent: Env) -> Hashable:
    return op.primitive, tuple(congruent.get(x, x) for x in op.operands), op.params_key


def _equal_results(op: Op, other: Op, congruent: Env) -> Env:
    """The results of `op` that equal results of `other`, which has the same key."""
    regions = list(zip(op.regions, other.regions, strict=True))
    if op.primitive is if_p:
        yields = zip(*(_congruent_yields(one, like, congruent) for one, like in regions))
        likes = list(zip(other.results, *(like.yields for _, like in regions)))
        return {y: z for y, ys in zip(op.results, yields) for z, *like in likes if [*ys] == like}
    same = all(same_region(region, like, dict(congruent)) for region, like in regions)
    return dict(zip(op.results, other.results)) if same else {}


def _congruent_yields(region: Region, like: Region, congruent: Env) -> list[Value]:
    """What `region` yields, as values of `like` where it computes the same."""
    table, congruent = _OpTable(like.ops), dict(congruent)
    for op in region.ops:
        congruent.update(table.equal_results(op, congruent))
    return [congruent.get(y, y) for y in region.yields]
