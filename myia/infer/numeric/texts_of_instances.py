"""The text of an instance: what its class says in `__format__`, `__str__`, `__repr__`.

What `object` says, an address, differs in each run.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.facts import ClassAttribute
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import Abstract, Static, Text, Tuple
from myia.infer.generated_methods import is_generated
from myia.infer.numeric.samples import type_of

ASKED = {"r": ("__repr__",), "s": ("__str__", "__repr__"), None: ("__str__", "__repr__")}


def own_text(ctx: Context, x: Abstract, conversion: str | None, spec: str) -> Abstract | None:
    """The text that a method of the class of `x` gives; None if it has none of the user's."""
    cls = class_with_text(ctx, x)
    if cls is None or conversion not in ASKED:
        return None
    if conversion is None:
        if (method := ctx.special_method(x, "__format__")) is not None:
            return _require_text(ctx, "__format__", ctx.call(method, (Static(spec),), {}))
        if spec:
            message = f"unsupported format string passed to {cls.__name__}.__format__"
            ctx.fail(BadType, message=message)
    for name in ASKED[conversion]:
        if _is_made(cls, ctx.fact(ClassAttribute(cls, name))):
            return None
        if (method := ctx.special_method(x, name)) is not None:
            return _require_text(ctx, name, ctx.call(method, (), {}))
    return None


def class_with_text(ctx: Context, x: Abstract) -> type | None:
    """The class of an instance, or of a named tuple whose text is of the user's."""
    owner = ctx.held(x) or x
    cls = owner.cls if isinstance(owner, (InstanceObject, Tuple)) else None
    if cls is None or not issubclass(cls, tuple):
        return cls
    own = _is_made(cls, cls.__repr__) and cls.__str__ is object.__str__
    return None if own and cls.__format__ is object.__format__ else cls


def _is_made(cls: type, method: Any) -> bool:
    """Is it the `__repr__` of all dataclasses, or of all named tuples?"""
    if not issubclass(cls, tuple):
        return is_generated(cls, method)
    named = (base for base in reversed(cls.__mro__) if "_fields" in vars(base))
    return method is vars(next(named, tuple)).get("__repr__")


def shown_fields(ctx: Context, x: Abstract) -> tuple[str, dict[str, Abstract]] | None:
    """The name of a dataclass, and the fields in the `__repr__` that `dataclass` makes."""
    contents = ctx.held(x)
    if not isinstance(contents, InstanceObject):
        return None
    cls = contents.cls
    if not is_generated(cls, ctx.fact(ClassAttribute(cls, "__repr__"))):
        return None
    names = [field.name for field in dataclasses.fields(cls) if field.repr]
    return cls.__qualname__, {name: ctx.getattr(x, name) for name in names}


def _require_text(ctx: Context, name: str, x: Abstract) -> Abstract:
    if isinstance(x, Text) or (isinstance(x, Static) and isinstance(x.value, str)):
        return x
    cls = type_of(ctx, x)
    kind = "object" if cls is None else cls.__name__
    said = f"must return a str, not {kind}" if name == "__format__" else ""
    ctx.fail(BadType, message=f"{name} {said or f'returned non-string (type {kind})'}")
