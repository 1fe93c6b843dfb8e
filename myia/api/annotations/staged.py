"""`staged`: functions that JAX traces; their source is not read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def staged(f: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that is written to be traced by JAX, as those of JAX's libraries are.

    Called in compiled code, it is run once, with tracers for the arrays that are its arguments or
    in its closure. The operations on them are compiled and differentiated like any others. Its
    Python runs at compile time: control flow on values is refused, and globals are read then, not
    at every call. Called outside of compiled code it is the function that it was.

    Raises:
        MyiaError: by a call in compiled code, if tracing the function raises.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np, myia
        >>> @myia.staged
        ... def sums(x):
        ...     return jax.lax.associative_scan(lambda a, b: a + b, x)
        >>> myia.grad(lambda x: sums(x)[1])(np.ones(3))
        array([1., 1., 0.])
    """
    marked = f if isinstance(f, FunctionType) else _function(f)
    vars(marked)["__myia_staged__"] = True
    return marked


def _function(f: Callable[P, R]) -> Callable[P, R]:
    """A function that calls `f`."""

    @functools.wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return f(*args, **kwargs)

    del vars(call)["__wrapped__"]  # else the inferer would read its source
    return call
