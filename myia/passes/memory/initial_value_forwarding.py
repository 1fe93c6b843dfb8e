"""What is read of an array full of one number, where no trip has stored yet, is that number.

    %g = for %k < 90 (%g = 0.0: f64[90]) {          %g = for %k < 90 (%g = 0.0: f64[90]) {
      %1 = dynamic_slice %g, %k {sizes=(1,)}          %1 = 0.0: f64[1]
      %2 = add %1, %a {reassoc=True}          ->      %2 = add %1, %a {reassoc=True}
      %g = dynamic_update_slice %g, %2, %k            %g = dynamic_update_slice %g, %2, %k
      yield %g                                        yield %g
    }                                               }

As cotangents are, to which the reversal of a loop adds: of the first sum nothing is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.analysis.array_versions import carried_chains, reads_initial_value
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop
from myia.rewriting.walk import rebuilt, rewrite_loops, substituted


def forward_initial_values(function: Function) -> Function:
    """`function` with numbers in the place of reads of what no trip has changed yet."""
    ranges = IndexRanges(function.region)
    everything = walk(function.region)
    filled = {op.results[0]: op for op in everything if op.primitive is constant_p}
    return rewrite_loops(function, partial(_emit_loop, filled=filled, ranges=ranges))


def _emit_loop(op: Op, filled: Mapping[Value, Op], ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    changed: dict[Value, tuple[Value, Op]] = {}  # by version: the carry, and what fills it
    for carry, arg, history in zip(loop.carries, loop.body.args[1:], carried_chains(loop.body)):
        if carry in filled and history is not None and history.stores:
            changed |= dict.fromkeys({arg, *history.versions}, (arg, filled[carry]))
    if not changed:
        append(op)
        return
    first: dict[Op, Op] = {}
    for read in walk(loop.body):
        if read.primitive is dynamic_slice and read.operands[0] in changed:
            arg, full = changed[read.operands[0]]
            if reads_initial_value(loop, arg, read, ranges):
                first[read] = _number(read, full)
    append(_with_numbers(op, first) if first else op)


def _number(read: Op, filled: Op) -> Op:
    """What `read` finds in the array that `filled` makes."""
    (y,) = read.results
    return Op(constant_p, (), {**filled.params, "shape": y.shape}, (), read.results, read.span)


def _with_numbers(op: Op, first: Mapping[Op, Op]) -> Op:
    return substituted(first.get(op, op), {}, partial(_region, first=first))


def _region(region: Region, first: Mapping[Op, Op]) -> Region:
    return rebuilt(region, [_with_numbers(op, first) for op in region.ops], region.yields)
