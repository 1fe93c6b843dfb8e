"""Which elements of a masked array can differ from a number: a range of indices, by axis.

    %m = lt %iota, broadcast %n ;  %y = select %m, %x, 0.0        %y[k] is 0.0 unless k < %n

What it guarantees: where a comparison that is returned is false, the element is that number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from myia.analysis.linear_indices import IndexRanges, LinearForm, constant_form, minus
from myia.ir.avals import I64
from myia.ir.core import Op, Value
from myia.primitives.arrays.shaping import broadcast, iota
from myia.primitives.core.define import constant, constant_p
from myia.primitives.pointwise import arithmetic
from myia.primitives.pointwise.arithmetic import mul
from myia.primitives.pointwise.logic import and_, convert_p, ge, lt, select, stop_gradient
from myia.rewriting.axes import moved_axes

Definitions = Mapping[Value, Op]
# Of an axis: a short masked array is cheaper than a loop. Cholesky factorizations of 16 x 16 take
# 1.8 times as long with loops, triangular solves of 24 two thirds of the time.
MIN_BOUND = 32
DEEP = 1 << 20  # the depth of new indices: deeper than what they are bounded by


@dataclass(frozen=True)
class Bound:
    """The index along `axis` is less than `end`, or (`is_lower`) at least `end`."""

    axis: int
    is_lower: bool
    end: Value


Bounds = tuple[Bound, ...]  # in the order of the program: a set would have that of addresses
NONE: Bounds = ()


def bounds_unless(x: Value, number: complex, definitions: Definitions) -> Bounds:
    """Comparisons of indices: where one of them is false, an element of `x` is `number`."""
    op = definitions.get(x)
    if op is None:
        return NONE

    def of(i: int) -> Bounds:
        return bounds_unless(op.operands[i], number, definitions)

    if op.primitive is select:
        other = definitions.get(op.operands[2])
        if other is None or other.primitive is not constant_p or other.params["value"] != number:
            return NONE
        return (*bounds_unless(op.operands[0], False, definitions), *of(1))
    if op.primitive is and_ and number == 0:
        return (*of(0), *of(1))
    if op.primitive is mul and number == 0:
        return common([of(0), of(1)])  # one zero is not enough: the other factor may be infinite
    if op.primitive is stop_gradient or (op.primitive is convert_p and number == 0):
        return of(0)
    if op.primitive in (lt, ge) and number == 0:
        return _comparison(op, definitions)
    axes = moved_axes(op)
    return NONE if axes is None else moved(of(0), axes)


def _comparison(op: Op, definitions: Definitions) -> Bounds:
    """`iota < n`, `iota >= n` with one number of the compiler's ints for all elements."""
    index = definitions.get(op.operands[0])
    scalar = _broadcast_scalar(op.operands[1], definitions)
    if index is None or index.primitive is not iota or scalar is None or scalar.aval != I64:
        return NONE
    return (Bound(index.params["axis"], op.primitive is ge, scalar),)


def _broadcast_scalar(x: Value, definitions: Definitions) -> Value | None:
    """The number that all elements of `x` are."""
    op = definitions.get(x)
    if op is None or op.primitive is not broadcast or op.operands[0].shape:
        return None
    return op.operands[0]


def moved(bounds: Bounds, axes: Mapping[int, int]) -> Bounds:
    """The bounds along the axes that are mapped."""
    return tuple(Bound(axes[b.axis], b.is_lower, b.end) for b in bounds if b.axis in axes)


def along(bounds: Bounds, axis: int) -> Bounds:
    """The bounds along one axis, which is called 0."""
    return moved(bounds, {axis: 0})


def common(each: Sequence[Bounds]) -> Bounds:
    """The bounds that all have."""
    first, *others = each
    return tuple(b for b in first if all(b in bounds for bounds in others))


# ----- The range


def valid_range(bounds: Bounds, n: int, ranges: IndexRanges) -> tuple[Value, Value]:
    """The first index that one bound at each end leaves of an axis of `n` elements, and how many.

    Emits what computes them.
    """

    def end(is_lower: bool, default: int) -> Value:
        ends = [b.end for b in bounds if b.is_lower == is_lower]
        return min(ends, key=lambda x: len(ranges.linear_form(x)), default=None) or index_constant(
            default, ranges
        )

    start, stop = end(True, 0), end(False, n)
    if not ranges.is_nonnegative(ranges.linear_form(start)):
        start = arithmetic.max(start, 0)
    if not ranges.is_nonnegative(minus(constant_form(n), ranges.linear_form(stop))):
        stop = arithmetic.min(stop, n)
    form = minus(ranges.linear_form(stop), ranges.linear_form(start))
    return start, _count(stop, start, form, ranges)


def _count(stop: Value, start: Value, form: LinearForm, ranges: IndexRanges) -> Value:
    """stop - start, or 0 where that is negative."""
    (symbol, *others), factors = [*form, None], list(form.values())
    if factors == [1] and symbol is not None and others == [None]:
        count = symbol
    else:
        count = arithmetic.sub(stop, start)
        ranges.forms[count] = form
    return count if ranges.is_nonnegative(form) else arithmetic.max(count, 0)


def index_constant(n: int, ranges: IndexRanges) -> Value:
    """An index known at compile time, with its linear form."""
    found = constant(n, I64.dtype)
    ranges.forms[found] = constant_form(n)
    return found


def new_index(count: Value, bound: int, ranges: IndexRanges) -> Value:
    """The index of a new loop of `count` iterations, at most `bound`."""
    k = Value(I64)
    ranges.upper_bounds[k] = [*ranges.bounds_of_index(count), constant_form(bound)]
    ranges.depths[k] = DEEP
    return k


def is_index(x: Value, ranges: IndexRanges) -> bool:
    """Is it a linear form, a minimum or a maximum of indices of loops?"""
    pending = [s for s in ranges.linear_form(x) if s is not None]
    while pending:
        symbol = pending.pop()
        if symbol in ranges.extrema:
            pending += [s for form in ranges.extrema[symbol].forms for s in form if s is not None]
        elif symbol not in ranges.upper_bounds:
            return False
    return True
