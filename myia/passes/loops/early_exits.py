"""Early exits: a counted loop with a condition tests it once in eight iterations, after the first.

    for %k < 200 (%x = %x0) {                  %x1 = for %k < 8 (%x = %x0) { as before }
      cond { yield %p(%x) }                    for %j < 24 (%x = %x1) {
      body { yield %f(%k, %x) }                  cond { yield %p(%x) }
    }                                            body {
                                        ->         %1 = %f(8 + 8 * %j, %x)
                                                   %on = %p(%1)
                                                   %2 = %f(8 + 8 * %j + 1, %1)
                                                   %y = select %on, %2, %1
                                                   ...
                                                   yield %y
                                                 }
                                               }

XLA keeps what a loop carries in memory. A search or a random walk that stops early does little
else in an iteration than store numbers and load them again, to test whether it goes on. Now it
computes up to seven iterations after its exit, and selects none of them. So the pass takes loops
of cheap ops on scalars only, and leaves the first iterations alone, which may be all that run. A
condition on the index is left alone, too: it could hold again after the exit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from myia.analysis.cost_model import region_cost
from myia.analysis.loop_summary import is_scalar_op
from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Function, Op, Region, Value, Values
from myia.ir.rewrite import inline
from myia.primitives.arrays.dynamic_slices import STORES
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import and_, select
from myia.rewriting.walk import Walk, rewrite

ITERATIONS = 8  # between two tests
MIN_TRIP_COUNT = 4 * ITERATIONS
MAX_NS = 3.0  # of an iteration, by the cost model


def early_exits(function: Function) -> Function:
    """`function` with cheap scalar loops that may stop early unrolled, and tested less often."""
    return rewrite(function, _unrolled)


def _unrolled(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not loop_p:
        return None
    loop = Loop.of(op)
    trip_count = walk.constant_value(loop.count)
    cond = loop.cond
    if cond is None or trip_count is None or trip_count < MIN_TRIP_COUNT:
        return None
    if not _is_cheap(loop, cond) or any(cond.args[0] in op.operands for op in cond.ops):
        return None
    times = trip_count // ITERATIONS - 1
    start = trip_count - times * ITERATIONS
    carries = emit_loop(replace(loop, count=_i64(start), bound=start))
    return emit_loop(_eight_at_a_time(replace(loop, carries=carries), cond, start, times))


def _eight_at_a_time(loop: Loop, cond: Region, start: int, times: int) -> Loop:
    def index(k: Value) -> Value:
        return add(_i64(start), mul(_i64(ITERATIONS), k))

    def goes_on(k: Value, *carries: Value) -> Values:
        return inline(cond, (index(k), *carries))

    def iterations(k: Value, *carries: Value) -> Values:
        return _iterations(cond, loop.body, index(k), carries)

    avals = [x.aval for x in loop.body.args]
    regions = build_region(avals, goes_on), build_region(avals, iterations)
    return Loop(_i64(times), loop.carries, *regions, bound=times)


def _is_cheap(loop: Loop, cond: Region) -> bool:
    ops = (*cond.ops, *loop.body.ops)
    if not all(is_scalar_op(op) and op.primitive not in STORES for op in ops):
        return False
    scalars = all(x.aval.ndim == 0 for x in loop.carries)
    return scalars and region_cost(cond) + region_cost(loop.body) <= MAX_NS


def _iterations(cond: Region, body: Region, k: Value, carries: Values) -> Values:
    """Iterations `k` to `k + 7`; none of those after the exit is selected."""
    results = values = inline(body, (k, *carries))
    runs: list[Value] = []
    for i in range(1, ITERATIONS):
        index = add(k, _i64(i))
        runs = [reduce(and_, (*runs, *inline(cond, (index, *values))))]
        values = inline(body, (index, *values))
        results = tuple(select(*runs, x, y) for x, y in zip(values, results, strict=True))
    return results


def _i64(number: int) -> Value:
    return constant(number, I64.dtype)
