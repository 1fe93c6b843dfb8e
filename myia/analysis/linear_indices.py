"""Linear forms of integer values, and their bounds: which indices are equal, disjoint, in range.

What it computes. A *linear form* is a constant plus multiples of *symbols*: indices of loops, and
integers of which nothing else is known. Every 64-bit integer scalar of a region has one. The index
of `for %k < %n` lies in 0 <= %k <= %n - 1, where %n is a linear form of symbols further out. So a
bound of an inner index is replaced by bounds of outer ones until a number is left:

    for %i < 9 { %n = sub 8, %i ; for %k < %n { %j = add %k, %i ; ... } }     %j - %i = %k >= 0
                                                                      8 - %j = 8 - %k - %i >= 1

What it guarantees. "Yes" is proven, for all values that the symbols can have. "No" means only that
no proof was found. 64-bit overflow is ignored: an index that overflows is out of the range of every
array anyway. A pass that asks about other integers has to check `cannot_overflow` first.

A minimum or maximum is one of its two operands: what holds for both of them holds for it. The index
of a loop that runs max(%n, 0) times is less than %n, since there is an iteration.

When it gives up. Products of symbols, divisions, and values that are loaded or carried are symbols
without bounds. An index that is computed in such a way gets bounds from the compiler's own
`clamped_index`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.avals import I64
from myia.ir.core import Op, Region, Value
from myia.primitives.arrays.dynamic_slices import slice_sizes, start_indices
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, loop_p, rev_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum

ONE = None  # the symbol 1: its factor is the constant term

# No loop makes 2**45 iterations: at 1 ns each they take ten hours. So a few products of indices
# with such factors, and a constant term, have less than 64 bits.
MAX_EXACT_FACTOR = 2**16
MAX_EXACT_CONSTANT = 2**60
MAX_CASES = 64  # steps of one proof: each minimum or maximum may double them
# symbol -> factor; no factor is zero, so equal forms are equal Counters
LinearForm = Counter[Value | None]


def clamped_index(x: Value, end: Value | None) -> Value:
    """Emit `max(min(x, end - 1), 0)` for an `x` that lies in 0 <= x < end.

    This changes no value. It states the bounds in a form that `IndexRanges` recognises.
    """
    low = x if end is None else minimum(x, sub(end, 1))
    return maximum(low, constant(0, I64.dtype))


@dataclass(frozen=True)
class _Extremum:
    """A minimum or maximum of two forms; `number` counts them in program order."""

    is_maximum: bool
    forms: tuple[LinearForm, ...]
    number: int


class IndexRanges:
    """Linear forms and bounds of the integers of a region; `visit` adds those of another region."""

    def __init__(self, region: Region):
        self.forms: dict[Value, LinearForm] = {}
        self.upper_bounds: dict[
            Value | None, list[LinearForm]
        ] = {}  # a symbol is less than each of these
        self.depths: dict[
            Value | None, int
        ] = {}  # of symbols with bounds; their bounds are less deep
        self.minima: dict[Value, LinearForm] = {}  # a result of `min` is at most this
        self.extrema: dict[Value | None, _Extremum] = {}
        self.visit(region)

    def visit(self, region: Region, depth: int = 0) -> None:
        for op in region.ops:
            if len(op.results) == 1 and op.results[0].aval == I64:
                self.forms[op.results[0]] = self._form_of_result(op)
                self._record_extremum(op, depth)
                self._record_clamp(op, depth)
            for inner in op.regions:
                if op.primitive in (loop_p, rev_p):
                    self._record_index(inner.args[0], Loop.of(op), depth + 1)
                # Deeper than the index, which may be in the bounds of clamps in the body.
                self.visit(inner, depth + 2)

    def _record_extremum(self, op: Op, depth: int) -> None:
        if op.primitive in (minimum, maximum):
            (y,) = op.results
            forms = self.linear_forms(op.operands)
            self.extrema[y] = _Extremum(op.primitive is maximum, forms, len(self.extrema))
            self.depths[y] = depth

    def _record_clamp(self, op: Op, depth: int) -> None:
        """Record the bounds that `clamped_index` states.

        `max(x, 0)` may exceed an upper bound of x that is negative, so the bound must be proven
        to be nonnegative.
        """
        (y,) = op.results
        if op.primitive is minimum:
            self.minima[y] = self.linear_form(op.operands[1])
        # An empty form is the constant 0.
        if op.primitive is maximum and not self.linear_form(op.operands[1]):
            last = self.minima.get(op.operands[0])
            self.upper_bounds[y] = []
            if last is not None and self.is_nonnegative(last):
                self.upper_bounds[y].append(plus(last, constant_form(1)))
            self.depths[y] = depth

    def _record_index(self, k: Value, loop: Loop, depth: int) -> None:
        bounds = [] if loop.count is None else self.bounds_of_index(loop.count)
        bounds += [] if loop.bound is None else [constant_form(loop.bound)]
        self.upper_bounds[k] = bounds
        self.depths[k] = depth

    def bounds_of_index(self, count: Value) -> list[LinearForm]:
        """What the index of a loop of `count` iterations is less than."""
        found = self.extrema.get(count)
        bounds = [self.linear_form(count)]
        if found is not None and found.is_maximum:
            # There is an iteration, so the count is positive: it is the other operand.
            pairs = zip(found.forms, found.forms[::-1])
            bounds += [x for x, other in pairs if self.is_nonnegative(times(other, -1))]
        return bounds

    def _form_of_result(self, op: Op) -> LinearForm:
        if op.primitive is constant_p:
            return constant_form(int(op.params["value"]))
        xs = [self.linear_form(x) for x in op.operands if x.aval == I64]
        if op.primitive in (add, sub):
            return plus(*xs) if op.primitive is add else minus(*xs)
        if op.primitive is neg:
            return times(xs[0], -1)
        if op.primitive is mul:
            for x, y in (xs, xs[::-1]):
                if set(x) <= {ONE}:
                    return times(y, x[ONE])
        return LinearForm({op.results[0]: 1})

    # ----- Linear forms

    def linear_form(self, x: Value) -> LinearForm:
        """The linear form of `x`: the value itself is a symbol if nothing is known of it."""
        # The form of a constant 0 is empty, hence falsy.
        return self.forms.get(x) or (LinearForm() if x in self.forms else LinearForm({x: 1}))

    def linear_forms(self, xs: Sequence[Value]) -> tuple[LinearForm, ...]:
        return tuple(map(self.linear_form, xs))

    def transitive_symbols(self, x: LinearForm) -> set[Value]:
        """The symbols of a form, those of their upper bounds, and so on."""
        found, pending = set(), [symbol for symbol in x if symbol is not ONE]
        while pending:
            symbol = pending.pop()
            if symbol not in found:
                found.add(symbol)
                bounds = self.upper_bounds.get(symbol, ())
                pending += (s for bound in bounds for s in bound if s is not ONE)
        return found

    # ----- Questions about one form

    def is_nonnegative(self, x: LinearForm) -> bool:
        """Is this form at least zero, wherever its symbols are defined?

        The deepest symbol is eliminated first, since its bounds are made of less deep ones: where
        its factor is positive it is replaced by 0, its least value; else by its greatest value.
        """
        return self._is_nonnegative(x, [MAX_CASES])

    def _is_nonnegative(self, x: LinearForm, cases: list[int]) -> bool:
        symbols = [symbol for symbol in x if symbol is not ONE]
        if not symbols:
            return x[ONE] >= 0
        # Any order is sound. In this one, terms from several bounds cancel before their symbol is
        # eliminated. Symbols without bounds come last.
        deepest = max(symbols, key=self._elimination_order)
        if deepest not in self.depths or not cases[0]:
            return False
        cases[0] -= 1
        factor = x[deepest]
        rest = LinearForm({symbol: n for symbol, n in x.items() if symbol is not deepest})
        if deepest in self.upper_bounds:
            greatest = [minus(bound, constant_form(1)) for bound in self.upper_bounds[deepest]]
            ends = [LinearForm()] if factor > 0 else greatest
            if any(self._is_nonnegative(plus(rest, times(end, factor)), cases) for end in ends):
                return True
        if deepest not in self.extrema:
            return False
        extremum = self.extrema[deepest]
        enough = any if extremum.is_maximum == (factor > 0) else all
        return enough(
            self._is_nonnegative(plus(rest, times(form, factor)), cases) for form in extremum.forms
        )

    def _elimination_order(self, symbol: Value | None) -> tuple[int, int]:
        extremum = self.extrema.get(symbol)
        return self.depths.get(symbol, -1), -1 if extremum is None else extremum.number

    def cannot_overflow(self, x: LinearForm) -> bool:
        """Is the form surely computed without overflow?

        Integers of NumPy may overflow. Loop indices and the symbols of their bounds cannot, nor
        their multiples by small factors.
        """
        limits = {symbol: MAX_EXACT_FACTOR for symbol in x} | {ONE: MAX_EXACT_CONSTANT}
        if any(abs(factor) > limits[symbol] for symbol, factor in x.items()):
            return False
        indices = LinearForm({symbol: 1 for symbol in x if self.upper_bounds.get(symbol)})
        only_indices = self.transitive_symbols(indices).issuperset(x.keys() - {ONE})
        return list(x.values()) == [1] or only_indices

    # ----- Questions about two accesses

    def are_equal(self, xs: Sequence[Value], ys: Sequence[Value]) -> bool:
        """Are these the same integers, one by one?"""
        return self.linear_forms(xs) == self.linear_forms(ys)

    def are_disjoint(
        self,
        xs: Sequence[LinearForm],
        sizes: Sequence[int],
        ys: Sequence[LinearForm],
        other_sizes: Sequence[int],
        shape: Sequence[int],
    ) -> bool:
        """Have two slices of an array of this shape no element in common?

        They start at `xs` and at `ys`. One axis along which they are disjoint is enough. Both must
        be in range along that axis: `dynamic_slice` moves a slice that is not.
        """
        axes = zip(xs, sizes, ys, other_sizes, shape)
        return any(
            self._ends_before(x, m, y, n, length) or self._ends_before(y, n, x, m, length)
            for x, m, y, n, length in axes
        )

    def are_disjoint_across_iterations(self, x: Value, size: int, length: int, k: Value) -> bool:
        """Have the slices of `size` at `x` of any two iterations no element in common?

        `k` is the loop's index, `length` that of the axis. No slice may be out of range.
        """
        start = self.linear_form(x)
        return (
            abs(start[k]) >= size
            and set(start) <= {k, ONE}
            and self.is_nonnegative(start)
            and self.is_nonnegative(minus(constant_form(length - size), start))
        )

    def is_disjoint_from_earlier(
        self, x: Value, size: int, y: Value, other_size: int, length: int, k: Value
    ) -> bool:
        """Is the slice at `x` disjoint from those at `y` of this iteration and all earlier ones?

        `k` is the loop's index; no other symbol of the two may change in the loop. Comparing the
        two in one iteration is enough if `y` moves towards `x`: its slices of earlier iterations
        are further away then. So either y grows with `k` and ends before x, or it shrinks and
        begins after x.
        """
        here, other = self.linear_form(x), self.linear_form(y)
        depth = self.depths.get(k, -1)
        # A symbol without bounds might be defined in the loop.
        if any(self.depths.get(symbol, math.inf) > depth for symbol in {*here, *other} - {ONE}):
            return False
        below = other[k] >= 0 and self._ends_before(other, other_size, here, size, length)
        return below or (other[k] <= 0 and self._ends_before(here, size, other, other_size, length))

    def _ends_before(
        self, x: LinearForm, size: int, y: LinearForm, other_size: int, length: int
    ) -> bool:
        """Does the slice at `x` end before the one at `y` begins, both of them in range?"""
        return (
            self.is_nonnegative(minus(y, plus(x, constant_form(size))))
            and self.is_nonnegative(x)
            and self.is_nonnegative(minus(constant_form(length - other_size), y))
        )


def is_same_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Do two accesses of one array surely have the same slice, even if it is out of range?"""
    return slice_sizes(x) == slice_sizes(y) and ranges.are_equal(start_indices(x), start_indices(y))


def is_disjoint_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Have the slices of two accesses of one array surely no element in common?"""
    shape = x.operands[0].shape
    starts = ranges.linear_forms(start_indices(x)), ranges.linear_forms(start_indices(y))
    return ranges.are_disjoint(starts[0], slice_sizes(x), starts[1], slice_sizes(y), shape)


# ----- Arithmetic of linear forms


def constant_form(n: int) -> LinearForm:
    return LinearForm({ONE: n}) if n else LinearForm()


def plus(x: LinearForm, y: LinearForm) -> LinearForm:
    total = LinearForm(x)
    for symbol, factor in y.items():
        total[symbol] += factor
    return LinearForm({symbol: factor for symbol, factor in total.items() if factor})


def times(x: LinearForm, n: int) -> LinearForm:
    return LinearForm({symbol: factor * n for symbol, factor in x.items() if factor * n})


def minus(x: LinearForm, y: LinearForm) -> LinearForm:
    return plus(x, times(y, -1))
