"""Common subexpressions: an expression that is available already is not computed again.

    %a = write %u into %x at %i      the iteration    %a = write %u into %x at %i
    %b = write %u into %x at %i      recomputed  ->   %1 = read %a at %j
    %1 = read %b at %j

An expression is available in its own region after its definition, and in all regions nested there.
Ops with regions are compared by structure, so that of two equal loops one remains. Results of an
`if` are compared one by one, with those of an equal one, which may yield more, and with each other.
Ops with effects are never merged. A constant stays in its region, where it costs nothing: captured
by a loop it would have to be carried. But it counts as equal to equal constants in other regions.

This also runs before an adjoint loop is reversed: a value that is computed twice would have two
cotangents. That of %b above would begin with zeros, take what is read, and be added to that of %a:
two whole arrays in each iteration.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from myia.ir.core import Op, Region, Value, has_effect
from myia.ir.equality import same_region
from myia.ir.rewrite import Env
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import and_, eq, ne, or_, xor
from myia.rewriting.walk import look_up, rebuilt, substituted

# `max` and `min` are not among them: of 0.0 and -0.0 the result may depend on the order.
COMMUTATIVE = {add, mul, and_, or_, xor, eq, ne}


def eliminate_common_subexpressions(region: Region) -> Region:
    """`region` with an expression computed once wherever the first result is available."""
    return _AvailableExpressions().region(region)


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
            equal = self.equal_results(op, key)
            self.env.update({**self.equal_to_another(op), **equal})
            if equal and len(equal) == len(op.results):
                continue
            ops.append(op)
            self.available.setdefault(key, []).append(op)
            added.append(key)
        for key in added:
            self.available[key].pop()
        return rebuilt(region, ops, look_up(region.yields, self.env))

    def key(self, op: Op, region: Region) -> Hashable:
        """Equal for equal ops, but different regions may have the same key."""
        params = op.params_key
        if _is_nullary(op):
            self.constant_keys[op.results[0]] = op.primitive, params
            return op.primitive, params, region
        operands: Iterable[Hashable] = [self.constant_keys.get(x, x) for x in op.operands]
        operands = frozenset(operands) if op.primitive in COMMUTATIVE else tuple(operands)
        sizes = () if op.primitive is if_p else tuple([len(r.ops) for r in op.regions])
        return op.primitive, operands, params, sizes

    def equal_to_another(self, op: Op) -> Env:
        """The results of an `if` that equal an earlier one of its own."""
        if op.primitive is not if_p:
            return {}
        keys = zip(*([self.constant_keys.get(y, y) for y in r.yields] for r in op.regions))
        first: dict[Hashable, Value] = {}
        return {
            y: x for key, y in zip(keys, op.results) if (x := first.setdefault(key, y)) is not y
        }

    def equal_results(self, op: Op, key: Hashable) -> Env:
        """The results of `op` that are available; none if it must run for its effects."""
        candidates = self.available.get(key)
        if not candidates or has_effect(op):
            return {}
        equal: Env = {}
        for other in candidates:
            equal = {**_equal_results(op, other), **equal}
        return equal


def _equal_results(op: Op, other: Op) -> Env:
    """The results of `op` that equal results of `other`, which has the same key."""
    if op.primitive is not if_p:
        return dict(zip(op.results, other.results)) if _same_regions(op, other) else {}
    keys = list(zip(*map(_yield_keys, op.regions, other.regions)))
    positions = {key: i for i, key in reversed([*enumerate(keys[len(op.results) :])])}
    found = zip(op.results, (positions.get(key) for key in keys))
    return {y: other.results[i] for y, i in found if i is not None}


def _yield_keys(one: Region, other: Region) -> list[Hashable]:
    """The keys of what two arms yield, as if both were computed one after the other."""
    yields = (*one.yields, *other.yields)
    return congruence_keys(Region((), (*other.ops, *one.ops), yields), {})


def _is_nullary(op: Op) -> bool:
    return not op.operands and not op.regions and len(op.results) == 1


def _same_regions(p: Op, q: Op) -> bool:
    return len(p.results) == len(q.results) and all(map(_same_region, p.regions, q.regions))


def _same_region(r: Region, s: Region) -> bool:
    return same_region(r, s, {})
