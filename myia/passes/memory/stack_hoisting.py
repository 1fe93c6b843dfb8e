"""Stack hoisting: the numbers of a list that a loop indexes are stacked once, before the loop.

    %s = for %k < %n (%s = %0) {                 %1 = concatenate %x, %y, ...
      %1 = concatenate %x, %y, ...               %s = for %k < %n (%s = %0) {
      %2 = read %1 at %k                    ->     %2 = read %1 at %k
      %3 = add %s, %2                              %3 = add %s, %2
      yield %3                                     yield %3
    }                                            }

`xs[k]` of a list stacks its items where it stands. The pass runs before derivatives are taken: the
cotangents of the items are then one array, of which an iteration changes an element. Otherwise the
adjoint would carry a number for each item, and each iteration would change all of them.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from myia.ir.core import Function, Op, Region, Value
from myia.primitives.arrays import shaping
from myia.primitives.core.structured import if_p, loop_p
from myia.primitives.pointwise import logic
from myia.rewriting.common_subexpressions import eliminate_common_subexpressions
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region

MIN_ITEMS = 9  # of fewer items the adjoint had better carry numbers
OF_ITEMS = (shaping.reshape, logic.convert_p)  # what makes the rows of a stack


def stack_hoisting(function: Function) -> Function:
    """`function` with stacks of loop-invariant items moved out of the loops."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        op = substituted(op, {}, _region)
        ops += _without_stacks(op) if op.primitive is loop_p else [op]
    return rebuilt(region, ops, region.yields)


def _without_stacks(loop: Op) -> list[Op]:
    """The stacks of a loop, equal ones once, and the loop without them."""
    moved = [stack for region in loop.regions for stack in _stacks(region)]
    if not moved:
        return [loop]
    results = tuple(y for stack in moved for y in stack.results)
    merged = eliminate_common_subexpressions(Region((), tuple(moved), results))
    env, gone = dict(zip(results, merged.yields)), set(moved)
    regions = tuple(substituted_region(_without(r, gone), env) for r in loop.regions)
    return [
        *merged.ops,
        Op(loop.primitive, loop.operands, loop.params, regions, loop.results, loop.span),
    ]


def _without(region: Region, gone: Collection[Op]) -> Region:
    inside = partial(_without, gone=gone)
    ops = [substituted(op, {}, inside) for op in region.ops if op not in gone]
    return rebuilt(region, ops, region.yields)


def _stacks(region: Region) -> list[Op]:
    """The loop-invariant stacks of items, with the ops that make their rows."""
    invariant = _invariant_ops(region, set(region.args))
    of_result: dict[Value, Op] = {op.results[0]: op for op in invariant}
    found: set[Op] = set()
    for op in invariant:
        if _is_stack(op) and (rows := _rows(op, of_result)) is not None:
            found.update([op, *rows])
    return [op for op in invariant if op in found]


def _invariant_ops(region: Region, varying: set[Value]) -> list[Op]:
    """The pure ops without regions that depend on nothing that varies, those in branches, too."""
    found: list[Op] = []
    for op in region.ops:
        if op.primitive is if_p:
            found += [each for branch in op.regions for each in _invariant_ops(branch, varying)]
        if op.regions or op.primitive.effect or not varying.isdisjoint(op.operands):
            varying.update(op.results)
        else:
            found.append(op)
    return found


def _is_stack(op: Op) -> bool:
    many = op.primitive is shaping.concatenate and len(op.operands) >= MIN_ITEMS
    return many and op.params["axis"] == 0 and all(x.aval.shape[0] == 1 for x in op.operands)


def _rows(stack: Op, of_result: dict[Value, Op]) -> list[Op] | None:
    """The ops inside the loop that make the rows; None if they do more than that."""
    pending = [of_result[x] for x in stack.operands if x in of_result]
    found = []
    while pending:
        op = pending.pop()
        if op.operands and op.primitive not in OF_ITEMS:
            return None
        found.append(op)
        pending += [of_result[x] for x in op.operands if x in of_result]
    return found
