"""Ranges whose numbers are known at run time: how many items, and the item at an index.

range(i * i, n, i)    ->    length  max(0, (n - i*i - 1) // i + 1),    item k  i*i + k*i
"""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import INT64_MAX, bounds, number_value
from myia.infer.domain.values import Abstract, Number, Range, Scalar, Static, is_static_int
from myia.infer.operators import operators
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.pointwise import arithmetic, logic


def known_range(x: Range) -> range | None:
    """The range, if its numbers are known at compile time."""
    parts = [part.value for part in (x.start, x.stop, x.step) if isinstance(part, Static)]
    return range(*map(int, parts)) if len(parts) == 3 else None


def direction(step: Number) -> int:
    """1 or -1: do the items rise or fall? 0: that is known at run time."""
    lo, hi = bounds(step)
    return int(lo is not None and lo > 0) - int(hi is not None and hi < 0)


def length(ctx: Context, start: Number, stop: Number, step: Number) -> Number:
    """max(0, ceil((stop - start) / step))"""
    if not is_static_int(step):
        if not ctx.takes_any_step:  # code in which it is known has fewer checks
            ctx.met_any_step = True
            ctx.needs_static("the step of a range")
        span = operators.binary(ctx, "-", stop, start)
        return _length_of_run_time_step(span, start, stop, step)
    span = (
        operators.binary(ctx, "-", stop, start)
        if step.value > 0
        else operators.binary(ctx, "-", start, stop)
    )
    size = abs(step.value)
    if size != 1:
        rounded = operators.binary(ctx, "+", span, Static(size - 1))
        span = operators.binary(ctx, "//", rounded, Static(size))
    if is_static_int(span):
        return Static(max(0, span.value))
    assert isinstance(span, Scalar)
    return _not_negative(span.value, *bounds(span))


def _length_of_run_time_step(
    distance: Abstract, start: Number, stop: Number, step: Number
) -> Number:
    """There are at most as many items as there are integers between the ends."""
    span, by = number_value(distance, I64.dtype), number_value(step, I64.dtype)
    if (known := direction(step)) < 0:
        span = arithmetic.neg(span)
    elif not known:
        span = logic.select(logic.lt(by, 0), arithmetic.neg(span), span)
    down = arithmetic.max(by, 1 - INT64_MAX)  # `-by` has 64 bits
    size = by if known > 0 else arithmetic.abs(down)
    steps = arithmetic.truncdiv(arithmetic.sub(span, 1), arithmetic.max(size, 1))
    found = logic.select(logic.gt(span, 0), arithmetic.add(steps, 1), 0)
    (a, b), (c, d) = bounds(start), bounds(stop)
    rising = None if a is None or d is None else d - a
    falling = None if b is None or c is None else b - c
    spans = [rising] * (known >= 0) + [falling] * (known <= 0)
    most = None if None in spans else max(0, *(x for x in spans if x is not None))
    return Scalar(found, True, 0, most)


def _not_negative(x: Value, lo: int | None, hi: int | None) -> Scalar:
    found = x if lo is not None and lo >= 0 else arithmetic.max(x, 0)
    return Scalar(found, True, max(0, lo or 0), None if hi is None else max(0, hi))


def item(x: Range, i: Abstract) -> Abstract:
    """start + i*step, which cannot overflow: it lies in the range."""
    known = known_range(x)
    if known is not None and is_static_int(i):
        return Static(known[i.value])
    value, by = number_value(i, I64.dtype), x.step
    if not is_static_int(by):
        value = arithmetic.mul(value, number_value(by, I64.dtype))
    elif by.value != 1:
        value = arithmetic.mul(value, by.value)
    if not (is_static_int(x.start) and x.start.value == 0):
        value = arithmetic.add(value, number_value(x.start, I64.dtype))
    lo, hi = _bounds_of_items(x) if known is None else _bounds_of_known(known, i)
    linear = None
    if is_static_int(x.start) and is_static_int(by) and isinstance(i, Scalar):
        base, scale, offset = i.linear_form
        linear = base, scale * by.value, offset * by.value + int(x.start.value)
    return Scalar(value, True, lo, hi, linear)


def _bounds_of_items(x: Range) -> tuple[int | None, int | None]:
    """The stop itself is never an item."""
    (a, b), (c, d), rises = bounds(x.start), bounds(x.stop), direction(x.step)
    if rises > 0:
        return a, INT64_MAX - 1 if d is None else d - 1
    if rises < 0:
        return None if c is None else c + 1, b
    lo = None if a is None or c is None else min(a, c + 1)
    return lo, None if b is None or d is None else max(b, d - 1)


def _bounds_of_known(items: range, i: Abstract) -> tuple[int, int]:
    first, last = bounds(i)
    reached = items[first : None if last is None else last + 1]
    lo, hi = sorted((reached[0], reached[-1])) if len(reached) else (0, 0)
    return lo, hi
