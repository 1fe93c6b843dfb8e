"""Equal ops before a reversal: what is computed twice would have two cotangents.

    %a = write %u into %x at %i      the step         %a = write %u into %x at %i
    %b = write %u into %x at %i      run again   ->   %1 = read %a at %j
    %1 = read %b at %j

The cotangent of %b would begin with zeros, take what is read, and be added to that of %a: two whole
arrays in each trip, where the cotangent of %a is there and an element can be added to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from myia.ir.core import Op, Value
from myia.ir.equality import same_region
from myia.ir.rewrite import Env, reading


def once(ops: Iterable[Op], values: Sequence[Value]) -> tuple[list[Op], list[Value]]:
    """`ops`, which have no effects, without those that equal an earlier one; what `values` are.

    An op with regions is not looked into further than to compare it.
    """
    env: Env = {}
    kept: dict[Hashable, list[Op]] = {}
    found: list[Op] = []
    for op in ops:
        op = reading(op, env)
        twins = kept.setdefault((op.primitive, op.operands, op.params_key), [])
        twin = next((other for other in twins if _is_same(op, other)), None)
        if twin is None:
            twins.append(op)
            found.append(op)
        else:
            env.update(zip(op.results, twin.results))
    return found, [env.get(x, x) for x in values]


def _is_same(op: Op, other: Op) -> bool:
    pairs = zip(op.regions, other.regions, strict=True)
    avals = [[y.aval for y in o.results] for o in (op, other)]
    return avals[0] == avals[1] and all(same_region(r, s, {}) for r, s in pairs)
