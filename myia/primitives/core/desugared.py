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


def items_without(mapping: dict, keys: tuple) -> dict:
    """`**rest` of a pattern that names `keys`."""
    return {key: value for key, value in mapping.items() if key not in keys}
