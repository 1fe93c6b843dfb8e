"""What is known by name: functions of Python, NumPy and `math`, and methods of built-in types.

A handler is written like the function it stands for, on abstract values:

    @function(np.sum)
    def _sum(ctx, a, axis=NONE, dtype=NONE, out=NONE, keepdims=FALSE): ...

Arguments that may be absent (`Optional`) are forced before the handler sees them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from myia.infer.errors import BadType
from myia.infer.values import Abstract

FUNCTIONS: dict[Any, Callable] = {}
METHODS: dict[tuple[str, str], Callable] = {}  # (kind of object, name)
PROPERTIES: dict[tuple[str, str], Callable] = {}
NAMED: dict[tuple[str, str], Callable] = {}  # (module, name) of the functions we call ourselves

# Packages whose functions are known by name, or not at all: their source is not read.
LIBRARIES = ("numpy", "math", "scipy", "jax", "builtins", "functools", "itertools", "operator")


def function(*callables: Any) -> Callable[[Callable], Callable]:
    """Register a handler for Python callables."""

    def register(handler: Callable) -> Callable:
        for f in callables:
            FUNCTIONS[f] = handler
            module = "numpy" if type(f).__name__ == "ufunc" else getattr(f, "__module__", "")
            NAMED[module or "", getattr(f, "__name__", "")] = handler
        return handler

    return register


def method(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, self, *args, **kwargs)` for methods of `kind`.

    Kinds: "array", "number" (NumPy's scalars), "python" (Python's numbers), "list", "tuple",
    "dict", "str".
    """

    def register(handler: Callable) -> Callable:
        for name in names:
            METHODS[kind, name] = handler
        return handler

    return register


def property_(kind: str, *names: str) -> Callable[[Callable], Callable]:
    """Register a handler `(ctx, self)` for attributes of `kind`."""

    def register(handler: Callable) -> Callable:
        for name in names:
            PROPERTIES[kind, name] = handler
        return handler

    return register


def invoke(ctx, handler: Callable, name: str, args, kwargs) -> Abstract:
    """Call a handler; arguments that do not fit are the user's TypeError."""
    args = [ctx.force(x) for x in args]
    kwargs = {k: ctx.force(x) for k, x in kwargs.items()}
    try:
        inspect.signature(handler).bind(ctx, *args, **kwargs)
    except TypeError as e:
        ctx.fail(BadType, message=f"{name}: {e}")
    return handler(ctx, *args, **kwargs)


def known(f: Any) -> Callable | None:
    """The handler of a Python callable, if there is one."""
    try:
        return FUNCTIONS.get(f)
    except TypeError:  # not hashable
        return None
