"""Parameters of library functions and of their handlers, and which of them may be None."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from myia.infer.domain.values import NONE, Abstract

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

OF_NONE: set[Callable] = set()  # handlers that are called of a value, and of None
KEEPS_NONE: set[Callable] = set()  # handlers of arguments that may be None
KEEPS_VIEWS: set[Callable] = set()  # handlers that take views without dimensions as views


def of_none(handler: Callable) -> Callable:
    """Of None the function is what it is of any value: arguments that may be None are tried."""
    OF_NONE.add(handler)
    return handler


def keeps_none(handler: Callable) -> Callable:
    """The handler takes arguments that may be None as they are."""
    KEEPS_NONE.add(handler)
    return handler


def keeps_views(handler: Callable) -> Callable:
    """The handler takes a view without dimensions as it is; others take its number."""
    KEEPS_VIEWS.add(handler)
    return handler


@functools.cache
def signature_of(function: Any) -> inspect.Signature | None:
    """The signature of a library's function, if it tells; it need not be true (`np.arange`)."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def takes_none(
    handler: Callable, function: Any, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> set[int]:
    """The arguments of parameters whose default is None, by the handler or by the function."""
    of_handler, of_function = signature_of(handler), signature_of(function)
    ours = list(of_handler.parameters.values())[1:] if of_handler else []  # without the context
    theirs = list(of_function.parameters.values()) if of_function else []
    found: set[int] = set()
    for parameters, default in ((ours, NONE), (theirs, None)):
        positional = [p for p in parameters if p.kind in POSITIONAL][: len(args)]
        places = (i for i, p in enumerate(positional) if p.default is default)
        names = {p.name for p in parameters if p.default is default}
        found |= {*places, *(len(args) + i for i, name in enumerate(kwargs) if name in names)}
    return found
