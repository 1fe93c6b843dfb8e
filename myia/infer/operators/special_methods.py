"""Operators by the methods of the classes, in the order of Python: `__iadd__`, `__add__`, ..."""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.facts import ClassAttribute
from myia.infer.domain.heap import DictObject, InstanceObject, SetObject
from myia.infer.domain.values import Abstract, Static
from myia.infer.generated_methods import is_generated
from myia.infer.numeric.constant_methods import is_set
from myia.infer.numeric.samples import OPERATORS
from myia.infer.operators.numpy_operands import class_of_instance, refuse_elementwise_methods


def by_special_method(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract | None:
    """By a method of the class of an operand; None where both classes leave it."""
    name = OPERATORS[op][1]
    sides = [(a, b, "__"), (b, a, "__r")]
    left, right = class_of_instance(ctx, a), class_of_instance(ctx, b)
    if left is not None and left is right:
        del sides[1]
    elif extends(right, left) and _has_its_own(right, left, f"__r{name}__"):
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


SET_UPDATES = {
    "|": "update",
    "&": "intersection_update",
    "-": "difference_update",
    "^": "symmetric_difference_update",
}


def in_place_by_method(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract | None:
    """`a op= b` by what changes `a`, whatever `b` is: `__iadd__`, a method of a set or a dict.

    None where `a` has none or leaves the operator to `__add__` and `__radd__`.
    """
    method = ctx.special_method(a, f"__i{OPERATORS[op][1]}__")
    if method is not None:
        return None if is_not_implemented(found := ctx.call(method, (b,), {})) else found
    contents, update = ctx.held(a), None
    if isinstance(contents, DictObject) and op == "|":
        update = "update"
    elif isinstance(contents, SetObject) and contents.cls is set and is_set(ctx, b):
        update = SET_UPDATES.get(op)
    if update is None:
        return None
    ctx.call(ctx.getattr(a, update), (b,), {})
    return a


def is_not_implemented(x: Abstract) -> bool:
    """A method of an operator leaves it to the other operand."""
    return isinstance(x, Static) and x.value is NotImplemented


def extends(right: type | None, left: type | None) -> bool:
    """Is the right operand of a class that extends that of the left one? Python asks it first."""
    if left is None or right is None or left is right:
        return False
    return issubclass(right, left)


def _has_its_own(right: type | None, left: type | None, method: str) -> bool:
    return getattr(right, method, None) is not getattr(left, method, None)


def class_that_generates(ctx: Context, x: Abstract, op: str) -> type | None:
    """The class of an instance whose method for this comparison was made by `dataclass`."""
    name = "__eq__" if op == "!=" else f"__{OPERATORS[op][1]}__"
    contents = ctx.held(x)
    cls = contents.cls if isinstance(contents, InstanceObject) else object
    return cls if is_generated(cls, ctx.fact(ClassAttribute(cls, name))) else None
