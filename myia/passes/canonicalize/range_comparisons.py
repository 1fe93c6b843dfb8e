"""Range analysis of integer comparisons: those that the ranges of their operands decide are folded.

    for %k < %n bound 9 {                for %k < %n bound 9 {
      %i = add %k, 1                       %i = add %k, 1
      %p = gt %i, 0                 ->     %p = True
      %q = lt %i, %k                       %q = False
    }                                    }

Examples are tests for negative indices and for the ends of an axis, in loops that stay within them.
The difference of the operands is taken as a linear form in loop indices and other symbols; its sign
decides the comparison. It gives up where an operand might overflow: NumPy's integers wrap around,
so that `x < x + 1` is not always true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from myia.analysis.linear_indices import IndexRanges, LinearForm, constant_form, minus, times
from myia.analysis.range_arithmetic import OPPOSITE
from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value
from myia.ir.primitive import Primitive
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.rewriting.walk import Walk, rewrite

Test = Callable[[IndexRanges, LinearForm], bool]


def range_comparisons(function: Function) -> Function:
    """`function` with comparisons of integers replaced by constants where ranges decide them."""
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
    """The result of `comparison` of x and y, given y - x; None: it may be either."""
    if any(test(ranges, distance) for test in COMPARISONS[comparison]):
        return True
    if any(test(ranges, distance) for test in COMPARISONS[OPPOSITE[comparison]]):
        return False
    return None


def _is_positive(ranges: IndexRanges, distance: LinearForm) -> bool:
    return ranges.is_nonnegative(minus(distance, constant_form(1)))


def _is_not_negative(ranges: IndexRanges, distance: LinearForm) -> bool:
    return ranges.is_nonnegative(distance)


def _is_negative(ranges: IndexRanges, distance: LinearForm) -> bool:
    return _is_positive(ranges, times(distance, -1))


def _is_not_positive(ranges: IndexRanges, distance: LinearForm) -> bool:
    return _is_not_negative(ranges, times(distance, -1))


def _is_zero(ranges: IndexRanges, distance: LinearForm) -> bool:
    return not distance


# A comparison of x and y is true if one of these tests of y - x succeeds.
COMPARISONS: Mapping[Primitive, tuple[Test, ...]] = {
    logic.lt: (_is_positive,),
    logic.le: (_is_not_negative,),
    logic.gt: (_is_negative,),
    logic.ge: (_is_not_positive,),
    logic.eq: (_is_zero,),
    logic.ne: (_is_positive, _is_negative),
}
