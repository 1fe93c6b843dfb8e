"""Attributes that may be missing: a property, or `__getattr__`, may raise AttributeError.

The functions here are source, which is compiled as the user's functions are: what raises may
depend on run-time values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def has_attribute(x: Any, name: str) -> bool:
    try:
        getattr(x, name)
    except AttributeError:
        return False
    return True


def attribute_or_default(x: Any, name: str, default: Any) -> Any:
    try:
        return getattr(x, name)
    except AttributeError:
        return default


def computed_or_fallback(x: Any, compute: Callable, fallback: Callable, name: str) -> Any:
    """The property `compute`; where it is missing, what the method `__getattr__` finds."""
    try:
        return compute(x)
    except AttributeError:
        pass
    return fallback(name)
