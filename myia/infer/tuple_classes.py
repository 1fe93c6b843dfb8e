"""Tuples of classes that users write: made again of their items.

Saved programs import this, without the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def can_be_remade(cls: type) -> bool:
    """Is a tuple of this class its items, so that none of its code is needed to make it?

    `time.struct_time` and its like have more.
    """
    try:
        tuple.__new__(cls, ())
    except TypeError:
        return False
    return True


def new_tuple(cls: type, items: Iterable[Any]) -> Any:
    """A tuple of a class, without the code of the class: it may want other arguments."""
    return tuple.__new__(cls, items)
