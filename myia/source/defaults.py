"""The defaults of a function, by parameter, in the order of the parameters of its source."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def keyword_defaults(f: FunctionType) -> dict[str, Any]:
    """`__kwdefaults__` in the order of the parameters."""
    code, given = f.__code__, f.__kwdefaults__ or {}
    first = code.co_argcount
    names = code.co_varnames[first : first + code.co_kwonlyargcount]
    return {name: given[name] for name in names if name in given}


def defaults_of(f: FunctionType) -> dict[str, Any]:
    """Defaults by parameter, in the order of the parameters."""
    count, defaults = f.__code__.co_argcount, f.__defaults__ or ()
    names = f.__code__.co_varnames[count - len(defaults) : count]
    return dict(zip(names, defaults)) | keyword_defaults(f)
