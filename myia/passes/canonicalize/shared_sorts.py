"""Sorts by the same keys become one sort.

    %y = sort %x {keys=1}                             %1 = iota
    %i = iota                                 ->      %y, %p = sort %x, %1 {keys=1}
    %z, %p = sort %x, %i {keys=1}                     (%z is %y)

The derivative of a sort needs the order of the elements: it sorts positions along with the keys.
So does `argsort`. Sorts are stable: what else is moved along does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from myia.ir.builder import Builder, append, at, emit
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env, clone_op
from myia.primitives.arrays.sorting import sort_p
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def shared_sorts(function: Function) -> Function:
    """`function` in which the sorts of a region by the same keys are one."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops = [substituted(op, {}, _region) for op in region.ops]
    region = rebuilt(region, ops, region.yields)
    groups = _groups(region)
    if not groups:
        return region
    firsts = {group[0]: group for group in groups}
    others = {op for group in groups for op in group[1:]}
    made_by, env = definitions(region), Env()
    with Builder() as b:
        for op in region.ops:
            if op in firsts:
                with at(op.span):
                    _emit(firsts[op], made_by, env)
            elif op not in others:
                append(substituted(op, env))
    return Region(region.args, tuple(b.ops), look_up(region.yields, env))


def _groups(region: Region) -> list[Sequence[Op]]:
    """The sorts by the same keys, where there are several."""
    found, constants = defaultdict[Hashable, list[Op]](list), set[Value]()
    for op in region.ops:
        if not op.operands and not op.regions:
            constants.update(op.results)
        if op.primitive is sort_p:
            keys = op.params["keys"]
            if constants.issuperset(op.operands[keys:]):
                found[op.operands[:keys], op.params_key].append(op)
    return [group for group in found.values() if len(group) > 1]


def _emit(group: Sequence[Op], made_by: Mapping[Value, Op], env: Env) -> None:
    """Emit one sort in place of the first of a group; note what its results are for the others."""
    first, keys = group[0], group[0].params["keys"]
    moved: dict[Hashable, Value] = {}  # by the expression: each op has constants of its own
    for op in group:
        for x in op.operands[keys:]:
            constant = made_by[x]
            if (key := _expression(constant)) not in moved:
                append(clone := clone_op(constant, {}))
                (moved[key],) = clone.results
    sorted_by = [env.get(x, x) for x in first.operands[:keys]]
    results = emit(sort_p, *sorted_by, *moved.values(), **first.params)
    of = dict(zip(moved, results[keys:]))
    for op in group:
        moved_along = [of[_expression(made_by[x])] for x in op.operands[keys:]]
        for y, result in zip(op.results, (*results[:keys], *moved_along)):
            result.name = result.name or y.name
            env[y] = result


def _expression(constant: Op) -> Hashable:
    return constant.primitive, constant.params_key
