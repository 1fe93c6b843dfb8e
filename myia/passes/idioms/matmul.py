"""Matrix products recognized in loop nests: nests that only accumulate products are contractions.

    %g = for %i < 60 (%g = %g0) {                       %1 = dot_general %a, %b
      %g = for %j < 50 (%g = %g) {            ->        %g = add %g0, %1
        %g = for %k < 40 (%g = %g) {
          ...  %g at (%i, %j) += %a at (%i, %k) * %b at (%k, %j), in any order
        }
      }
    }

Such nests arise as the gradient of a matrix product that a user wrote as three loops: it consists
of two of them. Only sums of cotangents may be reordered (`reassoc`): sums that the user wrote stay
loops.

`analysis/nest_effects.py` summarizes what a nest does to its carried values, `nest_to_arrays.py`
emits that as operations on arrays, `loops/fission.py` splits a loop into the nests that it
consists of. A nest stays a loop where one of them gives up (`NoWholeArrayForm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from myia.analysis.linear_indices import IndexRanges
from myia.analysis.nest_effects import LoopNest, NoWholeArrayForm
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.idioms.nest_to_arrays import NestArrays
from myia.passes.loops.fission import restricted_to_carries, split_loop
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import look_up, rebuilt, substituted, substituted_region, with_region

MIN_ITERATIONS = 256  # of the innermost loops of a nest, in total
# The same for a nest inside another loop, which can then not be emitted as one function any more.
# There only nests of three loops are worth it (two-dimensional Jacobi takes 1.5 times as long).
MIN_ITERATIONS_INSIDE_LOOPS = 2048


def matmul(function: Function) -> Function:
    """`function` with products of arrays in place of loop nests that accumulate products."""
    ranges = IndexRanges(function.region)
    return with_region(function, _region(function.region, ranges, in_loop=False))


def _region(region: Region, ranges: IndexRanges, in_loop: bool) -> Region:
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            replaced = _emit_parts(op, ranges, in_loop) if op.primitive is loop_p else None
            if replaced is None:
                inside = in_loop or op.primitive is loop_p
                append(substituted(op, {}, partial(_region, ranges=ranges, in_loop=inside)))
            else:
                env.update(replaced)
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _emit_parts(op: Op, ranges: IndexRanges, in_loop: bool) -> Env | None:
    """Emit the parts of a loop if some of them are products, the rest as one loop. Returns the
    values that replace its results; None, and nothing is emitted, if it should stay as it is."""
    parts = split_loop(op, ranges)
    if parts != [op]:
        # The parts have loop indices of their own.
        ranges.visit(Region((), tuple(parts), ()))
    with Builder() as b:
        contracted = [_contract(part, ranges, in_loop) for part in parts]
    if not _is_profitable(parts, contracted):
        return None
    env: Env = {}
    left: list[int] = []
    for new in b.ops:
        append(new)
    for part, results in zip(parts, contracted):
        if results is None:
            left += map(op.results.index, part.results)
        else:
            env.update(zip(part.results, results))
    if left:
        append(restricted_to_carries(op, sorted(left)))  # as one loop, as before
    return env


def _is_profitable(parts: Sequence[Op], contracted: Sequence[list[Value] | None]) -> bool:
    """Whether the nests that became products make at least as many iterations as those that stay
    loops: else splitting the loop gains too little."""
    if len(parts) == 1:
        return contracted[0] is not None
    pairs = list(zip(parts, contracted))
    done = [_iterations(part) for part, results in pairs if results is not None]
    left = [_iterations(part) for part, results in pairs if results is None]
    nests = [any(op.primitive is loop_p for op in part.regions[0].ops) for part in parts]
    return any(nests) and max(done, default=0) >= max(left, default=1)


def _iterations(op: Op) -> int:
    """The bound of a loop times the largest such product of its inner loops.

    This estimates the iterations of the innermost loops; a loop without a bound counts as 1.
    """
    loop = Loop.of(op)
    inner = [_iterations(inner) for inner in loop.body.ops if inner.primitive is loop_p]
    return (loop.bound or 1) * max(inner, default=1)


def _contract(op: Op, ranges: IndexRanges, in_loop: bool) -> list[Value] | None:
    """Emit a loop as products and return its results; None, and nothing is emitted, if it is not
    such a nest or too small."""
    try:
        with Builder() as b, at(op.span):
            nest = LoopNest(op, ranges)
            if not _is_large(nest, in_loop):
                return None
            arrays = NestArrays(nest, _largest_array(op, nest))
            carries = enumerate(Loop.of(op).carries)
            results = [arrays.after_nest(x, list(nest.effects_on_carry(op, i))) for i, x in carries]
    except NoWholeArrayForm:
        return None
    for new in b.ops:
        append(new)
    return results


def _is_large(nest: LoopNest, in_loop: bool) -> bool:
    iterations, depth = prod(nest.trip_counts.values()), len(nest.trip_counts)
    if in_loop:
        return iterations >= MIN_ITERATIONS_INSIDE_LOOPS and depth > 2
    return iterations >= MIN_ITERATIONS


def _largest_array(op: Op, nest: LoopNest) -> int:
    """The number of elements of the largest array that the nest reads or adds to."""
    reads = (o for o in nest.definitions.values() if o.primitive is dynamic_slice)
    return max(x.aval.size for x in (*op.operands, *(o.operands[0] for o in reads)))
