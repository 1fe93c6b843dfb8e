"""Loop peeling: the first or last iteration is split off where a comparison differs there.

    %a = for %k < %n (%a = %a0) {           %a1 = for %k < 1 (%a = %a0) { ... 0 + %k ... }
      %p = gt %k, 0                         %a2 = for %k < %m (%a = %a1) {
      %l = sub %k, 1                          %i = add 1, %k
      %j = select %p, %l, 8             ->    %p = gt %i, 0
      ...                                     ...
      yield %b                                yield %b
    }                                       }

Here %n and %m = %n - 1 are constants. In the remaining loop the comparison has the same result in
all iterations, and `range_comparisons.py` replaces it by a constant: `x[i - 1] if i > 0 else 0.0`
becomes a plain load, and the loop can be vectorized (`inner_loop.py`).

A loop that can be vectorized as it is stays whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from myia.analysis.linear_indices import ONE, IndexRanges, constant_form, minus
from myia.analysis.loop_summary import is_scalar_op, summary_if_independent
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import inline
from myia.passes.canonicalize.range_comparisons import COMPARISONS, comparison_result
from myia.passes.vectorize.inner_loop import MIN_TRIP_COUNT, VECTOR_WIDTH
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.walk import rewrite_loops


def peeling(function: Function) -> Function:
    """`function` with loops over scalars split so that comparisons are constant in each part."""
    ranges = IndexRanges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    parts = _parts(loop, ranges)
    carries = loop.carries
    for i, (start, count) in enumerate(parts):
        last = i == len(parts) - 1
        results = op.results if last else tuple(Value(x.aval, x.name) for x in op.results)
        with at(op.span):
            body, trip_count = _shifted(loop.body, start), constant(count, I64.dtype)
        params = {**op.params, "bound": count}
        append(Op(op.primitive, (trip_count, *carries), params, (body,), results, op.span))
        carries = results
    if not parts:
        append(op)


def _parts(loop: Loop, ranges: IndexRanges) -> list[tuple[int, int]]:
    """The first iteration and the trip count of each part; none if the loop stays whole."""
    if loop.count is None or loop.cond is not None:
        return []
    count = ranges.linear_form(loop.count)
    n = count[ONE]
    if set(count) - {ONE} or n < MIN_TRIP_COUNT or not all(map(is_scalar_op, loop.body.ops)):
        return []
    starts = sorted({0, n, *_peeled_ends(loop.body, n, ranges)})  # and where the last part ends
    if len(starts) == 2 or summary_if_independent(loop, ranges, VECTOR_WIDTH) is not None:
        return []
    return [(start, end - start) for start, end in pairwise(starts)]


def _peeled_ends(body: Region, n: int, ranges: IndexRanges) -> Iterator[int]:
    """Where to split: at 1 if the result of some comparison differs between iterations 0 and 1, at
    n - 1 if it differs between iterations n - 2 and n - 1.
    """
    k = body.args[0]
    for op in body.ops:
        if op.primitive not in COMPARISONS or op.operands[0].aval != I64:
            continue
        distance = minus(*(ranges.linear_form(x) for x in op.operands[::-1]))
        if not distance[k] or set(distance) - {k, ONE}:
            continue
        for split in (1, n - 1):
            results = [
                comparison_result(
                    op.primitive, constant_form(distance[ONE] + distance[k] * iteration), ranges
                )
                for iteration in (split - 1, split)
            ]
            if results[0] != results[1]:
                yield split


def _shifted(body: Region, start: int) -> Region:
    """`body` of a loop whose iteration 0 is iteration `start` of the original."""
    k, *args = [Value(x.aval, x.name) for x in body.args]
    with Builder() as b:
        yields = inline(body, (add(constant(start, I64.dtype), k), *args))
    return Region((k, *args), tuple(b.ops), yields)
