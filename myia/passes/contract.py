"""Nests of loops that only add products are products of matrices.

    %g = for %i < 60 (%g = %g0) {                       %1 = dot_general %a, %b
      %g = for %j < 50 (%g = %g) {            ->        %g = add %g0, %1
        %g = for %k < 40 (%g = %g) {
          ...  %g at (%i, %j) += %a at (%i, %k) * %b at (%k, %j), in any order
        }
      }
    }

The gradient of a product that a user wrote with three loops takes two of them. The user's own sums
keep their order; those of cotangents have none (`reassoc`). `additions.py` says what nests add,
`tensors.py` what that is as arrays.
"""

from __future__ import annotations

from functools import partial
from math import prod

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.additions import Nest, NotOnlyAdded
from myia.passes.distribute import distributed
from myia.passes.ranges import Ranges
from myia.passes.tensors import Tensors
from myia.passes.walk import look_up, rebuilt, substituted, substituted_region, with_region
from myia.primitives.structured import Loop, loop_p
from myia.primitives.windows import dynamic_slice

MIN_TRIPS = 256  # of the innermost loops, together


def contract(function: Function) -> Function:
    """`function` with products of arrays in the place of loops that add up products."""
    ranges, env = Ranges(function.region), {}
    with Builder() as b:
        for op in function.region.ops:
            op = substituted(op, env, partial(substituted_region, env=env))
            found = _emit_parts(op, ranges) if op.primitive is loop_p else None
            append(op) if found is None else env.update(found)
    region = rebuilt(function.region, b.ops, look_up(function.region.yields, env))
    return with_region(function, region)


def _emit_parts(op: Op, ranges: Ranges) -> Env | None:
    """Emit what a loop is made of, if some of that is products; what becomes of its results."""
    parts = distributed(op, ranges)
    if parts != [op]:
        ranges.visit(Region((), tuple(parts), ()))
    with Builder() as b:
        found = [_contracted(part, ranges) for part in parts]
    if not any(found):
        return None
    env = {}
    for new in b.ops:
        append(new)
    for part, results in zip(parts, found):
        if results is None:
            append(part)
        else:
            env.update(zip(part.results, results))
    return env


def _contracted(op: Op, ranges: Ranges) -> list[Value] | None:
    """The results of a loop, emitted as products; None, and nothing is emitted, if it is none."""
    try:
        with Builder() as b, at(op.span):
            nest = Nest(op, ranges)
            if len(nest.counts) < 2 or prod(nest.counts.values()) < MIN_TRIPS:
                return None
            tensors = Tensors(nest, _largest(op, nest))
            carries = enumerate(Loop.of(op).carries)
            results = [tensors.changed(x, list(nest.changes(op, i))) for i, x in carries]
    except NotOnlyAdded:
        return None
    for new in b.ops:
        append(new)
    return results


def _largest(op: Op, nest: Nest) -> int:
    """The size of the largest array that the nest reads or adds to."""
    reads = (o for o in nest.definitions.values() if o.primitive is dynamic_slice)
    return max(x.aval.size for x in (*op.operands, *(o.operands[0] for o in reads)))
