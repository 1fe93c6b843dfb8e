"""Methods of compile-time strings, numbers and sets are evaluated by Python itself.

    "a,b".split(",")   ->   the compile-time list ["a", "b"]

An argument that is not a compile-time value is refused.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, NeedsStatic
from myia.infer.domain.heap import DictObject, ListObject, SetObject
from myia.infer.domain.values import (
    Abstract,
    Iterator,
    Ref,
    Static,
    Tuple,
)
from myia.infer.numeric.settings import settings_of
from myia.infer.questions import MemberOf
from myia.infer.tuple_classes import can_be_remade, new_tuple
from myia.infer.unsupported import UnsupportedContainer, UnsupportedText
from myia.primitives.core.define import array_constant

AS_NUMBERS = "use a list, or `np.unique(np.array([...]))`, whose size may be known at run time"
IMMUTABLE = (str, bytes, int, float, complex, frozenset, set, range, np.generic)


class _RunTime(Exception):
    """A value is not a compile-time constant."""


def is_method_of_constant(f: Any) -> bool:
    """A built-in method bound to an immutable object: `"a,b".split`."""
    return isinstance(getattr(f, "__self__", None), IMMUTABLE)


def call_method(ctx: Context, f: Any, args: tuple, kwargs: dict[str, Abstract]) -> Abstract:
    """`f(*args, **kwargs)` for a method of a compile-time object."""
    args = tuple(Tuple(ctx.list_items(x)) if isinstance(x, Iterator) else x for x in args)
    try:
        positional = [constant_of(ctx, x) for x in args]
        keywords = {name: constant_of(ctx, x) for name, x in kwargs.items()}
    except _RunTime:
        what = f"`{type(f.__self__).__name__}.{f.__name__}` of run-time values"
        ctx.fail(UnsupportedText, what=what)
    return evaluate_constant(ctx, f, *positional, **keywords)


def evaluate_constant(ctx: Context, f: Any, *args: Any, **kwargs: Any) -> Abstract:
    """The result of Python's `f` as an abstract value; its errors are the program's."""
    return abstract_of(ctx, python_result(ctx, f, *args, **kwargs))


def member_of(ctx: Context, cls: type[enum.Enum], values: list[Any]) -> Abstract:
    """`cls(value)`: a look-up, unless a user says in `_missing_` which member it is."""
    known = [x for x in cls if values in ([x], [x.value])]
    by_user = getattr(cls._missing_, "__func__", cls._missing_).__module__ != "enum"
    if by_user and not known and cls.__members__:
        return abstract_of(ctx, ctx.fact(MemberOf(cls, *values)))
    return evaluate_constant(ctx, cls, *values)


def python_result(ctx: Context, f: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of Python's `f`; its errors are the program's."""
    for asked in settings_of(f, (*args, *kwargs.values())):
        ctx.fact(asked)
    try:
        modes: dict[str, Any] = dict.fromkeys(ctx.raising, "raise")
        with np.errstate(all="ignore"), np.errstate(**modes):
            return f(*args, **kwargs)
    except (TypeError, AttributeError) as e:
        ctx.fail(BadType, message=str(e))
    except (ValueError, LookupError, ArithmeticError) as e:
        ctx.fail(BadValue, message=str(e), exception=type(e).__name__, arguments=e.args)


def constant_or_none(ctx: Context, x: Abstract, ordered: bool = True) -> Static | None:
    """The Python object, if all of it is known."""
    try:
        return Static(constant_of(ctx, x, ordered))
    except _RunTime:
        return None


def evaluated(ctx: Context, f: Any, *args: Abstract, ordered: bool = True) -> Abstract | None:
    """`f(*args)` by Python, if all of the arguments is known."""
    found = [x for arg in args if (x := constant_or_none(ctx, arg, ordered)) is not None]
    if len(found) < len(args):
        return None
    return evaluate_constant(ctx, f, *(x.value for x in found))


def is_set(ctx: Context, x: Abstract) -> bool:
    """A set or a frozenset."""
    if isinstance(x, Ref):
        return isinstance(ctx.contents(x), SetObject)
    return isinstance(x, Static) and isinstance(x.value, frozenset)


def set_items(ctx: Context, x: Abstract) -> tuple[Abstract, ...]:
    """The items of a set, where their order does not matter."""
    if isinstance(x, Static):
        return tuple(map(Static, x.value))
    return ctx.contents(x).children() if isinstance(x, Ref) else ()


def items_of_new_set(ctx: Context, items: Iterable[Abstract]) -> list[Any]:
    """The Python objects that a set is made of; in an unrolled loop they may be known."""
    found = [constant_or_none(ctx, x) for x in items]
    if None in found:
        what = "a set of run-time values"
        ctx.fail(UnsupportedContainer, error=NeedsStatic, what=what, help_text=AS_NUMBERS)
    return [x.value for x in found if x is not None]


def constant_of(ctx: Context, x: Abstract, ordered: bool = True) -> Any:
    """The Python object; raises `_RunTime` if a part of it is not a compile-time constant.

    `ordered`: a set must have the order that the program's set has.
    """
    if isinstance(x, Static):
        return x.value
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    if not isinstance(contents, (Tuple, ListObject, DictObject, SetObject)):
        raise _RunTime
    if isinstance(contents, DictObject) and contents.cls is not dict:
        raise _RunTime
    with ctx.inside("constant", x) as is_again:
        if is_again:
            raise _RunTime
        parts = [constant_of(ctx, child, ordered) for child in contents.children()]
    if isinstance(contents, DictObject):
        return dict(zip(contents.keys, parts))
    if isinstance(contents, ListObject):
        return parts
    if isinstance(contents, SetObject):
        found = contents.cls(parts)
        if ordered and (not contents.ordered or any(x is not y for x, y in zip(found, parts))):
            raise _RunTime  # the order of a set depends on how it was made
        return found
    if contents.cls is None:
        return tuple(parts)
    if not can_be_remade(contents.cls):
        raise _RunTime
    return new_tuple(contents.cls, parts)


def abstract_of(ctx: Context, x: Any) -> Abstract:
    """The abstract value of a result; arrays are new objects."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
        return ctx.array(array_constant(x))
    if isinstance(x, list):
        return ctx.new(ListObject(tuple(abstract_of(ctx, item) for item in x)))
    if type(x) is tuple:
        return Tuple(tuple(abstract_of(ctx, item) for item in x))
    if isinstance(x, set):
        return ctx.new(SetObject(set, tuple(map(Static, x)), own=True))
    return Static(x)
