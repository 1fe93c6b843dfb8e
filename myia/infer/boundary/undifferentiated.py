"""What is not taken apart into numbers, where a derivative is taken: it must hold none.

Classes, modules and functions have no derivative. In a tree of arguments they stay as they are, as
strings do, and so does any other object, unless it holds a number: it would come back as its own
derivative.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from myia.infer.boundary.held_numbers import names_of_captured, number_in
from myia.infer.domain.context import Context
from myia.infer.domain.errors import NoDerivative
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject
from myia.infer.domain.values import (
    FUNCTION_VALUES,
    Abstract,
    Outside,
    PyFunction,
    Ref,
    Scalar,
    Static,
    Super,
    Tuple,
    fields_of,
)
from myia.infer.numeric.promotion import is_numeric, operand_dtype
from myia.source.value_texts import value_text

CODE = (*FUNCTION_VALUES, Super)  # what can be called, or belongs to it

RETURN_FLOATS = "return floats only; the rest goes along with `has_aux=True`"
LEAVE_OUT = (
    "leave it out of what is differentiated (`argnums`), read it from a closure or a global, or "
    "hold its numbers in an instance"
)
TAKEN_APART = "numbers and arrays are differentiated, in tuples, lists, dicts, sets and instances"


def refuse_code(ctx: Context, x: Abstract, path: str) -> None:
    """Refuse a class, a module or a function as an argument that is differentiated."""
    if isinstance(x, CODE) or (isinstance(x, Static) and _is_code(x.value)):
        _refuse(ctx, x, path, _number_in(ctx, x, set()), LEAVE_OUT)


def refuse_integers(ctx: Context, x: Abstract, path: str) -> None:
    """Refuse an argument without differentiable leaves that holds integers."""
    found = _number_in(ctx, x, set(), integers=True)
    if found is not None:
        _refuse(ctx, x, path, found, LEAVE_OUT)


def refuse_held_numbers(ctx: Context, x: Abstract, path: str, is_result: bool) -> None:
    """Refuse an object that is not taken apart, if it holds a float."""
    found = _number_in(ctx, x, set())
    if found is not None:
        _refuse(ctx, x, path, found, RETURN_FLOATS if is_result else LEAVE_OUT)


def _refuse(ctx: Context, x: Abstract, path: str, found: str | None, help_text: str) -> None:
    detail = TAKEN_APART
    if found is not None:
        detail = f"its number `{path}{found}` would not be differentiated"
    ctx.fail(NoDerivative, path=path, kind=_kind(ctx, x), detail=detail, help_text=help_text)


def _is_code(x: Any) -> bool:
    return isinstance(x, (type, types.ModuleType)) or callable(x)


def _kind(ctx: Context, x: Abstract) -> str:
    if isinstance(x, PyFunction):
        return f"the function `{x.function.__name__}`"
    if not isinstance(x, (Static, Outside)):
        return "a function" if isinstance(x, CODE) else ctx.describe(x)
    name = getattr(x.value, "__name__", None)
    if isinstance(x.value, type):
        return f"the class `{name}`"
    if isinstance(x.value, types.ModuleType):
        return f"the module `{name}`"
    if _is_code(x.value):
        return f"the function `{name}`" if name else "a function"
    return f"an object of the class `{type(x.value).__name__}`"


def holds_number(ctx: Context, x: Abstract) -> bool:
    """Is there a float in `x`, taken apart or not?"""
    return _number_in(ctx, x, set()) is not None


def _number_in(ctx: Context, x: Abstract, seen: set[int], *, integers: bool = False) -> str | None:
    """Where `x` holds a float (or an integer), as the rest of a path."""
    if isinstance(x, (Static, Outside)):
        return ctx.fact(Answer(number_in, x.value, integers))
    if isinstance(x, Scalar) or is_numeric(ctx, x):
        kinds = "fciu" if integers else "fc"
        return "" if operand_dtype(ctx, x)[0].kind in kinds else None
    if isinstance(x, Ref):
        if x.id in seen:
            return None
        seen.add(x.id)
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    children = contents.children()
    if isinstance(x, PyFunction):
        children += tuple(map(Static, vars(x.function).values()))
    for place, child in zip(places_of(contents), children):
        found = _number_in(ctx, child, seen, integers=integers)
        if found is not None:
            return f"{place}{found}"
    return None


def places_of(x: Any) -> Iterator[str]:
    """How each child of an abstract value, or of an object's contents, is reached from it."""
    names: tuple[str, ...] = ()
    if isinstance(x, InstanceObject):
        names = x.names
    elif isinstance(x, Tuple) and x.cls is not None and fields_of(x.cls):
        names = fields_of(x.cls)
    elif isinstance(x, PyFunction):
        names = (*names_of_captured(x.function), *vars(x.function))
    elif isinstance(x, DictObject):
        yield from (f"[{value_text(key)}]" for key in x.keys)
    elif isinstance(x, (ListObject, Tuple)):
        yield from (f"[{i}]" for i in range(len(x.children())))
    yield from (f".{name}" for name in names)
    while True:  # parts without a name
        yield ""
