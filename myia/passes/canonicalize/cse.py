"""Common subexpression elimination: an expression that is available already is not computed again.

    %1 = mul %x, %y                 ->      %1 = mul %x, %y
    %2 = mul %y, %x                         %3 = add %1, %1
    %3 = add %1, %2

An expression is available in its own region after its definition, and in all regions nested there.
Ops with regions are compared by structure, so that of two equal loops one remains. Ops with effects
are never merged. A constant stays in its region, where it costs nothing: captured by a loop it
would have to be carried. But it counts as equal to equal constants in other regions.
"""

from __future__ import annotations

from collections.abc import Hashable

from myia.ir.core import Function, Op, Region, Value, has_effect
from myia.ir.equality import same_region
from myia.ir.rewrite import Env
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import and_, eq, ne, or_, xor
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

# `max` and `min` are not among them: of 0.0 and -0.0 the result may depend on the order.
COMMUTATIVE = {add, mul, and_, or_, xor, eq, ne}


def cse(function: Function) -> Function:
    """`function` in which an expression is computed once wherever the first result is available."""
    return with_region(function, _AvailableExpressions().region(function.region))


def congruence_keys(region: Region, same: Env) -> list[Hashable]:
    """A key for each value that the region yields, under the assumption that in `same` each key
    equals its value. Two values with equal keys are congruent: equal under that assumption."""
    available = _AvailableExpressions(same)
    yields = available.region(region).yields
    return [available.constant_keys.get(y, y) for y in yields]


class _AvailableExpressions:
    """The expressions that are available at one point of the walk, by their keys.

    `env` maps the results of merged ops to those that replace them.
    """

    def __init__(self, env: Env | None = None):
        self.env: Env = dict(env or {})
        self.available: dict[Hashable, list[Op]] = {}
        self.constant_keys: dict[Value, Hashable] = {}  # of constants and the like

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
        """Equal for equal ops, but different regions may have the same key: see `earlier`."""
        params = op.params_key
        if _is_nullary(op):
            self.constant_keys[op.results[0]] = op.primitive, params
            return op.primitive, params, region
        operands = tuple([self.constant_keys.get(x, x) for x in op.operands])
        if op.primitive in COMMUTATIVE:
            operands = frozenset(operands)
        return op.primitive, operands, params, tuple([len(r.ops) for r in op.regions])

    def earlier(self, op: Op, key: Hashable) -> Op | None:
        """An available op with the same results, unless `op` must run for its effects."""
        candidates = self.available.get(key)
        if not candidates or has_effect(op):
            return None
        return next((other for other in candidates if _same_regions(op, other)), None)


def _is_nullary(op: Op) -> bool:
    return not op.operands and not op.regions and len(op.results) == 1


def _same_regions(p: Op, q: Op) -> bool:
    return len(p.results) == len(q.results) and all(map(_same_region, p.regions, q.regions))


def _same_region(r: Region, s: Region) -> bool:
    return same_region(r, s, {})
