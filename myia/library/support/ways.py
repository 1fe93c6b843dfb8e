"""In which way a library function is defined: see the table of `library/__init__.py`."""

from __future__ import annotations

from collections.abc import Callable

TABLE = "table"
SOURCE = "NumPy source"
TRACED = "traced from JAX"
COMPILE_TIME = "at compile time"
HANDLER = "handler"
WAYS = (TABLE, SOURCE, TRACED, COMPILE_TIME, HANDLER)


def defined_by(way: str, handler: Callable) -> Callable:
    """The handler, marked with the way in which it was made."""
    handler.way = way
    return handler


def way_of(handler: Callable) -> str:
    """The way in which the function of this handler is defined."""
    return getattr(handler, "way", HANDLER)
