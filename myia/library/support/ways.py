"""In which way a library function is defined: see the table of `library/__init__.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TABLE = "table"
SOURCE = "NumPy source"
TRACED = "traced from JAX"
COMPILE_TIME = "at compile time"
HANDLER = "handler"
WAYS = (TABLE, SOURCE, TRACED, COMPILE_TIME, HANDLER)


_WAYS: dict[Callable[..., Any], str] = {}


def defined_by(way: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """The handler, marked with the way in which it was made."""
    _WAYS[handler] = way
    return handler


def way_of(handler: Callable[..., Any]) -> str:
    """The way in which the function of this handler is defined."""
    return _WAYS.get(handler, HANDLER)
