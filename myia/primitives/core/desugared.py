"""The functions that desugared Python calls: what statements do that have no op of their own.

    with E as t: body      ->      %context = E
                                   t = enter(%context)
                                   body
                                   leave(%context)     # after an error: exit_with(%context, error)

    from m import x        ->      x = import_from("m", "x")

    class P(B): k = 2.0    ->      P = make_class("P", (B,), {"k": 2.0}, {})

They do what the statements do; `library/python/statements.py` has them on abstract values.
"""

from __future__ import annotations

import array
import collections
import importlib
import sys
import types
from typing import Any

# Of a context function: what it does with an exception that it may catch; true if it has.
CAUGHT = "%caught"


def enter(context: Any) -> Any:
    """The value of `as` in a `with`."""
    return type(context).__enter__(context)


def leave(context: Any) -> None:
    """The end of a `with` that no exception leaves."""
    type(context).__exit__(context, None, None, None)


def caught_by(context: Any) -> tuple[type[BaseException], ...]:
    """The classes of exceptions that a context may catch, or that it looks at."""
    return (BaseException,)


def catches_nothing(context: Any) -> None:
    """Inference refuses a context that may catch an exception."""


def exit_with(context: Any, error: BaseException) -> bool:
    """The end of a `with` that an exception leaves: does the context catch it?"""
    return bool(type(context).__exit__(context, type(error), error, error.__traceback__))


def caught() -> BaseException:
    """The exception that a handler is for."""
    error = sys.exception()
    if error is None:
        raise RuntimeError("No active exception to reraise")
    return error


def discard() -> None:
    """Before a jump out of a `finally`: an exception that went through it is forgotten."""


def returned(generator: Any) -> Any:
    """The value of `yield from`: what the generator returns at its end."""
    raise NotImplementedError  # it is compiled only


def import_module(name: str, top: bool = False) -> Any:
    """`import a.b as c`: the module `a.b`; with `top`, as `import a.b`, the package `a`."""
    module = importlib.import_module(name)
    return sys.modules[name.partition(".")[0]] if top else module


def import_from(module: str, name: str) -> Any:
    """`from module import name`: an attribute, or a module of the package."""
    found = importlib.import_module(module)
    if not hasattr(found, name) and hasattr(found, "__path__"):
        try:
            importlib.import_module(f"{module}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{module}.{name}":
                raise
    try:
        return getattr(found, name)
    except AttributeError:
        message = f"cannot import name {name!r} from {module!r}"
        raise ImportError(message, name=name, path=getattr(found, "__file__", None)) from None


def make_class(name: str, bases: tuple, members: dict, annotations: dict, **keywords: Any) -> type:
    """`class name(*bases, **keywords)` with these members and annotations."""

    def fill(namespace: dict[str, Any]) -> None:
        namespace.update(members)
        namespace["__annotations__"] = annotations

    return types.new_class(name, bases, keywords, fill)


# ----- Patterns

SEQUENCES = (tuple, list, range, collections.deque, array.array, memoryview)
SEQUENCE, MAPPING, MATCH_SELF = 1 << 5, 1 << 6, 1 << 22  # CPython's flags of classes


def is_sequence(x: Any) -> bool:
    """May a sequence pattern match `x`?"""
    return bool(type(x).__flags__ & SEQUENCE)


def is_mapping(x: Any) -> bool:
    """May a mapping pattern match `x`?"""
    return bool(type(x).__flags__ & MAPPING)


def middle(sequence: Any, start: int, stop: int | None) -> list:
    """`*name` of a sequence pattern."""
    return list(sequence)[start:stop]


def items_without(mapping: dict, keys: tuple) -> dict:
    """`**rest` of a pattern that names `keys`."""
    return {key: value for key, value in mapping.items() if key not in keys}


def class_parts(x: Any, cls: type, count: int, *names: str) -> tuple | None:
    """What `count` positional patterns and those of `names` are for; None if `x` lacks one."""
    positional = positional_names(cls, count, names)
    parts = [x] if positional is None else []
    for name in (*(positional or ()), *names):
        try:
            parts.append(getattr(x, name))
        except AttributeError:
            return None
    return tuple(parts)


def positional_names(cls: type, count: int, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """The attributes that positional patterns are for; None: the one pattern is for the object."""
    found = getattr(cls, "__match_args__", None) if count else ()
    itself = found is None and bool(cls.__flags__ & MATCH_SELF)
    found = () if found is None else found
    if not isinstance(found, tuple):
        kind = type(found).__name__
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {kind})")
    allowed = 1 if itself else len(found)
    if count > allowed:
        s = "" if allowed == 1 else "s"
        text = f"accepts {allowed} positional sub-pattern{s} ({count} given)"
        raise TypeError(f"{cls.__name__}() {text}")
    given = found[:count]
    for i, name in enumerate((*given, *names)):
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"__match_args__ elements must be strings (got {kind})")
        if name in (*given, *names)[:i]:
            text = f"got multiple sub-patterns for attribute {name!r}"
            raise TypeError(f"{cls.__name__}() {text}")
    return None if itself else given
