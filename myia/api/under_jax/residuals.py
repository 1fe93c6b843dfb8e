"""Reverse mode in two programs: a forward sweep with its residuals, and the pullback.

    f: x -> y        forward: x -> y, *residuals        pullback: x, *residuals, cy -> cx

They are one program of both, with the storage of its loops chosen, cut where it reads cotangents:
a tape is an array as any other. What elementwise ops compute is no residual, since they run again:
they fuse with the pullback, and would fill memory. Loops, products and sorts do not run again.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir import builder as ir
from myia.ir.core import Function, Op, Region, Value, reads
from myia.ir.dependence import with_dependents
from myia.ir.rewrite import clone_region
from myia.pipeline import Compilation, Options
from myia.primitives.arrays.shaping import MOVES
from myia.primitives.core.define import PointwisePrimitive
from myia.primitives.core.structured import derivative_p


def cut(
    f: Function, wrt: tuple[int, ...], of: tuple[int, ...], options: Options
) -> tuple[Function, Function]:
    """The forward sweep, `(*args) -> *results, *residuals`, and the pullback,
    `(*args, *residuals, *cotangents of the results of) -> cotangents of the args wrt`."""
    given = [*f.args, *(f.results[i] for i in of)]

    def both(*xs: Value) -> Sequence[Value]:
        regions = [clone_region(f.region)]
        return ir.emit(derivative_p, *xs, regions=regions, mode="vjp", wrt=wrt, of=of)

    region = ir.build_region([x.aval for x in given], both, [x.name for x in f.args])
    whole = Function(f.name, region, f.span)
    region = Compilation(whole, options).until("storage").function.region
    count, values = len(f.args), len(f.results)
    args, seeds = region.args[:count], region.args[count:]
    results, cts = region.yields[:values], region.yields[values:]
    later = with_dependents(seeds, region.ops)
    first = [op for op in region.ops if later.isdisjoint(op.results)]
    last = dict.fromkeys(op for op in region.ops if not later.isdisjoint(op.results))
    wanted = [*cts, *(x for op in last for x in reads(op))]
    again, residuals = _recomputed(first, [x for x in wanted if x not in later], set(args))
    pulled = tuple(op for op in region.ops if op in again or op in last)
    return (
        Function(f"{f.name}_forward", Region(args, tuple(first), (*results, *residuals)), f.span),
        Function(f"{f.name}_pullback", Region((*args, *residuals, *seeds), pulled, cts), f.span),
    )


def _recomputed(
    ops: Sequence[Op], wanted: Sequence[Value], given: set[Value]
) -> tuple[set[Op], list[Value]]:
    """The ops that run again for the `wanted` values, and what they read of others."""
    definitions = {y: op for op in ops for y in op.results}
    again: set[Op] = set()
    residuals: list[Value] = []
    seen, todo = set(given), list(wanted)
    while todo:
        x = todo.pop()
        if x in seen:
            continue
        seen.add(x)
        op = definitions[x]
        if _is_cheap(op):
            again.add(op)
            todo += op.operands
        else:
            residuals.append(x)
    return again, residuals


def _is_cheap(op: Op) -> bool:
    if op.regions or op.primitive.effect:
        return False
    pointwise = isinstance(op.primitive, PointwisePrimitive) or op.primitive in MOVES
    return pointwise or not op.operands
