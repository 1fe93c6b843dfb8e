"""Data flow through ops with regions, as the edges of a graph.

A loop's carry is several SSA values: the initial value, the argument of each region, the value that
the body yields, the result. `dataflow_edges` connects them. Activity and liveness are then
reachability in a graph whose cycles are the loops: one search decides, without iteration to a fixed
point, however deep the nest.

    z = loop (x0) { body(x) yields y }      has the edges      x0 -> x,  y -> x,  x0 -> z,  y -> z
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from myia.ir.core import Op, Value, Values
from myia.primitives.core.structured import (
    Loop,
    call_p,
    custom_p,
    derivative_p,
    if_p,
    loop_p,
    remat_p,
    rev_p,
)
from myia.source.diagnostics import InternalError

Edge = tuple[Value, Value]


def dataflow_edges(op: Op) -> Iterator[Edge]:
    """Pairs (x, y): `x` becomes `y` on entry to a region, between two iterations, or on exit."""
    if op.primitive is if_p:
        for region in op.regions:
            yield from zip(region.yields, op.results)
    elif op.primitive is loop_p:
        parts = Loop.of(op)
        yield from _cycle(parts.carries, parts.body.yields, carry_args(parts), op.results)
    elif op.primitive is rev_p:
        parts = Loop.of(op)
        seeds, args = adjoint_state(parts), adjoint_state_args(parts)
        yield from _cycle(parts.carries, parts.body.yields, carry_args(parts))
        yield from _cycle(seeds, parts.adjoint_region.yields, [args], op.results)
    elif op.primitive in (call_p, remat_p):
        (body,) = op.regions
        yield from zip(op.operands, body.args)
        yield from zip(body.yields, op.results)
    elif op.primitive is derivative_p:
        (f,) = op.regions
        yield from zip(op.operands, f.args)
        yield from ((y, result) for y in f.yields for result in op.results)
    elif op.primitive is custom_p:
        yield from ((x, y) for x in op.operands for y in op.results)
    else:
        raise InternalError(f"{op.primitive.name}: an unknown op with regions")


def _cycle(
    initial: Values,
    yields: Values,
    args: Sequence[Values],
    results: Values = (),
) -> Iterator[Edge]:
    """The edges of a carry: from its initial value and its yield to its arguments and result."""
    for target in (*args, results):
        yield from zip(initial, target)
        yield from zip(yields, target)


def carry_args(parts: Loop) -> list[tuple[Value, ...]]:
    """The arguments of each region of a `loop` or `rev` that hold its carries."""
    n = len(parts.carries)
    regions = [r for r in (parts.cond, parts.body, parts.adjoint) if r is not None]
    return [r.args[1 : 1 + n] for r in regions]


def adjoint_state(parts: Loop) -> tuple[Value, ...]:
    """The initial λ and accumulators of a `rev`, which it transforms linearly."""
    return parts.seeds + parts.accumulators


def adjoint_state_args(parts: Loop) -> tuple[Value, ...]:
    """The arguments of the adjoint region that hold λ and the accumulators."""
    return parts.adjoint_region.args[1 + len(parts.carries) :]


def reachable(starts: Iterable[Value], successors: Mapping[Value, Iterable[Value]]) -> set[Value]:
    """All values reachable from `starts`, these included."""
    found = set(starts)
    todo = list(found)
    while todo:
        for y in successors.get(todo.pop(), ()):
            if y not in found:
                found.add(y)
                todo.append(y)
    return found
