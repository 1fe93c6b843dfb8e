"""Emission of structured ops from Python functions that build their regions.

if_(pred, lambda: [x], lambda: [y])
loop(init, lambda k, x: [mul(x, x)], count=n)
loop(init, body, cond=lambda k, x: less(x, limit))
"""

from __future__ import annotations

from typing import Any

from myia.ir.avals import I64
from myia.ir.builder import build_region, emit
from myia.ir.core import Value, Values
from myia.ir.primitive import Formula
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p


def if_(pred: Value, then: Formula, other: Formula) -> tuple[Value, ...]:
    """`then()` and `other()` emit a branch each and return its yields."""
    return emit(if_p, pred, regions=(build_region([], then), build_region([], other)))


def loop(
    init: Values,
    body: Formula,
    *,
    count: Value | None = None,
    cond: Formula | None = None,
    bound: int | None = None,
) -> tuple[Value, ...]:
    """`body(k, *carries)` returns the next carries; `cond(k, *carries)` a `bool[]` value."""
    avals = [I64, *(x.aval for x in init)]
    cond_region = None if cond is None else build_region(avals, lambda *xs: [cond(*xs)])
    return emit_loop(Loop(count, tuple(init), cond_region, build_region(avals, body), bound))


def emit_loop(parts: Loop) -> tuple[Value, ...]:
    """Emit a `loop` (or, when it has an adjoint, a `rev`) made of these parts."""
    count = () if parts.count is None else (parts.count,)
    regions = [] if parts.cond is None else [parts.cond]
    params: dict[str, Any] = {
        "counted": bool(count),
        "conditional": bool(regions),
        "bound": parts.bound,
    }
    if parts.adjoint is None:
        return emit(loop_p, *count, *parts.carries, regions=[*regions, parts.body], **params)
    operands = (*count, *parts.carries, *parts.seeds, *parts.accumulators)
    regions += [parts.body, parts.adjoint]
    return emit(rev_p, *operands, regions=regions, active=parts.active, **params)
