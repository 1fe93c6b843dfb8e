"""`staged`: functions that JAX traces instead of us reading their source."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType


def staged(f: Callable) -> Callable:
    """Mark a function that is written to be traced by JAX, as those of JAX's libraries are.

    Called in compiled code, it is run once, with tracers for the arrays that it is given or closes
    over; what it did to them is compiled and differentiated like all else. Its Python runs while
    compiling: control flow on values is refused, and globals are read then, not at every call.
    Called outside of compiled code it is the function that it was.
    """
    marked = f if isinstance(f, FunctionType) else _function(f)
    marked.__myia_staged__ = True
    return marked


def _function(f: Callable) -> Callable:
    """A function that calls `f`."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        return f(*args, **kwargs)

    del call.__wrapped__  # which is not to be read in its place
    return call
