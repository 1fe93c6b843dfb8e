"""Operands of NumPy's arrays and scalars: NumPy converts the other operand by `np.asarray`.

x * [1.0, 2.0]        x * np.asarray([1.0, 2.0])
x == None             np.asarray(None) has no numbers: False for every element
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, is_weak
from myia.infer.domain.errors import BadType
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import Abstract, Range, Ref, Scalar, Static
from myia.infer.dynamic.access import is_dynamic
from myia.infer.item_dtypes import with_known_dtypes
from myia.infer.lists.nested_sequences import as_array, is_sequence
from myia.infer.numeric.samples import OPERATORS, NoSample, answers, type_error
from myia.infer.unsupported import UnsupportedOperator
from myia.primitives.core.define import constant


def is_numpys(ctx: Context, x: Abstract) -> bool:
    """An array, or a NumPy scalar of numbers."""
    if is_number(x):
        return not is_weak(x) and (isinstance(x, Scalar) or x.value.dtype.kind in "biufc")
    return ctx.is_array(x) or is_dynamic(ctx, x)


def is_plain_number(x: Abstract) -> bool:
    """A number that is no array without dimensions."""
    return is_number(x) and getattr(x, "boxed", False) is False


Use = Callable[[Context, str, Abstract, Abstract], Abstract]


def converted(ctx: Context, op: str, a: Abstract, b: Abstract, use: Use) -> Abstract:
    """`use` of the operands; where one is NumPy's and the other a sequence, that one as an array.

    Python asks the left operand first: a namedtuple with methods of its own stays one there.
    """
    a, b = ctx.force(a), ctx.force(b)
    name = OPERATORS[op][1]
    if is_numpys(ctx, a) and is_sequence(ctx, b):
        own = ctx.special_method(b, f"__r{name}__") is not None
        if own or not left_to_python(ctx, op, a, b):
            return with_known_dtypes(ctx, (b,), lambda xs: use(ctx, op, a, as_array(ctx, xs[0])))
    if is_numpys(ctx, b) and is_sequence(ctx, a):
        own = ctx.special_method(a, f"__{name}__") is not None
        if not own and not left_to_python(ctx, op, b, a):
            return with_known_dtypes(ctx, (a,), lambda xs: use(ctx, op, as_array(ctx, xs[0]), b))
    return use(ctx, op, a, b)


def left_to_python(ctx: Context, op: str, x: Abstract, sequence: Abstract) -> bool:
    """NumPy's scalars let Python repeat lists and tuples, and have no `@`."""
    if not is_number(x) or op not in "*@" or (op == "*" and isinstance(sequence, Range)):
        return False
    if isinstance(x, Scalar) and x.boxed is None:
        what = f"`{op}` of a sequence and what may be a number or an array without dimensions"
        ctx.fail(
            UnsupportedOperator,
            what=what,
            help_text="make an array of the sequence: `np.array(xs)`",
        )
    return is_plain_number(x)


def refuse_elementwise_methods(
    ctx: Context, op: str, self: Abstract, other: Abstract, *, in_place: bool = False
) -> None:
    """NumPy calls the methods of an instance for each element, if its class does not ask for more.

    `self` is the instance, whose method the operator would call with the array `other`.
    """
    cls = class_of_instance(ctx, self)
    if cls is None or not is_numpys(ctx, other):
        return
    if is_plain_number(other) and not _becomes_an_array(cls):
        return
    if getattr(cls, "__array_ufunc__", self) is None:
        if in_place:
            message = f"operand {cls.__name__!r} does not support ufuncs (__array_ufunc__=None)"
            ctx.fail(BadType, message=message)
        return
    asks = getattr(cls, "__array_priority__", -1) > 0 and not in_place
    if hasattr(cls, "__array_ufunc__") or not asks:
        _refuse_instance(ctx, op, cls, other)


def refuse_instance_as_array(ctx: Context, op: str, a: Abstract, b: Abstract) -> None:
    """No method has an answer: NumPy makes an array of an instance, where it can."""
    for self, other in ((a, b), (b, a)):
        cls = class_of_instance(ctx, self)
        if cls is None or getattr(cls, "__array_ufunc__", self) is None:
            continue
        if is_numpys(ctx, other) and _becomes_an_array(cls):
            _refuse_instance(ctx, op, cls, other)


def _refuse_instance(ctx: Context, op: str, cls: type, other: Abstract) -> NoReturn:
    each = "NumPy calls the method of the instance for each element of the array"
    ctx.fail(
        UnsupportedOperator,
        what=f"`{op}` of {ctx.describe(other)} and an instance of {cls.__name__}",
        label_text="NumPy makes an array of the instance" if _becomes_an_array(cls) else each,
        help_text="`__array_ufunc__ = None` in the class makes NumPy leave the operator to it",
    )


def class_of_instance(ctx: Context, x: Abstract) -> type | None:
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    return contents.cls if isinstance(contents, InstanceObject) else None


def _becomes_an_array(cls: type) -> bool:
    """Does `np.asarray` take an instance for a sequence, or ask it for an array?"""
    names = ("__array__", "__array_interface__", "__array_struct__")
    is_sequence_like = hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    return is_sequence_like or any(hasattr(cls, name) for name in names)


def compare_with_object(
    ctx: Context, op: str, a: Abstract, b: Abstract, refuse: Callable
) -> Abstract:
    """A comparison of NumPy's numbers with what has none: Python's answer, which no number changes.

    `refuse()` is called where there is no such answer.
    """
    refuse_instance_as_array(ctx, op, a, b)
    if (message := type_error(ctx, op, a, b)) is not None:
        ctx.fail(BadType, message=message)
    try:
        first, *others = answers(ctx, op, a, b)
    except (NoSample, ValueError, TypeError):
        return refuse()
    if not all(type(x) is type(first) and np.array_equal(x, first) for x in others):
        return refuse()
    if isinstance(first, np.ndarray):
        return ctx.array(constant(op == "!=", bool, first.shape))
    return Static(first)
