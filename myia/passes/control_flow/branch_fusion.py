"""Branch fusion: two branches on the same condition become one, if it can be if-converted.

    %y = if %p {                                 ->
      %1 = sin %x                                        %y, %z = if %p {
      yield %1                                             %1 = sin %x
    } else {                                               %3 = mul %1, %w
      yield %x                                             yield %1, %3
    }                                                    } else {
    %2 = neg %y                                            yield %x, %w
    %z = if %p {                                         }
      %3 = mul %y, %w                                    %2 = neg %y
      yield %3
    } else {
      yield %w
    }

Differentiation makes such branches: what a loop records of a branch, the branch itself, its
recomputed primal and its pullback all test the same condition. If-converted one by one, they would
compute the same values twice, and what one reads of the other would be the result of a `select`.

The pass runs before if-conversion (`if_conversion.py`) and asks it what is small enough. A branch
that stays a branch is fused only where one arm runs a loop that the other one has run: otherwise it
would yield arrays that it does not need to.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Region, Value, captures, has_effect, reads
from myia.ir.dependence import with_dependents
from myia.passes.control_flow.if_conversion import is_convertible
from myia.primitives.core.structured import if_p, loop_p
from myia.rewriting.value_numbering import Numbering
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region


def branch_fusion(function: Function) -> Function:
    """`function` with small branches on the same condition fused."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        op = substituted(op, {}, _region)
        fused = _fused_with_earlier(ops, op) if op.primitive is if_p else None
        ops = [*ops, op] if fused is None else fused
    return rebuilt(region, ops, region.yields)


def _fused_with_earlier(ops: Sequence[Op], second: Op) -> list[Op] | None:
    """`ops` and a branch after them, fused with the last branch among them on its condition.

    Ops between the two that depend on the first one move after the fused branch. Returns None if
    the second branch reads what such an op computes, or if there is an effect among the moved ops.
    """
    index = _last_on_same_condition(ops, second)
    if index is None:
        return None
    first, between = ops[index], ops[index + 1 :]
    dependents = with_dependents(first.results, between)
    read_by_second = dependents.difference(first.results).intersection(captures(*second.regions))
    fused = _fused(first, second)
    if read_by_second or any(map(has_effect, (*between, fused))):
        return None
    if not is_convertible(fused) and not any(map(_repeats_loop, fused.regions)):
        return None
    after = [op for op in between if not dependents.isdisjoint(reads(op))]
    return [*ops[:index], *(op for op in between if op not in after), fused, *after]


def _last_on_same_condition(ops: Sequence[Op], second: Op) -> int | None:
    """The index of the last branch among `ops` on the condition of `second`."""
    for index in reversed(range(len(ops))):
        if ops[index].primitive is if_p and ops[index].operands == second.operands:
            return index
    return None


def _fused(first: Op, second: Op) -> Op:
    regions = [_concatenated(*arms, first.results) for arms in zip(first.regions, second.regions)]
    results = first.results + second.results
    return Op(if_p, first.operands, first.params, tuple(regions), results, second.span)


def _repeats_loop(arm: Region) -> bool:
    numbering = Numbering()
    numbering.visit(arm.ops)
    repeated = numbering.repeated_values(arm.ops)
    return any(op.primitive is loop_p and op.results[0] in repeated for op in arm.ops if op.results)


def _concatenated(first: Region, second: Region, results: Sequence[Value]) -> Region:
    """Two arms, one after the other; the second reads `results`, which the first one yields."""
    second = substituted_region(second, dict(zip(results, first.yields)))
    return Region((), first.ops + second.ops, first.yields + second.yields)
