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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from myia.analysis.array_versions import reads_initial_value, slice_chains
from myia.analysis.linear_indices import IndexRanges
from myia.ir.core import Function, Op, Value, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import Walk, rewrite


def initial_value_forwarding(function: Function) -> Function:
    """`function` with constants in the place of loads that find the initial value of a carry."""
    ranges, ops = IndexRanges(function.region), list(walk(function.region))
    constants = {op.results[0]: op for op in ops if op.primitive is constant_p}
    found: dict[Value, Any] = {}
    for op in ops:
        if op.primitive is loop_p:
            found.update(_loads_of_constants(Loop.of(op), constants, ranges))

    def rule(op: Op, _: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_slice or op.results[0] not in found:
            return None
        (y,) = op.results
        return [constant(found[y], y.dtype, y.shape)]

    return rewrite(function, rule) if found else function


def _loads_of_constants(
    loop: Loop, constants: Mapping[Value, Op], ranges: IndexRanges
) -> Iterator[tuple[Value, Any]]:
    """What loads find in carries that start constant, and the number that this is."""
    stored: dict[Value, tuple[Value, Op]] = {}  # version -> carried value, its initial constant
    for carry, arg, chain in zip(loop.carries, loop.body.args[1:], slice_chains(loop.body)):
        if carry in constants and chain is not None and chain.stores:
            stored |= dict.fromkeys((arg, *chain.versions), (arg, constants[carry]))
    for load in walk(loop.body) if stored else ():
        if load.primitive is dynamic_slice and load.operands[0] in stored:
            arg, initial = stored[load.operands[0]]
            if reads_initial_value(loop, arg, load, ranges):
                yield load.results[0], initial.params["value"]
