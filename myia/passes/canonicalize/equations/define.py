"""How an equation is written.

    @equation(mul, "x * 1 == x")
    def _(see, op, x, y):
        return see.other_than(1, x, y)

The function gets the op and its operands, and returns the right-hand side (a value, or a sequence
of them), or None where the equation does not apply. Four laws:

- The two sides are equal for NaN, infinities and -0.0 (but for the sign and the payload of a NaN),
  or the equation has a guard.
- Rewrite only towards what is cheaper everywhere, or to the one form that others look for.
- No equation undoes another.
- The right-hand side costs O(1) to find: no searching through the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from myia.ir.core import Op, Value
from myia.ir.params import param_key
from myia.ir.primitive import Primitive
from myia.rewriting.walk import Walk


class Equation(NamedTuple):
    text: str
    apply: Callable


EQUATIONS: dict[Primitive, list[Equation]] = {}


def equation(primitive: Primitive, text: str) -> Callable[[Callable], Callable]:
    """Register the decorated function as an equation whose left-hand side is a `primitive`."""

    def register(apply: Callable) -> Callable:
        EQUATIONS.setdefault(primitive, []).append(Equation(text, apply))
        return apply

    return register


class Matcher:
    """What an equation may ask about values."""

    __slots__ = ("walk",)

    def __init__(self, walk: Walk):
        self.walk = walk

    def number(self, x: Value):
        """The number that fills the constant `x`, else None."""
        return self.walk.constant_value(x)

    def made_by(self, primitive: Primitive, x: Value) -> Op | None:
        """The op that defines `x`, if it is a `primitive`."""
        op = self.walk.definition(x)
        return op if op is not None and op.primitive is primitive else None

    def is_in_current_region(self, x: Value) -> bool:
        """Whether `x` is defined in the region of the op, and not outside it."""
        return self.walk.is_in_current_region(x)

    def operand(self, primitive: Primitive, x: Value) -> Value | None:
        """The operand of the unary `primitive` that defines `x`, if one does."""
        op = self.made_by(primitive, x)
        return None if op is None else op.operands[0]

    def is_number(self, x: Value, number) -> bool:
        """Whether `x` is filled with `number`; the sign of a zero matters."""
        found = self.walk.constant_value(x)
        if found is None or found != number:
            return False
        return x.dtype.kind != "f" or math.copysign(1, found) == math.copysign(1, number)

    def other_than(self, number, x: Value, y: Value) -> Value | None:
        """The other one, if one of the two is filled with `number`."""
        if self.is_number(y, number):
            return x
        return y if self.is_number(x, number) else None

    def same_number(self, x: Value, y: Value) -> bool:
        """Whether two constants are the same to the bit."""
        a, b = self.walk.constant_value(x), self.walk.constant_value(y)
        return a is not None and x.aval == y.aval and param_key(a) == param_key(b)

    def alike(self, xs: Sequence[Value], ys: Sequence[Value]) -> bool:
        """Whether these are the same values, or the same constants."""
        return len(xs) == len(ys) and all(x is y or self.same_number(x, y) for x, y in zip(xs, ys))


def is_integer(x: Value) -> bool:
    return x.dtype.kind in "iu"


def is_real(x: Value) -> bool:
    """Not complex: products of complex numbers mix real and imaginary parts, NaN included."""
    return x.dtype.kind in "iuf"
