"""How an algebraic equation is written: a left-hand side to match, a right-hand side to emit.

    @equation(mul, "x * 1 == x")
    def _(match, op, x, y):
        return match.other_than(1, x, y)

The function receives a `Matcher`, the op and its operands. It returns the right-hand side (a value,
or a sequence of values), or None where the equation does not apply. Four laws:

- The two sides are equal for NaN, infinities and -0.0 (except for the sign and the payload of a
  NaN), or the equation has a guard.
- Rewrite only towards what is cheaper everywhere, or towards the one form that other equations and
  passes match.
- No equation undoes another.
- Matching costs O(1): no search through the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from myia.ir.core import Op, Value
from myia.ir.params import param_key
from myia.ir.primitive import Primitive
from myia.rewriting.walk import Walk

Rewrite = Callable[..., Value | Sequence[Value] | None]


class Equation(NamedTuple):
    text: str
    apply: Rewrite


EQUATIONS: dict[Primitive, list[Equation]] = {}


def equation(primitive: Primitive, text: str) -> Callable[[Rewrite], Rewrite]:
    """Register the decorated function as an equation whose left-hand side is a `primitive`."""

    def register(apply: Rewrite) -> Rewrite:
        EQUATIONS.setdefault(primitive, []).append(Equation(text, apply))
        return apply

    return register


class Matcher:
    """What an equation may ask about values, at the op that is rewritten."""

    __slots__ = ("walk",)

    def __init__(self, walk: Walk):
        self.walk = walk

    def number(self, x: Value) -> Any:
        """The number that fills `x` if it is a constant, else None."""
        return self.walk.constant_value(x)

    def defined_by(self, primitive: Primitive, x: Value) -> Op | None:
        """The op that defines `x`, if it is a `primitive`."""
        op = self.walk.definition(x)
        return op if op is not None and op.primitive is primitive else None

    def is_in_region(self, x: Value) -> bool:
        """Whether `x` is defined in the region of the op, not in an enclosing one."""
        return self.walk.is_in_current_region(x)

    def operand_of(self, primitive: Primitive, x: Value) -> Value | None:
        """The operand of the op that defines `x`, if that op is the unary `primitive`."""
        op = self.defined_by(primitive, x)
        return None if op is None else op.operands[0]

    def is_number(self, x: Value, number: float) -> bool:
        """Whether `x` is a constant filled with `number`; 0.0 and -0.0 differ."""
        found = self.walk.constant_value(x)
        if found is None or found != number:
            return False
        return x.dtype.kind != "f" or math.copysign(1, found) == math.copysign(1, number)

    def other_than(self, number: float, x: Value, y: Value) -> Value | None:
        """The other value, if one of the two is a constant filled with `number`."""
        if self.is_number(y, number):
            return x
        return y if self.is_number(x, number) else None

    def same_number(self, x: Value, y: Value) -> bool:
        """Whether both are constants, equal to the bit."""
        a, b = self.walk.constant_value(x), self.walk.constant_value(y)
        return a is not None and x.aval == y.aval and param_key(a) == param_key(b)

    def same_values(self, xs: Sequence[Value], ys: Sequence[Value]) -> bool:
        """Whether the two sequences hold the same values or equal constants, in order."""
        return len(xs) == len(ys) and all(x is y or self.same_number(x, y) for x, y in zip(xs, ys))


def is_integer(x: Value) -> bool:
    return x.dtype.kind in "iu"


def is_real(x: Value) -> bool:
    """Not complex: a product of complex numbers mixes real and imaginary parts, NaN included."""
    return x.dtype.kind in "iuf"
