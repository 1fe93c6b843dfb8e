"""Branches that ask the same, one after the other, become one, if that is small enough to convert.

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

So are what a loop records of a branch and the branch itself, its replay and its pullback: apart
they compute the same twice, and what one of them reads of the other is a selection. Before
`if_convert.py`, which says what is small enough: a branch that stays one is to hold no array that
it does not have to.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Region, Value, captures, has_effect, reads
from myia.ir.dependence import with_dependents
from myia.passes.control_flow.if_conversion import is_convertible
from myia.primitives.core.structured import if_p
from myia.rewriting.walk import rebuilt, substituted, substituted_region, with_region


def fuse_branches(function: Function) -> Function:
    """`function` with small branches on the same condition joined."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops: list[Op] = []
    for op in region.ops:
        op = substituted(op, {}, _region)
        joined = _joined(ops, op) if op.primitive is if_p else None
        ops = [*ops, op] if joined is None else joined
    return rebuilt(region, ops, region.yields)


def _joined(ops: Sequence[Op], second: Op) -> list[Op] | None:
    """`ops` and a branch after them, joined with the last one of them that asks the same."""
    place = _last(ops, second)
    if place is None:
        return None
    first, between = ops[place], ops[place + 1 :]
    waiting = with_dependents(first.results, between)
    seen = waiting.difference(first.results).intersection(captures(*second.regions))
    both = _both(first, second)
    if seen or any(map(has_effect, (*between, both))) or not is_convertible(both):
        return None
    later = [op for op in between if not waiting.isdisjoint(reads(op))]
    return [*ops[:place], *(op for op in between if op not in later), both, *later]


def _last(ops: Sequence[Op], second: Op) -> int | None:
    """Where the last of `ops` is that asks the same."""
    for place in reversed(range(len(ops))):
        if ops[place].primitive is if_p and ops[place].operands == second.operands:
            return place
    return None


def _both(first: Op, second: Op) -> Op:
    regions = [_after(*arms, first.results) for arms in zip(first.regions, second.regions)]
    results = first.results + second.results
    return Op(if_p, first.operands, first.params, tuple(regions), results, second.span)


def _after(one: Region, other: Region, results: Sequence[Value]) -> Region:
    """Two arms; the other one reads the results of the first."""
    other = substituted_region(other, dict(zip(results, one.yields)))
    return Region((), one.ops + other.ops, one.yields + other.yields)
