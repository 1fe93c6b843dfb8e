"""Strength reduction: a power is the quotient of an available power with an exponent one greater.

    %z = pow %x, -1.5                 %z = pow %x, -1.5
    %w = pow %x, -2.5        ->       %1 = abs %x
                                      %w = div %z, %1

So the derivative of a power costs a division. A second power would take twenty times as long.

The exponents must be negative. With positive ones `x^n` may be zero where `x^(n - 1)` is not, and
no quotient gives that. The absolute value matters for -0.0 only: its power with a fractional
exponent is +inf, and other negative numbers have no such power. For an integer exponent the
division is by `x` itself, which gives the power its sign.
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


def consecutive_powers(function: Function) -> Function:
    """`function` with powers as quotients of available powers of the same base."""
    return with_region(function, _AvailablePowers().region(function.region))


class _AvailablePowers:
    """The powers that are available at one point of the walk, by base and exponent."""

    def __init__(self) -> None:
        self.env: Env = {}
        self.numbers: dict[Value, float] = {}
        self.available: dict[tuple[Value, Fraction], Value] = {}

    def region(self, region: Region) -> Region:
        outside = dict(self.available)
        with Builder() as b:
            for op in region.ops:
                self.op(substituted(op, self.env, self.region))
        self.available = outside
        return rebuilt(region, b.ops, look_up(region.yields, self.env))

    def op(self, op: Op) -> None:
        if op.primitive is constant_p:
            self.numbers[op.results[0]] = op.params["value"]
        exponent = self.exponent(op) if op.primitive is pow else None
        if exponent is None:
            append(op)
            return
        (x, _), (y,) = op.operands, op.results
        greater = self.available.get((x, exponent + 1))
        if greater is None:
            append(op)
        else:
            with at(op.span):
                self.env[y] = y = div(greater, x if exponent.denominator == 1 else abs(x))
            y.name = op.results[0].name
        self.available[x, exponent] = y

    def exponent(self, op: Op) -> Fraction | None:
        """The exponent of the power `op`, if it is a negative constant; else None."""
        x, y = op.operands
        n = self.numbers.get(y)
        if n is None or x.dtype.kind != "f" or n >= 0 or not isfinite(n):
            return None
        return Fraction(n)
