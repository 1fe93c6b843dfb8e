"""Lengths known at run time: a range, and a linear form that proves two lengths equal.

*What it computes*: for an integer of the program its value, bounds, and the *linear form* (base,
scale, offset): value = base * scale + offset. The base is a value, or a key that names an operation
on other forms (`("min", a, b)`).

*What it guarantees*: lengths with equal forms are equal. Where a range proves that the bound of a
slice lies inside the axis, the form is that of the index itself: `x[:i]` and `y[:i]` have one
length. Forms that differ prove nothing: then a run-time check compares the lengths.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.dtypes import bounds, number_value
from myia.infer.domain.values import Abstract, Number, Scalar, Static
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

I64 = np.dtype(np.int64)
LinearForm = tuple[Hashable, int, int]


@dataclass(frozen=True, eq=False)
class Length:
    """An integer: `number` is its value, `lo <= number <= hi` where a bound is known.

    `nominal`: the length of `x[i : i + nominal]`, if the slice is not clipped by its axis.
    """

    number: int | Value
    lo: int | None
    hi: int | None
    linear_form: LinearForm
    nominal: int | None = None

    @property
    def is_static(self) -> bool:
        return isinstance(self.number, int)

    @property
    def value(self) -> Value:
        return constant(self.number, I64) if isinstance(self.number, int) else self.number

    def abstract(self) -> Number:
        """What Python sees: an int."""
        if isinstance(self.number, int):
            return Static(self.number)
        base, scale, offset = self.linear_form
        linear = (base, scale, offset) if isinstance(base, Value) else None
        return Scalar(self.number, True, self.lo, self.hi, linear)

    def equals(self, other: Length) -> bool:
        """Surely the same number."""
        return self.linear_form == other.linear_form


def static_length(n: int) -> Length:
    return Length(n, n, n, (None, 0, n))


def dynamic_length(value: Value, hi: int) -> Length:
    """A length between 0 and `hi`, with a linear form of its own."""
    return Length(value, 0, hi, (value, 1, 0))


def length_of(x: Abstract) -> Length:
    """An integer of the program as a `Length`."""
    if isinstance(x, Static):
        return static_length(int(x.value))
    lo, hi = bounds(x)
    if lo is not None and lo == hi:
        return static_length(lo)
    assert isinstance(x, Scalar)
    return Length(
        number_value(x, I64), lo, hi, x.linear_form if x.dtype == I64 else (x.value, 1, 0)
    )


def plus(a: Length, by: int) -> Length:
    """a + by"""
    if isinstance(a.number, int):
        return static_length(a.number + by)
    if by == 0:
        return a
    base, scale, offset = a.linear_form
    value = arithmetic.add(a.value, by)
    return Length(value, _add(a.lo, by), _add(a.hi, by), (base, scale, offset + by))


def difference(a: Length, b: Length) -> Length:
    """a - b"""
    if isinstance(b.number, int):
        return plus(a, -b.number)
    form = _combined(a.linear_form, b.linear_form, -1)
    if form[:2] == (None, 0):
        return static_length(form[2])
    lo = None if a.lo is None or b.hi is None else a.lo - b.hi
    hi = None if a.hi is None or b.lo is None else a.hi - b.lo
    return Length(arithmetic.sub(a.value, b.value), lo, hi, form)


def total(a: Length, b: Length) -> Length:
    """a + b, neither of them negative"""
    form = _combined(a.linear_form, b.linear_form, 1)
    if form[:2] == (None, 0):
        return static_length(form[2])
    hi = None if a.hi is None or b.hi is None else a.hi + b.hi
    return Length(arithmetic.add(a.value, b.value), (a.lo or 0) + (b.lo or 0), hi, form)


def _combined(a: LinearForm, b: LinearForm, sign: int) -> LinearForm:
    """The form of a ± b; (None, 0, n) where it is the constant n."""
    (base, scale, offset), (other, scale_too, offset_too) = a, b
    offset += sign * offset_too
    if base is None or base == other:
        scale += sign * scale_too
        return (None if scale == 0 else other), scale, offset
    if other is None:
        return base, scale, offset
    return ("+" if sign > 0 else "-", a, b), 1, 0


def at_least(a: Length, low: int) -> Length:
    """max(a, low)"""
    if isinstance(a.number, int):
        return static_length(max(a.number, low))
    if a.lo is not None and a.lo >= low:
        return a
    if a.hi is not None and a.hi <= low:
        return static_length(low)
    hi = None if a.hi is None else max(a.hi, low)
    return Length(arithmetic.max(a.value, low), low, hi, (("max", a.linear_form, low), 1, 0))


def at_most(a: Length, b: Length) -> Length:
    """min(a, b)"""
    if isinstance(a.number, int) and isinstance(b.number, int):
        return static_length(min(a.number, b.number))
    if a.hi is not None and b.lo is not None and a.hi <= b.lo:
        return a
    if a.lo is not None and b.hi is not None and a.lo >= b.hi:
        return b
    base, scale, offset = _combined(a.linear_form, b.linear_form, -1)
    if (base, scale) == (None, 0):
        return a if offset <= 0 else b
    low = [n for n in (a.lo, b.lo) if n is not None]
    high = [n for n in (a.hi, b.hi) if n is not None]
    lo = min(low) if len(low) == 2 else None
    value = arithmetic.min(a.value, b.value)
    return Length(value, lo, min(high, default=None), (("min", a.linear_form, b.linear_form), 1, 0))


def times(a: Length, by: int) -> Length:
    """a * by, where a >= 0 and by >= 0"""
    if by == 0:
        return static_length(0)
    if isinstance(a.number, int):
        return static_length(a.number * by)
    base, scale, offset = a.linear_form
    hi = None if a.hi is None else a.hi * by
    value = arithmetic.mul(a.value, constant(by, I64))
    return Length(value, (a.lo or 0) * by, hi, (base, scale * by, offset * by))


def ceil_divided(a: Length, by: int) -> Length:
    """ceil(a / by), where a >= 0"""
    if isinstance(a.number, int):
        return static_length(-(-a.number // by))
    value = arithmetic.floordiv(arithmetic.add(a.value, by - 1), constant(by, I64))
    hi = None if a.hi is None else -(-a.hi // by)
    return Length(value, -(-(a.lo or 0) // by), hi, (("/", a.linear_form, by), 1, 0))


def wrap_negative(a: Length, n: Length) -> Length:
    """An index into n elements: a + n where `a` is negative, else a."""
    if a.lo is not None and a.lo >= 0:
        return a
    if isinstance(a.number, int) and isinstance(n.number, int):
        return static_length(a.number + n.number)
    if isinstance(a.number, int):
        return plus(n, a.number)
    shifted = arithmetic.add(a.value, n.value)
    form: LinearForm = (("wrap", a.linear_form, n.linear_form), 1, 0)
    if a.hi is not None and a.hi < 0:
        lo = None if a.lo is None or n.lo is None else a.lo + n.lo
        hi = None if n.hi is None else a.hi + n.hi
        return Length(shifted, lo, hi, _combined(a.linear_form, n.linear_form, 1))
    value = logic.select(logic.lt(a.value, constant(0, I64)), shifted, a.value)
    lo = None if a.lo is None or n.lo is None else min(0, a.lo + n.lo)
    hi = None if a.hi is None or n.hi is None else max(a.hi, n.hi - 1)
    return Length(value, lo, hi, form)


def slice_bound(a: Abstract, n: Length, low: int = 0) -> Length:
    """A start or stop of a slice of `n` elements: wrapped, and clipped to [low, n + low]."""
    return at_most(at_least(wrap_negative(length_of(a), n), low), plus(n, low))


def _add(x: int | None, by: int) -> int | None:
    return None if x is None else x + by
