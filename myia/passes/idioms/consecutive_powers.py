"""A power whose exponent is one less than that of a power that is there is a quotient of it.

    %z = pow %x, -1.5                 %z = pow %x, -1.5
    %w = pow %x, -2.5        ->       %1 = abs %x
                                      %w = div %z, %1

So the derivative of a power costs a division and not another power, which takes twenty times as
long. The exponents must be negative: with others the greater power may be zero where the lesser is
not, and does not tell it. The absolute value counts for -0.0, of which a broken power is an
infinity above zero; other negative numbers have none. The power of an exponent that is an integer
has the sign of the quotient by the number itself.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.core.define import constant_p
from myia.primitives.pointwise.arithmetic import abs, div, pow
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def reuse_consecutive_powers(function: Function) -> Function:
    """`function` with powers as quotients of others, where one is there."""
    return with_region(function, _Powers().region(function.region))


class _Powers:
    """The powers that are visible at one place of the walk, by base and exponent."""

    def __init__(self):
        self.env: Env = {}
        self.numbers: dict[Value, float] = {}
        self.visible: dict[tuple[Value, Fraction], Value] = {}

    def region(self, region: Region) -> Region:
        outside = dict(self.visible)
        with Builder() as b:
            for op in region.ops:
                self.op(substituted(op, self.env, self.region))
        self.visible = outside
        return rebuilt(region, b.ops, look_up(region.yields, self.env))

    def op(self, op: Op) -> None:
        if op.primitive is constant_p:
            self.numbers[op.results[0]] = op.params["value"]
        exponent = self.exponent(op) if op.primitive is pow else None
        if exponent is None:
            append(op)
            return
        (x, _), (y,) = op.operands, op.results
        greater = self.visible.get((x, exponent + 1))
        if greater is None:
            append(op)
        else:
            with at(op.span):
                self.env[y] = y = div(greater, x if exponent.denominator == 1 else abs(x))
            y.name = op.results[0].name
        self.visible[x, exponent] = y

    def exponent(self, op: Op) -> Fraction | None:
        """The exponent of a power, if it is one and the same negative number."""
        x, y = op.operands
        n = self.numbers.get(y)
        known = n is not None and x.dtype.kind == "f" and n < 0 and isfinite(n)
        return Fraction(n) if known else None
