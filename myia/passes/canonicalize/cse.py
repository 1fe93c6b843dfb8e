"""Common subexpressions: what is computed already is not computed again.

    %1 = mul %x, %y                 ->      %1 = mul %x, %y
    %2 = mul %y, %x                         %3 = add %1, %1
    %3 = add %1, %2

Inner regions see the expressions of those around them. Ops with regions are compared by structure,
so that of two equal loops one remains. Ops with effects are never merged. A constant stays in its
region (there it costs nothing; captured by a loop it would be carried), but counts as equal to its
likes in other regions.
"""

from __future__ import annotations

from collections.abc import Hashable

from myia.ir.core import Function, Op, Region, Value, has_effect
from myia.ir.equality import same_region
from myia.ir.rewrite import Env
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import and_, eq, ne, or_, xor
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

# The order of operands does not matter. (`max` of 0.0 and -0.0 may depend on it.)
COMMUTATIVE = {add, mul, and_, or_, xor, eq, ne}


def eliminate_common_subexpressions(function: Function) -> Function:
    """`function` in which equal expressions that see one another are computed once."""
    return with_region(function, _Expressions().region(function.region))


def congruence_keys(region: Region, same: Env) -> list[Hashable]:
    """What the region yields, if each key of `same` is its value: equal only for equal values."""
    expressions = _Expressions(same)
    yields = expressions.region(region).yields
    return [expressions.contents.get(y, y) for y in yields]


class _Expressions:
    """The expressions that are visible at one place of the walk."""

    def __init__(self, env: Env | None = None):
        self.env: Env = dict(env or {})
        self.available: dict[Hashable, list[Op]] = {}
        self.contents: dict[Value, Hashable] = {}  # of constants: what they are equal by

    def region(self, region: Region) -> Region:
        ops: list[Op] = []
        added: list[Hashable] = []
        for op in region.ops:
            op = substituted(op, self.env, self.region)
            key = self.key(op, region)
            earlier = self.earlier(op, key)
            if earlier is not None:
                self.env.update(zip(op.results, earlier.results))
                continue
            ops.append(op)
            self.available.setdefault(key, []).append(op)
            added.append(key)
        for key in added:
            self.available[key].pop()
        return rebuilt(region, ops, look_up(region.yields, self.env))

    def key(self, op: Op, region: Region) -> Hashable:
        """Equal for equal ops, except that the contents of regions remain to be compared."""
        params = op.params_key
        if _is_leaf(op):
            self.contents[op.results[0]] = op.primitive, params
            return op.primitive, params, region
        operands = tuple([self.contents.get(x, x) for x in op.operands])
        if op.primitive in COMMUTATIVE:
            operands = frozenset(operands)
        return op.primitive, operands, params, tuple([len(r.ops) for r in op.regions])

    def earlier(self, op: Op, key: Hashable) -> Op | None:
        """An op with the same results, if there is one and `op` need not run for its effects."""
        candidates = self.available.get(key)
        if not candidates or has_effect(op):
            return None
        return next((other for other in candidates if _same_regions(op, other)), None)


def _is_leaf(op: Op) -> bool:
    return not op.operands and not op.regions and len(op.results) == 1


def _same_regions(p: Op, q: Op) -> bool:
    return len(p.results) == len(q.results) and all(map(_same_region, p.regions, q.regions))


def _same_region(r: Region, s: Region) -> bool:
    return same_region(r, s, {})
