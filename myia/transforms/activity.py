"""Activity analysis: which values need a tangent or a cotangent.

    varied    depends differentiably on a source          (forward)
    useful    a target depends differentiably on it       (backward)
    active    both

Derivatives flow along the edges of one graph over all values, those of nested regions included.
Integers, booleans, and ops that are declared nondifferentiable have no edges.

The result over-approximates: an active value may still have a zero derivative. No value with a
derivative is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from myia.ir.core import Op, Value, Values
from myia.ir.primitive import NONDIFFERENTIABLE, Explicit, Linear, Partials
from myia.primitives.core.host_calls import is_host_call
from myia.primitives.core.region_dataflow import Edge, dataflow_edges, reachable
from myia.source.diagnostics import InternalError


def active_values(
    ops: Sequence[Op], sources: Iterable[Value], targets: Iterable[Value]
) -> set[Value]:
    """The values that are both varied and useful, for these sources and targets."""
    flow = list(derivative_edges(ops))
    forward, backward = defaultdict(list), defaultdict(list)
    for x, y in flow:
        forward[x].append(y)
        backward[y].append(x)
    return reachable(differentiable(sources), forward) & reachable(
        differentiable(targets), backward
    )


def useful_values(
    ops: Sequence[Op], targets: Iterable[Value], also: Iterable[Edge] = ()
) -> set[Value]:
    """The values on which the targets depend differentiably; `also`: further edges of the graph."""
    backward = defaultdict(list)
    for x, y in (*derivative_edges(ops), *also):
        backward[y].append(x)
    return reachable(differentiable(targets), backward)


def derivative_edges(ops: Iterable[Op]) -> Iterator[Edge]:
    """Pairs (x, y) such that y depends differentiably on x directly."""
    for op in ops:
        if op.primitive.structured:
            for x, y in dataflow_edges(op):
                if x.aval.differentiable and y.aval.differentiable:
                    yield x, y
            for region in op.regions:
                yield from derivative_edges(region.ops)
        else:
            for x in sources(op):
                for y in differentiable(op.results):
                    yield x, y


def sources(op: Op) -> list[Value]:
    """The operands of an op without regions in which it is differentiable."""
    derivative = op.primitive.derivative
    chosen: Values
    if is_host_call(op):  # no derivative flows through it: `host_calls.py` refuses where one would
        chosen = op.operands
    elif derivative is NONDIFFERENTIABLE:
        chosen = ()
    elif isinstance(derivative, Partials):
        chosen = [x for x, partial in zip(op.operands, derivative.partials) if partial is not None]
    elif isinstance(derivative, Linear) and derivative.groups is not None:
        chosen = [op.operands[i] for group in derivative.groups for i in group]
    elif isinstance(derivative, Linear | Explicit):
        chosen = op.operands
    else:
        raise InternalError(f"{op.primitive.name} does not say what its derivative is")
    return differentiable(chosen)


def differentiable(values: Iterable[Value]) -> list[Value]:
    return [x for x in values if x.aval.differentiable]
