"""Cumulative sums and products and linear recurrences become loops over their axis (late).

    %y = cumsum %x {axis=0}      ->     %t, %y = for %k < n - 1 (%t = x[0], %y = %x) {
                                          %t = %t + x[%k + 1], and %y at %k + 1 is %t
                                        }

    %y = linear_recurrence %a, %b       the same, with %t = a[%k] * %t + b[%k + 1]

The linear ones are the derivatives of cumulative products. A parallel scan has log(n) steps over
whole arrays, which XLA takes long to compile; a processor is done with the loop in half the time.
The other axes are computed together, an array in each iteration. Sums and products along short
axes stay scans, but for products of a few elements: straight-line code fuses with other operations.
Linear recurrences never are scans: these multiply what may overflow by zero. Numbers are combined
in the order of NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value
from myia.primitives.arrays.cumulative import cumprod, cumsum, linear_recurrence
from myia.primitives.arrays.rows import read_row, write_row
from myia.primitives.arrays.shaping import concatenate, reshape, transpose
from myia.primitives.core.define import CallablePrimitive, constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import add, mul, sub
from myia.rewriting.walk import Walk, rewrite

MAX_UNROLLED = 8
MIN_LOOP = 64  # with fewer elements XLA's scan is as fast, and compiles faster inside loops


def recurrences(function: Function) -> Function:
    """`function` with loops in place of cumulative sums and products and linear recurrences."""
    return rewrite(function, _as_loop)


def _as_loop(op: Op, _: Walk) -> Sequence[Value] | None:
    if op.primitive not in (cumsum, cumprod, linear_recurrence):
        return None
    axis, reverse, (y,) = op.params["axis"], op.params["reverse"], op.results
    n = y.shape[axis]
    is_short = op.primitive is cumprod and axis == 0 and n <= MAX_UNROLLED
    if y.aval.size == 0 or not (op.primitive is linear_recurrence or is_short or n >= MIN_LOOP):
        return None
    *factors, x = (_with_axis_first(each, axis) for each in op.operands)
    recurrence = _Recurrence(x, factors, reverse, add if op.primitive is cumsum else mul)
    rows = _unrolled if x.shape[0] <= MAX_UNROLLED else _looping
    return [_with_axis_first(rows(recurrence), axis)]


def _with_axis_first(x: Value, axis: int) -> Value:
    """`x` with the axis exchanged for the first one; done twice, it is `x`."""
    order = list(range(x.aval.ndim))
    order[0], order[axis] = axis, 0
    return transpose(x, permutation=tuple(order)) if axis else x


@dataclass(frozen=True)
class _Recurrence:
    """y_0 = x_0, y_k = factors_{k-1} y_{k-1} + x_k; without factors `combine(y_{k-1}, x_k)`.

    `reverse`: it starts at the end. The axis is the first one.
    """

    x: Value
    factors: Sequence[Value]  # one or none
    reverse: bool
    combine: CallablePrimitive

    @property
    def steps(self) -> int:
        return self.x.shape[0] - 1

    def first(self) -> Value:
        return read_row(self.x, _i64(self.steps if self.reverse else 0))

    def step(self, k: Value, last: Value) -> tuple[Value, Value]:
        """Step `k`: an element after the `last` one, and its index."""
        before = sub(_i64(self.steps - 1), k) if self.reverse else k
        i = before if self.reverse else add(k, _i64(1))
        row = read_row(self.x, i)
        if not self.factors:
            return self.combine(last, row), i
        return add(mul(read_row(self.factors[0], before), last), row), i


def _looping(recurrence: _Recurrence) -> Value:
    def body(k: Value, last: Value, y: Value) -> list[Value]:
        row, i = recurrence.step(k, last)
        return [row, write_row(y, row, i)]

    init, steps = [recurrence.first(), recurrence.x], recurrence.steps
    return loop(init, body, count=_i64(steps), bound=steps)[1]


def _unrolled(recurrence: _Recurrence) -> Value:
    rows = [recurrence.first()]
    for k in range(recurrence.steps):
        rows.append(recurrence.step(_i64(k), rows[-1])[0])
    if recurrence.reverse:
        rows.reverse()
    return concatenate(*(reshape(row, shape=(1, *row.shape)) for row in rows), axis=0)


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)
