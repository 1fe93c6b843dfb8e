"""The text of a value in a message. There is one for every value, and none is long.

Python has no text for an int of more than 4300 digits, and a user's `__repr__` may fail.
"""

from __future__ import annotations

import functools
from typing import Any

MOST_CHARACTERS = 40


def value_text(x: Any) -> str:
    """`repr(x)`, whole; where that raises, what it is: `an int of 20000 bits`."""
    try:
        return repr(x)
    except Exception:  # a user's own code
        if isinstance(x, int):
            return f"an int of {x.bit_length()} bits"
        return f"an object of the class {type(x).__name__}"


def short_text(x: Any) -> str:
    """The same, cut short."""
    text = value_text(x)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."


def callable_name(f: Any) -> str:
    """The name of a function; of a `functools.partial` that of its function; else of the class."""
    while isinstance(f, functools.partial):
        f = f.func
    name = getattr(f, "__name__", None)
    return name if isinstance(name, str) else type(f).__name__


def error_text(error: BaseException) -> str:
    """`str(error)`; a `KeyError` shows its key."""
    try:
        return str(error)
    except Exception:
        return ", ".join(map(value_text, error.args))
