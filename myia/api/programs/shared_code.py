"""Functions of one code, such as a lambda that is made anew: they share programs."""

from __future__ import annotations

import functools
from types import FunctionType, MethodType
from typing import Any

from myia.infer.boundary.instances import is_state
from myia.infer.boundary.signature import variables
from myia.infer.registry import is_traced


def shared_code(f: Any) -> Any:
    """What the functions have in common that share programs with `f`; None: there are none."""
    if isinstance(f, functools.partial):
        return shared_code(f.func)
    if isinstance(f, MethodType):
        return shared_code(f.__func__)
    if isinstance(f, FunctionType):
        holds_itself = any(x is f for x in variables(f))
        return None if holds_itself or is_traced(f) else f.__code__
    return type(f) if is_state(f) else None
