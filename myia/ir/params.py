"""Keys of parameters: equal only for parameters that mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_PLAIN = (int, bool, str, bytes, type(None), np.dtype)


def param_key(value: Any) -> Any:
    """A hashable key of one parameter, equal only for parameters that mean the same.

    Python's `==` does not suffice: `0.0 == -0.0` and `1 == True`, and a NaN differs from itself.
    """
    kind = type(value)
    if kind is float:
        return kind, repr(value)
    if kind in _PLAIN or isinstance(value, np.dtype):
        return kind, value
    if kind is complex:
        return kind, repr(value.real), repr(value.imag)
    if isinstance(value, tuple):
        return kind, tuple(map(param_key, value))
    try:
        hash(value)
    except TypeError:
        return kind, id(value)
    return kind, value


def params_key(params: Mapping[str, Any]) -> Any:
    """The key of all parameters of an op (see `param_key`)."""
    return frozenset((name, param_key(value)) for name, value in params.items()) if params else ()
