"""Equal ops before a reversal: what is computed twice would have two cotangents.

    %a = write %u into %x at %i      the step         %a = write %u into %x at %i
    %b = write %u into %x at %i      run again   ->   %1 = read %a at %j
    %1 = read %b at %j

The cotangent of %b would begin with zeros, take what is read, and be added to that of %a: two whole
arrays in each trip, where the cotangent of %a is there and an element can be added to it. Of the
branches of an `if`, which may yield more in one place than in the other, each result is compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from myia.ir.core import Op, Region, Value
from myia.ir.equality import same_region
from myia.ir.rewrite import Env, substituted
from myia.primitives.core.structured import if_p


def merge_equal_ops(ops: Iterable[Op], values: Sequence[Value]) -> tuple[list[Op], list[Value]]:
    """`ops`, which have no effects, without those that equal earlier ones; what `values` are."""
    env: Env = {}
    known, kept = _Known(), []
    for op in ops:
        op = substituted(op, env)
        same = known.same(op, {})
        env.update(same)
        if len(same) < len(op.results):
            known.add(op)
            kept.append(op)
    return kept, [env.get(x, x) for x in values]


class _Known:
    """Ops, to be found by what they do with which values."""

    def __init__(self, ops: Iterable[Op] = ()):
        self.ops: dict[Hashable, list[Op]] = defaultdict(list)
        for op in ops:
            self.add(op)

    def add(self, op: Op) -> None:
        self.ops[_key(op, {})].append(op)

    def same(self, op: Op, twins: Env) -> Env:
        """The results of `op` that equal results of known ops, where values equal their `twins`."""
        found: Env = {}
        for other in self.ops.get(_key(op, twins), ()):
            found = {**_same_results(op, other, twins), **found}
        return found


def _key(op: Op, twins: Env) -> Hashable:
    return op.primitive, tuple(twins.get(x, x) for x in op.operands), op.params_key


def _same_results(op: Op, other: Op, twins: Env) -> Env:
    pairs = list(zip(op.regions, other.regions, strict=True))
    if op.primitive is if_p:
        ends = zip(*(_twins_of_yields(arm, like, twins) for arm, like in pairs))
        likes = list(zip(other.results, *(like.yields for _, like in pairs)))
        return {y: z for y, end in zip(op.results, ends) for z, *like in likes if [*end] == like}
    same = all(same_region(region, like, dict(twins)) for region, like in pairs)
    return dict(zip(op.results, other.results)) if same else {}


def _twins_of_yields(region: Region, like: Region, twins: Env) -> list[Value]:
    """What `region` yields, in terms of `like` as far as it has the same ops."""
    known, twins = _Known(like.ops), dict(twins)
    for op in region.ops:
        twins.update(known.same(op, twins))
    return [twins.get(y, y) for y in region.yields]
