"""Counts of elements known at run time: their ranges, and which of them are surely equal.

A count carries its *form*, (base, scale, offset): two counts of one form are equal. Where a range
proves that a slice's end lies inside the axis, the form is that of the index itself, so that
`x[:i]` and `y[:i]` are seen to be of one length.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.dtypes import bounds, number_value
from myia.infer.domain.values import Abstract, Scalar, Static, static_int
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

I64 = np.dtype(np.int64)
Form = tuple[Hashable, int, int]


@dataclass(frozen=True, eq=False)
class Count:
    """An integer: `at` is its value, `lo <= at <= hi` where a bound is known.

    `nominal`: the number of elements of `x[i : i + nominal]`, unless the slice leaves its axis.
    """

    at: int | Value
    lo: int | None
    hi: int | None
    form: Form
    nominal: int | None = None

    @property
    def static(self) -> bool:
        return isinstance(self.at, int)

    @property
    def value(self) -> Value:
        return constant(self.at, I64) if isinstance(self.at, int) else self.at

    def abstract(self) -> Abstract:
        """What Python sees: an int."""
        if isinstance(self.at, int):
            return Static(self.at)
        base, scale, offset = self.form
        linear = (base, scale, offset) if isinstance(base, Value) else None
        return Scalar(self.at, True, self.lo, self.hi, linear)

    def equals(self, other: Count) -> bool:
        """Surely the same number."""
        return self.form == other.form


def known(n: int) -> Count:
    return Count(n, n, n, (None, 0, n))


def unknown(value: Value, hi: int) -> Count:
    """A count between 0 and `hi` of which nothing else is known."""
    return Count(value, 0, hi, (value, 1, 0))


def count_of(x: Abstract) -> Count:
    """An integer of the program."""
    if static_int(x):
        return known(int(x.value))
    lo, hi = bounds(x)
    if lo is not None and lo == hi:
        return known(lo)
    return Count(number_value(x, I64), lo, hi, x.place if x.dtype == I64 else (x.value, 1, 0))


def shifted(a: Count, by: int) -> Count:
    """a + by"""
    if a.static:
        return known(a.at + by)
    if by == 0:
        return a
    base, scale, offset = a.form
    value = arithmetic.add(a.value, by)
    return Count(value, _plus(a.lo, by), _plus(a.hi, by), (base, scale, offset + by))


def difference(a: Count, b: Count) -> Count:
    """a - b"""
    if b.static:
        return shifted(a, -b.at)
    form = _linear(a.form, b.form, -1)
    if form[:2] == (None, 0):
        return known(form[2])
    lo = None if a.lo is None or b.hi is None else a.lo - b.hi
    hi = None if a.hi is None or b.lo is None else a.hi - b.lo
    return Count(arithmetic.sub(a.value, b.value), lo, hi, form)


def total(a: Count, b: Count) -> Count:
    """a + b, counts that are not negative"""
    form = _linear(a.form, b.form, 1)
    if form[:2] == (None, 0):
        return known(form[2])
    hi = None if a.hi is None or b.hi is None else a.hi + b.hi
    return Count(arithmetic.add(a.value, b.value), (a.lo or 0) + (b.lo or 0), hi, form)


def _linear(a: Form, b: Form, sign: int) -> Form:
    """a ± b; (None, 0, n) where it is known."""
    (base, scale, offset), (other, scale_too, offset_too) = a, b
    offset += sign * offset_too
    if base is None or base == other:
        scale += sign * scale_too
        return (None if scale == 0 else other), scale, offset
    if other is None:
        return base, scale, offset
    return ("+" if sign > 0 else "-", a, b), 1, 0


def at_least(a: Count, low: int) -> Count:
    """max(a, low)"""
    if a.static:
        return known(max(a.at, low))
    if a.lo is not None and a.lo >= low:
        return a
    if a.hi is not None and a.hi <= low:
        return known(low)
    hi = None if a.hi is None else max(a.hi, low)
    return Count(arithmetic.max(a.value, low), low, hi, (("max", a.form, low), 1, 0))


def at_most(a: Count, b: Count) -> Count:
    """min(a, b)"""
    if a.static and b.static:
        return known(min(a.at, b.at))
    if a.hi is not None and b.lo is not None and a.hi <= b.lo:
        return a
    if a.lo is not None and b.hi is not None and a.lo >= b.hi:
        return b
    low = [n for n in (a.lo, b.lo) if n is not None]
    high = [n for n in (a.hi, b.hi) if n is not None]
    lo = min(low) if len(low) == 2 else None
    value = arithmetic.min(a.value, b.value)
    return Count(value, lo, min(high, default=None), (("min", a.form, b.form), 1, 0))


def divided(a: Count, by: int) -> Count:
    """ceil(a / by) of a count that is not negative"""
    if a.static:
        return known(-(-a.at // by))
    value = arithmetic.floordiv(arithmetic.add(a.value, by - 1), constant(by, I64))
    hi = None if a.hi is None else -(-a.hi // by)
    return Count(value, -(-(a.lo or 0) // by), hi, (("/", a.form, by), 1, 0))


def wrapped(a: Count, n: Count) -> Count:
    """`a` counted from the end where it is negative: a + n."""
    if a.lo is not None and a.lo >= 0:
        return a
    if a.static and n.static:
        return known(a.at + n.at)
    if a.static:
        return shifted(n, a.at)
    moved = arithmetic.add(a.value, n.value)
    form: Form = (("wrap", a.form, n.form), 1, 0)
    if a.hi is not None and a.hi < 0:
        lo = None if a.lo is None or n.lo is None else a.lo + n.lo
        hi = None if n.hi is None else a.hi + n.hi
        return Count(moved, lo, hi, form)
    value = logic.select(logic.lt(a.value, constant(0, I64)), moved, a.value)
    lo = None if a.lo is None or n.lo is None else min(0, a.lo + n.lo)
    hi = None if a.hi is None or n.hi is None else max(a.hi, n.hi - 1)
    return Count(value, lo, hi, form)


def end(a: Abstract, n: Count, low: int = 0) -> Count:
    """An end of a slice of `n` elements as NumPy takes it: wrapped, within [low, n + low]."""
    return at_most(at_least(wrapped(count_of(a), n), low), shifted(n, low))


def _plus(x: int | None, by: int) -> int | None:
    return None if x is None else x + by
