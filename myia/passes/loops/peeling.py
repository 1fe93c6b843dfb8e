"""Trips at the ends of a loop that go another way than the rest are made apart.

    %a = for %k < %n (%a = %a0) {           %a1 = for %k < 1 (%a = %a0) { ... 0 + %k ... }
      %p = gt %k, 0                         %a2 = for %k < %m (%a = %a1) {
      %l = sub %k, 1                          %i = add 1, %k
      %j = select %p, %l, 8             ->    %p = gt %i, 0
      ...                                     ...
      yield %b                                yield %b
    }                                       }

where %n and %m = %n - 1 are known numbers. In what is left the comparison is decided
(`range_comparisons.py`): `x[i - 1] if i > 0 else 0.0` is a plain read there, and many trips can be
made at once (`lanes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import inline
from myia.passes.analysis.linear_indices import ONE, Ranges, minus, number
from myia.passes.analysis.loop_dependence import independent, on_elements
from myia.passes.canonicalize.range_comparisons import COMPARISONS, comparison_result
from myia.passes.vectorize.inner_loop import MIN_TRIPS, WIDTH
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.walk import rewrite_loops


def peel_loops(function: Function) -> Function:
    """`function` with loops over elements made in parts, within which they go the same way."""
    ranges = Ranges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: Ranges) -> None:
    loop = Loop.of(op)
    parts = _parts(loop, ranges)
    carries = loop.carries
    for i, (start, count) in enumerate(parts):
        last = i == len(parts) - 1
        results = op.results if last else tuple(Value(x.aval, x.name) for x in op.results)
        with at(op.span):
            body, trips = _from(loop.body, start), constant(count, I64.dtype)
        params = {**op.params, "bound": count}
        append(Op(op.primitive, (trips, *carries), params, (body,), results, op.span))
        carries = results
    if not parts:
        append(op)


def _parts(loop: Loop, ranges: Ranges) -> list[tuple[int, int]]:
    """The first trip and the number of trips of each part; none if the loop stays whole."""
    if loop.count is None or loop.cond is not None:
        return []
    count = ranges.of(loop.count)
    n = count[ONE]
    if set(count) - {ONE} or n < MIN_TRIPS or not all(map(on_elements, loop.body.ops)):
        return []
    ends = sorted({0, n, *_turns(loop.body, n, ranges)})
    if len(ends) == 2 or independent(loop, ranges, WIDTH) is not None:
        return []
    return [(start, end - start) for start, end in pairwise(ends)]


def _turns(body: Region, n: int, ranges: Ranges) -> Iterator[int]:
    """After the first trip, before the last: where a comparison turns out otherwise there."""
    k = body.args[0]
    for op in body.ops:
        if op.primitive not in COMPARISONS or op.operands[0].aval != I64:
            continue
        distance = minus(*(ranges.of(x) for x in op.operands[::-1]))
        if not distance[k] or set(distance) - {k, ONE}:
            continue
        for turn in (1, n - 1):
            results = [
                comparison_result(op.primitive, number(distance[ONE] + distance[k] * trip), ranges)
                for trip in (turn - 1, turn)
            ]
            if results[0] != results[1]:
                yield turn


def _from(body: Region, start: int) -> Region:
    """`body`, of trips that are counted from `start`."""
    k, *args = [Value(x.aval, x.name) for x in body.args]
    with Builder() as b:
        yields = inline(body, (add(constant(start, I64.dtype), k), *args))
    return Region((k, *args), tuple(b.ops), yields)
