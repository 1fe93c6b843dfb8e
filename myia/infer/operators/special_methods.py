"""Operators by the methods of the operands' classes: `__add__`, `__radd__`, in Python's order."""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Static
from myia.infer.numeric.samples import OPERATORS
from myia.infer.operators.numpy_operands import class_of_instance, refuse_elementwise_methods


def by_special_method(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract | None:
    """By a method of the class of an operand; None where both classes leave it."""
    name = OPERATORS[op][1]
    sides = [(a, b, "__"), (b, a, "__r")]
    left, right = class_of_instance(ctx, a), class_of_instance(ctx, b)
    if left is not None and left is right:
        del sides[1]
    elif _is_asked_first(left, right, f"__r{name}__"):
        sides.reverse()
    for self, other, prefix in sides:
        found = ctx.special_method(self, f"{prefix}{name}__")
        if found is not None:
            if self is b:
                refuse_elementwise_methods(ctx, op, self, other)
            result = ctx.call(found, (other,), {})
            if not is_not_implemented(result):
                return result
    return None


def is_not_implemented(x: Abstract) -> bool:
    """A method of an operator leaves it to the other operand."""
    return isinstance(x, Static) and x.value is NotImplemented


def _is_asked_first(left: type | None, right: type | None, method: str) -> bool:
    """Does Python ask the right operand first, as its class extends that of the left one?"""
    if left is None or right is None or left is right or not issubclass(right, left):
        return False
    return getattr(right, method, None) is not getattr(left, method, None)
