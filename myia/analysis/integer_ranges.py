"""Ranges of 64-bit integer scalars, along branches and through loops; comparisons they decide.

What it computes. A range whose bounds may grow with T, the iterations that all loops have made so
far (`range_arithmetic.py`). So a counter has a range in a loop that may run for ever:

    while %p (%i = 0) { %j = add %i, 1 ; yield %j }       0 <= %i <= T, and so `add` cannot overflow

Where a condition holds, the values that it compares have narrower ranges: in the arms of a branch,
and in the body of a loop. A run-time check counts only if those before it have not failed: after
`x[k]`, `k + 1` does not overflow.

What it guarantees. "Decided" is proven, for integers that wrap around as NumPy's do: what may
overflow is unknown. A carried value is found by trying ranges from the narrowest to the widest,
until an iteration stays within what was assumed at its start.

When it gives up. Products of two unknown integers, bits, what is loaded, and integers of other
dtypes are unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from myia.analysis.range_arithmetic import (
    ARITHMETIC,
    COMPARISONS,
    MAX_ITERATIONS,
    OPPOSITE,
    SWAPPED,
    UNKNOWN,
    Range,
    comparison_result,
    hull,
    narrowed,
    power,
    range_of_dtype,
)
from myia.ir.avals import BOOL, I32, I64
from myia.ir.core import Function, Op, Region, Value
from myia.ir.primitive import Primitive
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop, call_p, derivative_p, if_p, loop_p, remat_p
from myia.primitives.pointwise import arithmetic, logic

MAX_GROWTH = 2**10  # of a carried value in an iteration, if it is bounded by the iterations made
MAX_CHECKS = 8  # before an op, of which it is known that they did not fail
MAX_VISITS = 2_000  # of regions of loops: then carried values are unknown
_SIZES = (logic.convert_p, arithmetic.abs, arithmetic.mul, arithmetic.pow)


def decided_comparisons(function: Function) -> Mapping[Value, bool]:
    """The results of comparisons, and of tests of overflow, that have one value."""
    ranges = _Ranges()
    ranges.region(function.region)
    return ranges.decided


class _Ranges:
    """One walk in program order; the bodies of loops are visited until their ranges are stable."""

    def __init__(self) -> None:
        self.ranges: dict[Value, Range] = {}
        self.definitions: dict[Value, Op] = {}
        self.decided: dict[Value, bool] = {}
        self.found: dict[Op, Sequence[Range]] = {}  # of loops: what they carry
        self.visits = 0

    def __getitem__(self, x: Value) -> Range:
        return self.ranges.get(x, UNKNOWN)

    def all(self, xs: Sequence[Value]) -> list[Range]:
        return [self[x] for x in xs]

    def region(self, region: Region) -> list[Range]:
        """Visit the ops; returns the ranges of what is yielded."""
        for op in region.ops:
            self.op(op)
        return self.all(region.yields)

    def op(self, op: Op) -> None:
        self.definitions.update((y, op) for y in op.results)
        if op.primitive is if_p:
            self.branch(op)
        elif op.primitive is loop_p:
            self.loop(op)
        elif op.regions:
            self.inlined(op)
        elif op.results and op.results[0].aval == I64:
            self.ranges[op.results[0]] = self.result(op)
        elif op.primitive in COMPARISONS:
            self.compare(op)
        elif op.primitive is logic.and_ and op.results[0].aval == BOOL:
            self.later_check(op)

    # ----- Arithmetic and comparisons

    def result(self, op: Op) -> Range:
        if op.primitive is constant_p:
            value = int(op.params["value"])
            return Range(value, value)
        if op.primitive is logic.convert_p:
            return range_of_dtype(op.operands[0].dtype)
        if op.primitive is arithmetic.integer_pow:
            found = power(self[op.operands[0]], op.params["y"])
            return found if found.is_exact() else UNKNOWN
        compute = ARITHMETIC.get(op.primitive)
        # The predicate of a selection is no number.
        operands = op.operands[1:] if op.primitive is logic.select else op.operands
        found = UNKNOWN if compute is None else compute(*self.all(operands))
        return found if found.is_exact() else UNKNOWN

    def compare(self, op: Op) -> None:
        (y,) = op.results
        known = None
        if op.operands[0].aval == I64:
            known = comparison_result(op.primitive, *self.all(op.operands))
        if known is None and self.is_needless_test(op):
            known = False
        self.decided.pop(y, None)
        if known is not None:
            self.decided[y] = known

    def later_check(self, op: Op) -> None:
        """A test of overflow that counts only if no check failed before it."""
        self.decided.pop(op.results[0], None)
        for test, other in (op.operands, op.operands[::-1]):
            made, code = self.definitions.get(test), self.code_that_is_zero(other)
            if made is None or made.primitive not in COMPARISONS or code is None:
                continue
            before = self.assume_none_failed(code)
            if before and self.is_needless_test(made):
                self.decided[op.results[0]] = False
            self.ranges.update(before)

    def is_needless_test(self, op: Op) -> bool:
        """Does this test whether an integer overflows that cannot?

        (x ^ (x + y)) & (y ^ (x + y)) < 0, (x ^ y) & (x ^ (x - y)) < 0, and |x * y| >= c in floats.
        """
        number, limit = op.operands
        if op.primitive is logic.lt and self[limit] == Range(0, 0):
            pairs = [self.operands_of(x, logic.xor) for x in self.operands_of(number, logic.and_)]
            total = self.definitions.get(pairs[1][1]) if len(pairs) == 2 and all(pairs) else None
            if total is None or total.primitive not in (arithmetic.add, arithmetic.sub):
                return False
            (r,), (x, y) = total.results, total.operands
            other = (y, r) if total.primitive is arithmetic.add else (x, y)
            exact = ARITHMETIC[total.primitive](self[x], self[y]).is_exact()
            return exact and set(pairs) == {(x, r), other}
        if op.primitive is not logic.ge or self.constant(limit) is None:
            return False
        size = self.greatest_size(number)
        if size is None:
            return False
        bound = float(self.constant(limit))
        # Half of it: the numbers were rounded. In narrow floats they may be infinite.
        return math.isfinite(bound) and 2 * size <= bound

    def greatest_size(self, x: Value) -> int | None:
        """What the absolute value of a float is at most, but for rounding, if it is made of
        integers."""
        op = self.definitions.get(x)
        if op is None or op.primitive not in _SIZES:
            return None
        if op.primitive is logic.convert_p:
            of = self[op.operands[0]]
            return max(abs(of.least), abs(of.greatest)) if op.operands[0].aval == I64 else None
        if op.primitive is arithmetic.abs:
            return self.greatest_size(op.operands[0])
        base = self.greatest_size(op.operands[0])
        if op.primitive is arithmetic.pow:
            n = self.constant(op.operands[1])
            return None if base is None or n is None or not 0 <= n <= 64 else base ** math.ceil(n)
        factor = self.greatest_size(op.operands[1])
        return None if base is None or factor is None else base * factor

    def constant(self, x: Value) -> Any:
        op = self.definitions.get(x)
        return op.params["value"] if op is not None and op.primitive is constant_p else None

    def operands_of(self, x: Value, primitive: Primitive) -> tuple[Value, ...]:
        """Of the op that defines x, if it is a `primitive`."""
        op = self.definitions.get(x)
        return op.operands if op is not None and op.primitive is primitive else ()

    # ----- Branches, and what holds in them

    def branch(self, op: Op) -> None:
        arms = []
        for region, holds in zip(op.regions, (True, False)):
            before = self.assume(op.operands[0], holds, {})
            arms.append(self.region(region))
            self.ranges.update(before)
        for y, *found in zip(op.results, *arms):
            if y.aval == I64:
                self.ranges[y] = hull(*found)

    def assume(self, p: Value, holds: bool, names: Mapping[Value, Value]) -> dict[Value, Range]:
        """Narrow the ranges of what `p` compares, given its value; returns those before.

        `names`: what values of the condition of a loop are called in its body.
        """
        op = self.definitions.get(p)
        if op is None:
            return {}
        if op.primitive is logic.not_:
            return self.assume(op.operands[0], not holds, names)
        if op.primitive is (logic.and_ if holds else logic.or_):
            parts = [(x, holds) for x in op.operands]
        elif op.primitive is if_p:
            then, other = (region.yields[op.results.index(p)] for region in op.regions)
            parts = self.parts_of_choice(op.operands[0], then, other, holds)
        elif op.primitive is logic.select:
            condition, then, other = op.operands
            parts = self.parts_of_choice(condition, then, other, holds)
        elif holds and (code := self.code_that_is_zero(p)) is not None:
            return self.assume_none_failed(code)
        elif op.primitive in COMPARISONS and op.operands[0].aval == I64:
            comparison = op.primitive if holds else OPPOSITE[op.primitive]
            x, y = op.operands
            before = self.narrow(names.get(x, x), comparison, self[names.get(y, y)])
            swapped = SWAPPED.get(comparison, comparison)
            return self.narrow(names.get(y, y), swapped, self[names.get(x, x)]) | before
        else:
            return {}
        before = {}
        for x, value in parts:
            before = self.assume(x, value, names) | before
        return before

    def parts_of_choice(
        self, p: Value, then: Value, other: Value, holds: bool
    ) -> list[tuple[Value, bool]]:
        """What holds if the value chosen by `p` does: `p and q` is `if p { q } else { p }`, or
        `if p { q } else { False }`.
        """
        if holds and (other is p or self.constant(other) is False):
            return [(p, True), (then, True)]
        if not holds and (then is p or self.constant(then) is True):
            return [(p, False), (other, False)]
        return []

    def code_that_is_zero(self, p: Value) -> Value | None:
        """The number of the check that failed, if `p` tests whether it is zero: none failed."""
        pair = self.operands_of(p, logic.eq)
        for code, zero in (pair, pair[::-1]) if pair else ():
            if code.aval == I32 and self.constant(zero) == 0:
                return code
        return None

    def assume_none_failed(self, code: Value) -> dict[Value, Range]:
        """Narrow the ranges of what the last checks tested; returns those before.

        A check makes `code` of that before it: `select(failed and before == 0, number, before)`.
        """
        before: dict[Value, Range] = {}
        for _ in range(MAX_CHECKS):
            choice = self.operands_of(code, logic.select)
            if not choice or not self.constant(choice[1]):
                break
            condition, _, code = choice
            pair = self.operands_of(condition, logic.and_)
            for failed, clean in (pair, pair[::-1]) if pair else ():
                if self.code_that_is_zero(clean) is code:
                    before = self.assume(failed, False, {}) | before
        return before

    def narrow(self, x: Value, comparison: Primitive, other: Range) -> dict[Value, Range]:
        """Narrow the range of x, given how it compares with an integer of `other`."""
        old = self[x]
        self.ranges[x] = narrowed(old, comparison, other)
        return {x: old}

    # ----- Loops and other ops with regions

    def loop(self, op: Op) -> None:
        loop = Loop.of(op)
        initial = self.all(loop.carries)
        integers = [i for i, x in enumerate(loop.carries) if x.aval == I64]
        # What was found when an outer loop was last visited is a good guess, since its ranges grow.
        last = self.found.get(op, initial)
        found = [y if y.contains(x) else x for x, y in zip(initial, last)]
        if self.visits > MAX_VISITS:
            found = [UNKNOWN] * len(initial)
        box = Range(
            min((initial[i].lo for i in integers), default=0),
            max((initial[i].hi for i in integers), default=0),
            max((initial[i].down for i in integers), default=0),
            max((initial[i].up for i in integers), default=0),
        )
        attempts = [0] * len(initial)
        while True:
            after = self.iteration(loop, found)
            # The hull of two ranges may be wider than int64: nothing is outside of UNKNOWN.
            limited = (i for i in integers if found[i] != UNKNOWN)
            wider = [i for i in limited if not found[i].contains(after[i])]
            if not wider:
                break
            for i in wider:
                found[i] = _widened(attempts[i], initial[i], found[i], after[i], box)
                attempts[i] += 1
        # What holds after an iteration, or before the first, holds at the start of each.
        narrowed = [hull(*pair) for pair in zip(initial, after)]
        if any(narrowed[i] != found[i] for i in integers):
            found = [x if y.contains(x) else y for x, y in zip(narrowed, found)]
            self.iteration(loop, found)
        self.found[op] = found
        self.ranges.update((op.results[i], found[i]) for i in integers)

    def iteration(self, loop: Loop, carries: Sequence[Range]) -> list[Range]:
        """Visit condition and body; returns the ranges of what the body yields."""
        self.visits += 1
        body, cond = loop.body, loop.cond
        index = self.index(loop)
        self.bind(body, [index, *(x.after_iterations(1) for x in carries)])
        before = {}
        if cond is not None:
            self.bind(cond, [index, *carries])
            self.region(cond)
            before = self.assume(cond.yields[0], True, dict(zip(cond.args, body.args)))
        after = self.region(body)
        self.ranges.update((x, r) for x, r in before.items() if x not in body.args)
        return after

    def index(self, loop: Loop) -> Range:
        """The range of the index in an iteration, which is one of those made."""
        last = MAX_ITERATIONS if loop.bound is None else loop.bound - 1
        if loop.count is not None:
            last = min(last, self[loop.count].greatest - 1)
        return Range(0, -1, 0, 1) if last >= MAX_ITERATIONS else Range(0, last)

    def bind(self, region: Region, ranges: Sequence[Range]) -> None:
        self.ranges.update((x, r) for x, r in zip(region.args, ranges) if x.aval == I64)

    def inlined(self, op: Op) -> None:
        """Ops that call their region with their first operands; arguments of others are unknown."""
        if op.primitive in (call_p, remat_p, derivative_p):
            self.bind(op.regions[0], self.all(op.operands[: len(op.regions[0].args)]))
        found = [self.region(region) for region in op.regions]
        if op.primitive in (call_p, remat_p, derivative_p):
            self.ranges.update((y, r) for y, r in zip(op.results, found[0]) if y.aval == I64)


def _widened(attempt: int, initial: Range, found: Range, after: Range, box: Range) -> Range:
    """The next range to try, where an iteration leaves `found`, which it enters, as `after`."""
    wider = hull(found, after)
    if attempt == 0:
        return wider
    if attempt == 1 and box.contains(after):  # integers of one loop often bound each other
        return hull(wider, box)
    if attempt < 3:
        growth = (found.lo - after.lo, after.hi - found.hi) if attempt == 1 else (MAX_GROWTH,) * 2
        lo, down, hi, up = found.lo, found.down, found.hi, found.up
        if after.lo < found.lo or after.least < found.least:
            lo, down = initial.lo, max(growth[0], after.down, initial.down)
        if after.hi > found.hi or after.greatest > found.greatest:
            hi, up = initial.hi, max(growth[1], after.up, initial.up)
        wider = Range(lo, hi, down, up)
        if wider.is_exact():
            return wider
    return UNKNOWN
