"""Loop fission: a loop with independent parts becomes several loops.

    %g, %w = for %i < 60 (%g = %g0, %w = %w0) {         %g = for %i < 60 (%g = %g0) {
      %g = ... reads %w at %i                             %g = ... reads %w0 at %i
      %w = ... reads and stores %w at %i        ->        yield %g
      yield %g, %w                                      }
    }                                                   %w = for %i < 60 (%w = %w0) {
                                                          %w = ... reads and stores %w at %i
                                                          yield %w
                                                        }

In the example the first part reads only elements that no earlier iteration has stored, so it can
read the array from before the loop, `%w0`. Fission is used where each part is then recognised as
something better than a loop (`idioms/matmul.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from myia.analysis.array_versions import reads_initial_value
from myia.analysis.linear_indices import IndexRanges
from myia.ir.core import Op, Region, Value, has_effect, walk
from myia.ir.dependence import needed
from myia.ir.rewrite import clone_region
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import rebuilt

MAX_RECOMPUTED_ELEMENTS = 64  # elements per iteration that an op may compute in several loops


def split_loop(op: Op, ranges: IndexRanges) -> list[Op]:
    """The loops that a counted loop splits into, at any depth; they may run in any order.

    A loop with an effect is not split: what a user prints belongs to no carried value, and its
    order must stay.
    """
    loop = Loop.of(op)
    if loop.count is None or loop.cond is not None or has_effect(op):
        return [op]
    body = _with_inner_loops_split(loop.body, ranges)
    if body is not loop.body:
        op = Op(loop_p, op.operands, op.params, (body,), op.results, op.span)
        loop = Loop.of(op)
    groups = _groups(loop, ranges)
    return [op] if len(groups) < 2 else [restricted_to_carries(op, group) for group in groups]


def _with_inner_loops_split(body: Region, ranges: IndexRanges) -> Region:
    ops: list[Op] = []
    for op in body.ops:
        parts = split_loop(op, ranges) if op.primitive is loop_p else [op]
        if parts != [op]:
            ranges.visit(Region((), tuple(parts), ()))
        ops += parts
    return rebuilt(body, ops, body.yields)


def restricted_to_carries(op: Op, group: Sequence[int]) -> Op:
    """The loop with the carries at these positions only; others keep their initial values."""
    loop = Loop.of(op)
    body = loop.body
    yields = tuple(body.yields[i] for i in group)
    args = (body.args[0], *(body.args[1 + i] for i in group))
    ops = needed(body.ops, yields)
    initial = {x: y for x, y in zip(body.args[1:], loop.carries) if x not in args}
    part = clone_region(Region(args, tuple(ops), yields), initial)
    operands = (*op.operands[: op.params["counted"]], *(loop.carries[i] for i in group))
    return Op(loop_p, operands, op.params, (part,), tuple(op.results[i] for i in group), op.span)


def _groups(loop: Loop, ranges: IndexRanges) -> list[list[int]]:
    """Positions of carries, grouped: two that depend on each other or share work stay together."""
    parts = [needed(loop.body.ops, [y]) for y in loop.body.yields]
    groups: list[list[int]] = []
    for i in range(len(parts)):
        joined = [
            group
            for group in groups
            if any(_must_share_loop(loop, parts, i, j, ranges) for j in group)
        ]
        groups = [group for group in groups if group not in joined]
        groups.append(sorted([i, *(j for group in joined for j in group)]))
    return groups


def _must_share_loop(
    loop: Loop, parts: list[list[Op]], i: int, j: int, ranges: IndexRanges
) -> bool:
    """Must carries `i` and `j` be computed in one loop? `parts`: the ops that each needs."""
    shared = set(parts[i]) & set(parts[j])
    if any(
        op.regions or sum(prod(y.shape) for y in op.results) > MAX_RECOMPUTED_ELEMENTS
        for op in shared
    ):
        return True
    return _depends(loop, parts[i], i, j, ranges) or _depends(loop, parts[j], j, i, ranges)


def _depends(loop: Loop, part: list[Op], i: int, j: int, ranges: IndexRanges) -> bool:
    """Does carry `i`, which `part` computes, depend on the value of carry `j` from an earlier
    iteration?
    """
    arg = loop.body.args[1 + j]
    if loop.body.yields[i] is arg:
        return True
    users = [op for op in _all_ops(part) if arg in op.operands or _yields(op, arg)]
    only_loads = all(op.primitive is dynamic_slice for op in users)
    return not (only_loads and all(reads_initial_value(loop, arg, op, ranges) for op in users))


def _all_ops(ops: Sequence[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        for region in op.regions:
            yield from walk(region)


def _yields(op: Op, x: Value) -> bool:
    return any(x in region.yields for region in op.regions)
