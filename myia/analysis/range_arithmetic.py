"""Ranges of 64-bit integers, whose bounds may grow with the iterations made, and their arithmetic.

What it computes. A range is [lo - down * T, hi + up * T], where T is the number of iterations that
all loops of the program have made so far. Results are computed without regard to overflow;
`is_exact` says whether there is none.

What it guarantees. The result of every integer of the operands' ranges is in the result's. No
program makes 2**52 iterations: at 16 of them in a nanosecond, more than a processor makes, they
take three days.

When it gives up. Of a product of two ranges that grow, and of quotients by what may not be
positive, little or nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from myia.ir.primitive import Primitive
from myia.primitives.pointwise import arithmetic, logic

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
MAX_ITERATIONS = 2**52


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from lo - down * T to hi + up * T; T: iterations made."""

    lo: int
    hi: int
    down: int = 0
    up: int = 0

    @property
    def least(self) -> int:
        return self.lo - self.down * MAX_ITERATIONS

    @property
    def greatest(self) -> int:
        return self.hi + self.up * MAX_ITERATIONS

    def contains(self, other: Range) -> bool:
        """Is the other one inside, whatever T is? Bounds are linear in T: both ends are enough."""
        above = other.hi <= self.hi and other.greatest <= self.greatest
        return above and other.lo >= self.lo and other.least >= self.least

    def is_exact(self) -> bool:
        """Is a result computed in this range without overflow?"""
        return self.least >= INT64_MIN and self.greatest <= INT64_MAX

    def after_iterations(self, n: int) -> Range:
        """The same range in terms of the iterations made after n more."""
        return replace(self, lo=self.lo + n * self.down, hi=self.hi - n * self.up)


UNKNOWN = Range(INT64_MIN, INT64_MAX)


def hull(x: Range, y: Range) -> Range:
    return Range(min(x.lo, y.lo), max(x.hi, y.hi), max(x.down, y.down), max(x.up, y.up))


# ----- Arithmetic, without regard to overflow


def _add(x: Range, y: Range) -> Range:
    return Range(x.lo + y.lo, x.hi + y.hi, x.down + y.down, x.up + y.up)


def _neg(x: Range) -> Range:
    return Range(-x.hi, -x.lo, x.up, x.down)


def _mul(x: Range, y: Range) -> Range:
    if x.lo == x.hi and not x.down and not x.up:
        x, y = y, x
    if y.lo == y.hi and not y.down and not y.up:
        n = abs(y.lo)
        x = Range(n * x.lo, n * x.hi, n * x.down, n * x.up)
        return x if y.lo >= 0 else _neg(x)
    products = [p * q for p in (x.least, x.greatest) for q in (y.least, y.greatest)]
    return Range(min(products), max(products))


def power(x: Range, n: int) -> Range:
    if not 0 <= n <= 64:
        return UNKNOWN
    ends = (x.least**n, x.greatest**n)
    return Range(min(0, *ends), max(0, *ends))


def _min(x: Range, y: Range) -> Range:
    least = min((x, y), key=lambda r: r.greatest)
    both = hull(x, y)
    return Range(both.lo, least.hi, both.down, least.up)


def _floordiv(x: Range, y: Range) -> Range:
    if y.least < 1:
        return UNKNOWN
    n = y.lo if y == Range(y.lo, y.lo) else 1
    quotient = Range(x.lo // n, x.hi // n, -(-x.down // n), -(-x.up // n))
    return quotient if n > 1 else hull(quotient, Range(0, 0))


def _mod(x: Range, y: Range) -> Range:
    return UNKNOWN if y.least < 1 else Range(0, y.hi - 1, 0, y.up)


def _abs(x: Range) -> Range:
    either = hull(x, _neg(x))
    return Range(0, either.hi, 0, either.up)


def range_of_dtype(dtype: np.dtype) -> Range:
    if dtype.kind == "b":
        return Range(0, 1)
    if dtype.kind in "iu" and dtype != np.uint64:
        return Range(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    return UNKNOWN


ARITHMETIC: Mapping[Primitive, Callable[..., Range]] = {
    arithmetic.add: _add,
    arithmetic.sub: lambda x, y: _add(x, _neg(y)),
    arithmetic.neg: _neg,
    arithmetic.mul: _mul,
    arithmetic.min: _min,
    arithmetic.max: lambda x, y: _neg(_min(_neg(x), _neg(y))),
    arithmetic.floordiv: _floordiv,
    arithmetic.mod: _mod,
    arithmetic.abs: _abs,
    logic.select: hull,
}


# ----- Comparisons


def comparison_result(comparison: Primitive, x: Range, y: Range) -> bool | None:
    """The result for all integers of two ranges; None: it may be either."""
    if COMPARISONS[comparison](x, y):
        return True
    return False if COMPARISONS[OPPOSITE[comparison]](x, y) else None


def _is_less(x: Range, y: Range) -> bool:
    return x.greatest < y.least


def _is_at_most(x: Range, y: Range) -> bool:
    return x.greatest <= y.least


COMPARISONS: Mapping[Primitive, Callable[[Range, Range], bool]] = {
    logic.lt: _is_less,
    logic.le: _is_at_most,
    logic.gt: lambda x, y: _is_less(y, x),
    logic.ge: lambda x, y: _is_at_most(y, x),
    logic.eq: lambda x, y: x.least == x.greatest == y.least == y.greatest,
    logic.ne: lambda x, y: _is_less(x, y) or _is_less(y, x),
}
OPPOSITE: Mapping[Primitive, Primitive] = {
    logic.lt: logic.ge,
    logic.le: logic.gt,
    logic.gt: logic.le,
    logic.ge: logic.lt,
    logic.eq: logic.ne,
    logic.ne: logic.eq,
}
SWAPPED: Mapping[Primitive, Primitive] = {
    logic.lt: logic.gt,
    logic.le: logic.ge,
    logic.gt: logic.lt,
    logic.ge: logic.le,
}


def narrowed(x: Range, comparison: Primitive, y: Range) -> Range:
    """The range of an integer of `x` that compares so with an integer of `y`."""
    if comparison is logic.ne:
        if y != Range(y.lo, y.lo):
            return x
        lo = x.lo + (not x.down and x.lo == y.lo)
        hi = x.hi - (not x.up and x.hi == y.lo)
        return replace(x, lo=lo, hi=hi)
    if comparison in (logic.lt, logic.le, logic.eq):
        hi = y.hi - (comparison is logic.lt)
        if hi + y.up * MAX_ITERATIONS < x.greatest:
            x = replace(x, hi=hi, up=y.up)
    if comparison in (logic.gt, logic.ge, logic.eq):
        lo = y.lo + (comparison is logic.gt)
        if lo - y.down * MAX_ITERATIONS > x.least:
            x = replace(x, lo=lo, down=y.down)
    return x
