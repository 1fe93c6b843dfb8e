"""Initial value forwarding: a load of an array that starts constant, before any store, is constant.

    %g = for %k < 90 (%g = 0.0: f64[90]) {          %g = for %k < 90 (%g = 0.0: f64[90]) {
      %1 = dynamic_slice %g, %k {sizes=(1,)}          %1 = 0.0: f64[1]
      %2 = add %1, %a {reassoc=True}          ->      %2 = add %1, %a {reassoc=True}
      %g = dynamic_update_slice %g, %2, %k            %g = dynamic_update_slice %g, %2, %k
      yield %g                                        yield %g
    }                                               }

The load finds the initial value if no earlier iteration stores into its slice. Cotangents are the
main case: an adjoint loop adds to zeros, and simplification then removes the first addition.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from myia.ir.builder import append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.analysis.array_versions import reads_initial_value, slice_chains
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop
from myia.rewriting.walk import rebuilt, rewrite_loops, substituted


def initial_value_forwarding(function: Function) -> Function:
    """`function` with constants in the place of loads that find the initial value of a carry."""
    ranges = IndexRanges(function.region)
    ops = walk(function.region)
    constants = {op.results[0]: op for op in ops if op.primitive is constant_p}
    return rewrite_loops(function, partial(_emit_loop, constants=constants, ranges=ranges))


def _emit_loop(op: Op, constants: Mapping[Value, Op], ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    stored: dict[Value, tuple[Value, Op]] = {}  # version -> carried value, its initial constant
    for carry, arg, chain in zip(loop.carries, loop.body.args[1:], slice_chains(loop.body)):
        if carry in constants and chain is not None and chain.stores:
            stored |= dict.fromkeys({arg, *chain.versions}, (arg, constants[carry]))
    if not stored:
        append(op)
        return
    replaced: dict[Op, Op] = {}
    for load in walk(loop.body):
        if load.primitive is dynamic_slice and load.operands[0] in stored:
            arg, initial = stored[load.operands[0]]
            if reads_initial_value(loop, arg, load, ranges):
                replaced[load] = _slice_of_constant(load, initial)
    append(_with_constants(op, replaced) if replaced else op)


def _slice_of_constant(load: Op, array: Op) -> Op:
    """The constant that `load` finds in the constant `array`."""
    (y,) = load.results
    return Op(constant_p, (), {**array.params, "shape": y.shape}, (), load.results, load.span)


def _with_constants(op: Op, replaced: Mapping[Op, Op]) -> Op:
    return substituted(replaced.get(op, op), {}, partial(_region, replaced=replaced))


def _region(region: Region, replaced: Mapping[Op, Op]) -> Region:
    return rebuilt(region, [_with_constants(op, replaced) for op in region.ops], region.yields)
