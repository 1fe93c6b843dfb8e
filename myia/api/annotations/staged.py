"""`staged`: functions that JAX traces; their source is not read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType


def staged(f: Callable) -> Callable:
    """Mark a function that is written to be traced by JAX, as those of JAX's libraries are.

    Called in compiled code, it is run once, with tracers for the arrays that are its arguments or
    in its closure. The operations on them are compiled and differentiated like any others. Its
    Python runs at compile time: control flow on values is refused, and globals are read then, not
    at every call. Called outside of compiled code it is the function that it was.
    """
    marked = f if isinstance(f, FunctionType) else _function(f)
    marked.__myia_staged__ = True
    return marked


def _function(f: Callable) -> Callable:
    """A function that calls `f`."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        return f(*args, **kwargs)

    del call.__wrapped__  # else the inferer would read its source
    return call
