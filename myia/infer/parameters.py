"""Parameters of library functions and of their handlers, and which of them may be None."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from myia.infer.domain.values import NONE, Abstract

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


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
