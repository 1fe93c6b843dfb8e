"""Emission of structured ops from Python functions that build their regions.

if_(pred, lambda: [x], lambda: [y])
loop(init, lambda k, x: [mul(x, x)], count=n)
loop(init, body, cond=lambda k, x: less(x, limit))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.avals import I64
from myia.ir.builder import build_region, emit
from myia.ir.core import Region, Value
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p


def if_(pred: Value, then: Callable, other: Callable) -> tuple[Value, ...]:
    """`then()` and `other()` emit a branch each and return its yields."""
    return emit(if_p, pred, regions=(build_region([], then), build_region([], other)))


def loop(
    init: Sequence[Value],
    body: Callable,
    *,
    count: Value | None = None,
    cond: Callable | None = None,
    bound: int | None = None,
) -> tuple[Value, ...]:
    """`body(k, *carries)` returns the next carries; `cond(k, *carries)` a `bool[]` value."""
    avals = [I64, *(x.aval for x in init)]
    cond_region = None if cond is None else build_region(avals, lambda *xs: [cond(*xs)])
    return emit_loop(Loop(count, tuple(init), cond_region, build_region(avals, body), bound))


def emit_loop(parts: Loop) -> tuple[Value, ...]:
    """Emit a `loop` (or, when it has an adjoint, a `rev`) made of these parts."""
    counted, conditional = parts.count is not None, parts.cond is not None
    count: tuple[Value, ...] = (parts.count,) if counted else ()
    regions: list[Region] = [parts.cond] if conditional else []
    params = {"counted": counted, "conditional": conditional, "bound": parts.bound}
    if parts.adjoint is None:
        return emit(loop_p, *count, *parts.carries, regions=[*regions, parts.body], **params)
    operands = (*count, *parts.carries, *parts.seeds, *parts.accumulators)
    regions += [parts.body, parts.adjoint]
    return emit(rev_p, *operands, regions=regions, active=parts.active, **params)
