"""Vectorization of innermost loops over elements, strip-mined by the vector width 8.

    %a, %s = for %k < %n (...) bound 90 {               %m = truncdiv %n, 8
      %1 = dynamic_slice %b, %k {sizes=(1,)}            %a, %s = for %q < %m (...) bound 11 {
      %2 = dynamic_slice %a, %k {sizes=(1,)}              %k = mul %q, 8
      %3 = mul %1, %2                                     %1 = dynamic_slice %b, %k {sizes=(8,)}
      %4 = dynamic_update_slice %a, %3, %k                %2 = dynamic_slice %a, %k {sizes=(8,)}
      %5 = add %s, %3                             ->      %3 = mul %1, %2
      yield %4, %5                                        %4 = dynamic_update_slice %a, %3, %k
    }                                                     %5 = slice %3 {start=(0,), limit=(1,)}
                                                          %6 = add %s, %5      and so on, in the
                                                          yield %4, %20        order of the loop
                                                        }
                                                        then a remainder loop, one by one

Eight independent iterations become one on vectors. An iteration on one element mostly pays for
other things than arithmetic: it keeps carries in memory, compares indices with the bounds of axes,
and is stalled by loads from an array that it stores into. A processor computes eight elements in
one or two instructions.

Each element is computed from the same numbers as before, and sums are made in the same order. The
exceptions are disjunctions and sums of cotangents, which have no order that a user wrote
(`reassoc`): eight contributions are summed first, and that does not depend on earlier iterations.

Runs after derivatives. `loop_summary.py` says which loops qualify.
"""

from __future__ import annotations

from myia.analysis.linear_indices import ONE, IndexRanges
from myia.analysis.loop_summary import summary_if_independent
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, Values
from myia.ir.rewrite import inline
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul, sub, truncdiv
from myia.rewriting.walk import rewrite_loops
from myia.widening.summary import LoopSummary
from myia.widening.widener import widen_iterations

VECTOR_WIDTH = 8  # of float64: one AVX-512 register, or two of AVX2
MIN_TRIP_COUNT = 2 * VECTOR_WIDTH  # compared with the bound, as trip counts may be dynamic


def inner_loop(function: Function) -> Function:
    """`function` with innermost loops over elements strip-mined by `VECTOR_WIDTH` and widened."""
    ranges = IndexRanges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    bound, summary = loop.bound or 0, None
    if bound >= MIN_TRIP_COUNT:
        summary = summary_if_independent(loop, ranges, VECTOR_WIDTH, gathers=True)
    if summary is None:
        append(op)
        return
    with at(op.span):
        width = _i64(VECTOR_WIDTH)
        strips = truncdiv(loop.trip_count, width)
        results = op.results if _has_no_remainder(loop, ranges) else _fresh(op.results)
        vector_body = _vector_body(loop, summary)
        append(_loop_like(op, strips, loop.carries, bound // VECTOR_WIDTH, vector_body, results))
        if results is not op.results:
            done = mul(strips, width)
            remainder_body = _remainder_body(loop, done)
            remaining = sub(loop.trip_count, done)
            most = VECTOR_WIDTH - 1
            append(_loop_like(op, remaining, results, most, remainder_body, op.results))


def _has_no_remainder(loop: Loop, ranges: IndexRanges) -> bool:
    count = ranges.linear_form(loop.trip_count)
    return set(count) <= {ONE} and count[ONE] % VECTOR_WIDTH == 0


def _loop_like(
    op: Op, count: Value, carries: Values, bound: int, body: Region, results: Values
) -> Op:
    """A loop with the parameters and the span of `op`, but other iterations."""
    params = {**op.params, "bound": bound}
    return Op(loop_p, (count, *carries), params, (body,), tuple(results), op.span)


def _fresh(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(Value(x.aval, x.name) for x in values)


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)


# ----- The bodies


def _remainder_body(loop: Loop, done: Value) -> Region:
    """One iteration, where the index starts after the first `done`."""
    k, args = Value(I64), _fresh(loop.body.args[1:])
    with Builder() as b:
        yields = inline(loop.body, (add(done, k), *args))
    return Region((k, *args), tuple(b.ops), yields)


def _vector_body(loop: Loop, summary: LoopSummary) -> Region:
    """`VECTOR_WIDTH` iterations."""
    strip, args = Value(I64), _fresh(loop.body.args[1:])
    with Builder() as b:
        base = mul(strip, _i64(VECTOR_WIDTH))
        yields = widen_iterations(loop, summary, base, args, VECTOR_WIDTH, "vector")
    return Region((strip, *args), tuple(b.ops), yields)
