"""Comparisons of integers that their ranges decide.

    for %k < %n bound 9 {                for %k < %n bound 9 {
      %i = add %k, 1                       %i = add %k, 1
      %p = gt %i, 0                 ->     %p = True
      %q = lt %i, %k                       %q = False
    }                                    }

Such are tests for negative indices and for the ends of an axis, in loops that stay within them.
Integers of NumPy's of which nothing is known wrap: of `x < x + 1` nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value
from myia.ir.primitive import Primitive
from myia.passes.analysis.linear_indices import IndexRanges, LinearForm, constant_form, minus, times
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.rewriting.walk import Walk, rewrite

Test = Callable[[IndexRanges, LinearForm], bool]


def fold_range_comparisons(function: Function) -> Function:
    """`function` with comparisons of integers of which the result is known as that result."""
    ranges = IndexRanges(function.region)

    def rule(op: Op, _: Walk) -> Sequence[Value] | None:
        if op.primitive not in COMPARISONS or op.operands[0].aval != I64:
            return None
        x, y = map(ranges.linear_form, op.operands)
        exact = ranges.cannot_overflow(x) and ranges.cannot_overflow(y)
        known = comparison_result(op.primitive, minus(y, x), ranges) if exact else None
        return None if known is None else [constant(known, bool)]

    return rewrite(function, rule)


def comparison_result(
    comparison: Primitive, distance: LinearForm, ranges: IndexRanges
) -> bool | None:
    """Whether x and y compare so, given y - x; None if that is not known."""
    if any(test(ranges, distance) for test in COMPARISONS[comparison]):
        return True
    if any(test(ranges, distance) for test in COMPARISONS[_OPPOSITE[comparison]]):
        return False
    return None


def _ahead(ranges: IndexRanges, distance: LinearForm) -> bool:
    return ranges.is_nonnegative(minus(distance, constant_form(1)))


def _not_behind(ranges: IndexRanges, distance: LinearForm) -> bool:
    return ranges.is_nonnegative(distance)


def _behind(ranges: IndexRanges, distance: LinearForm) -> bool:
    return _ahead(ranges, times(distance, -1))


def _not_ahead(ranges: IndexRanges, distance: LinearForm) -> bool:
    return _not_behind(ranges, times(distance, -1))


def _together(ranges: IndexRanges, distance: LinearForm) -> bool:
    return not distance


# What shows that x and y compare so: one of these tests of y - x.
COMPARISONS: Mapping[Primitive, tuple[Test, ...]] = {
    logic.lt: (_ahead,),
    logic.le: (_not_behind,),
    logic.gt: (_behind,),
    logic.ge: (_not_ahead,),
    logic.eq: (_together,),
    logic.ne: (_ahead, _behind),
}
_OPPOSITE = {
    logic.lt: logic.ge,
    logic.le: logic.gt,
    logic.gt: logic.le,
    logic.ge: logic.lt,
    logic.eq: logic.ne,
    logic.ne: logic.eq,
}
