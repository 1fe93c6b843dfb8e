"""How values flow through the ops that have regions.

A loop's carry is several values: its initial one, the argument of each region, what the body
yields, the result. `edges` says which of them becomes which. Activity and liveness are questions
of reachability along such edges, so that a loop is a cycle of a graph and no fixed point has to be
iterated, however deep the nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from myia.ir.core import Op, Value
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


def edges(op: Op) -> Iterator[Edge]:
    """Pairs (x, y): `y` is `x` at the start of a region, between two trips, or at the end."""
    if op.primitive is if_p:
        for region in op.regions:
            yield from zip(region.yields, op.results)
    elif op.primitive is loop_p:
        parts = Loop.of(op)
        yield from _cycle(parts.carries, parts.body.yields, carry_args(parts), op.results)
    elif op.primitive is rev_p:
        parts = Loop.of(op)
        seeds, args = state(parts), state_args(parts)
        yield from _cycle(parts.carries, parts.body.yields, carry_args(parts))
        yield from _cycle(seeds, parts.adjoint.yields, [args], op.results)
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
    initial: Sequence[Value],
    yields: Sequence[Value],
    args: Sequence[Sequence[Value]],
    results: Sequence[Value] = (),
) -> Iterator[Edge]:
    for target in (*args, results):
        yield from zip(initial, target)
        yield from zip(yields, target)


def carry_args(parts: Loop) -> list[tuple[Value, ...]]:
    """The arguments that stand for the carries, in each region of a `loop` or `rev`."""
    n = len(parts.carries)
    regions = [r for r in (parts.cond, parts.body, parts.adjoint) if r is not None]
    return [r.args[1 : 1 + n] for r in regions]


def state(parts: Loop) -> tuple[Value, ...]:
    """What a `rev` starts with and transforms linearly: λ and the accumulators."""
    return parts.seeds + parts.accumulators


def state_args(parts: Loop) -> tuple[Value, ...]:
    return parts.adjoint.args[1 + len(parts.carries) :]


def reach(starts: Iterable[Value], successors: Mapping[Value, Iterable[Value]]) -> set[Value]:
    """All values that can be reached from `starts`, themselves included."""
    found = set(starts)
    todo = list(found)
    while todo:
        for y in successors.get(todo.pop(), ()):
            if y not in found:
                found.add(y)
                todo.append(y)
    return found
