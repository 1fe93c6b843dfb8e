"""Nests of loops that only add products are products of matrices.

    %g = for %i < 60 (%g = %g0) {                       %1 = dot_general %a, %b
      %g = for %j < 50 (%g = %g) {            ->        %g = add %g0, %1
        %g = for %k < 40 (%g = %g) {
          ...  %g at (%i, %j) += %a at (%i, %k) * %b at (%k, %j), in any order
        }
      }
    }

The gradient of a product that a user wrote with three loops takes two of them. The user's own sums
keep their order; those of cotangents have none (`reassoc`). `nest_effects.py` says what nests do,
`nest_to_arrays.py` what that is as arrays, `distribute.py` which nests a loop is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.analysis.linear_indices import IndexRanges
from myia.passes.analysis.nest_effects import LoopNest, NoWholeArrayForm
from myia.passes.idioms.nest_to_arrays import NestArrays
from myia.passes.loops.fission import restricted_to_carries, split_loop
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import look_up, rebuilt, substituted, substituted_region, with_region

MIN_ITERATIONS = 256  # of the innermost loops, together
# In the trips of another loop, which is then no longer compiled whole: of products only, nests of
# three loops (two dimensions of Jacobi take 1.5 times as long).
MIN_ITERATIONS_INSIDE_LOOPS = 2048


def recognize_matmul(function: Function) -> Function:
    """`function` with products of arrays in the place of loops that add up products."""
    ranges = IndexRanges(function.region)
    return with_region(function, _region(function.region, ranges, in_loop=False))


def _region(region: Region, ranges: IndexRanges, in_loop: bool) -> Region:
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            found = _emit_parts(op, ranges, in_loop) if op.primitive is loop_p else None
            if found is None:
                inside = in_loop or op.primitive is loop_p
                append(substituted(op, {}, partial(_region, ranges=ranges, in_loop=inside)))
            else:
                env.update(found)
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _emit_parts(op: Op, ranges: IndexRanges, in_loop: bool) -> Env | None:
    """Emit what a loop is made of, if some of that is products; what becomes of its results."""
    parts = split_loop(op, ranges)
    if parts != [op]:
        ranges.visit(Region((), tuple(parts), ()))
    with Builder() as b:
        found = [_contracted(part, ranges, in_loop) for part in parts]
    if not _worth_it(parts, found):
        return None
    env, left = {}, []
    for new in b.ops:
        append(new)
    for part, results in zip(parts, found):
        if results is None:
            left += map(op.results.index, part.results)
        else:
            env.update(zip(part.results, results))
    if left:
        append(restricted_to_carries(op, sorted(left)))  # in one loop still
    return env


def _worth_it(parts: Sequence[Op], found: Sequence[list[Value] | None]) -> bool:
    """A loop is parted only for nests that make at least as many trips as those that are left."""
    if len(parts) == 1:
        return found[0] is not None
    done = [_trips(part) for part, results in zip(parts, found) if results is not None]
    left = [_trips(part) for part, results in zip(parts, found) if results is None]
    nests = [any(op.primitive is loop_p for op in part.regions[0].ops) for part in parts]
    return any(nests) and max(done, default=0) >= max(left, default=1)


def _trips(op: Op) -> int:
    """How many trips the innermost loops of a loop make, at most."""
    loop = Loop.of(op)
    inner = [_trips(inner) for inner in loop.body.ops if inner.primitive is loop_p]
    return (loop.bound or 1) * max(inner, default=1)


def _contracted(op: Op, ranges: IndexRanges, in_loop: bool) -> list[Value] | None:
    """The results of a loop, emitted as products; None, and nothing is emitted, if it is none."""
    try:
        with Builder() as b, at(op.span):
            nest = LoopNest(op, ranges)
            if not _is_large(nest, in_loop):
                return None
            tensors = NestArrays(nest, _largest(op, nest))
            carries = enumerate(Loop.of(op).carries)
            results = [tensors.changed(x, list(nest.effects_on_carry(op, i))) for i, x in carries]
    except NoWholeArrayForm:
        return None
    for new in b.ops:
        append(new)
    return results


def _is_large(nest: LoopNest, in_loop: bool) -> bool:
    trips, depth = prod(nest.trip_counts.values()), len(nest.trip_counts)
    if in_loop:
        return trips >= MIN_ITERATIONS_INSIDE_LOOPS and depth > 2
    return trips >= MIN_ITERATIONS


def _largest(op: Op, nest: LoopNest) -> int:
    """The size of the largest array that the nest reads or adds to."""
    reads = (o for o in nest.definitions.values() if o.primitive is dynamic_slice)
    return max(x.aval.size for x in (*op.operands, *(o.operands[0] for o in reads)))
