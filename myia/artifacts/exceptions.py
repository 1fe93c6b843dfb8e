"""Exceptions as JSON: their class, what they were made of, and what they hold.

raise OSError(2, "no")    [["builtins", "FileNotFoundError"], "[Errno 2] no", args, [], null]

It is the state of the exception that is written, not how its class made it: where it is raised, no
code of a class written in Python is run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.artifacts.constants import (
    Json,
    NotStorable,
    decoded,
    dtype_name,
    dtype_of,
    encoded,
    looked_up,
)
from myia.infer.boundary.instances import base_of_python, new_exception, slots_of
from myia.source.hidden import Hidden

# ----- To JSON


def exception_json(error: BaseException) -> Json:
    """None: it holds an object that has no form in a file."""
    try:
        return _exception_json(error)
    except (NotStorable, RecursionError):  # an object that holds itself
        return None


def _exception_json(error: BaseException) -> Json:
    cls = type(error)
    _, args, *rest = base_of_python(cls).__reduce__(error)
    state = dict(rest[0] or {}) if rest else {}
    for name, member in slots_of(cls).items():
        if hasattr(error, name):
            state[name] = member.__get__(error)
    held = [[name, _held_json(x)] for name, x in state.items()]
    cause = _held_json(error.__cause__) if error.__suppress_context__ else None
    return [[cls.__module__, cls.__qualname__], _text(error), _items(args), held, cause]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # its class computes with what stands for a number
        return type(error).__name__


def _held_json(x: Any) -> Json:
    if isinstance(x, Hidden):
        return ["hidden"]
    if isinstance(x, BaseException):
        return ["exception", _exception_json(x)]
    if type(x) in (list, tuple):
        return [type(x).__name__, _items(x)]
    if type(x) is dict:
        return ["dict", _items(x.keys()), _items(x.values())]
    if type(x) is np.ndarray:
        return ["array", dtype_name(x.dtype), [*x.shape], x.tobytes().hex()]
    return ["constant", encoded(x)]


def _items(xs: Any) -> list[Json]:
    return [_held_json(x) for x in xs]


# ----- From JSON


def exception_of(told: Json, name: list[str], message: str) -> BaseException:
    """The exception of a check: that of Python, or one of a class that has been imported.

    Of any other class it is a RuntimeError that tells the name; of one that is not as it was when
    the file was saved, it has the message only.
    """
    try:
        return _named(name, message) if told is None else _exception(told)
    except Exception:
        return _named(name, message)


def _exception(told: Json) -> BaseException:
    name, text, args, state, cause = told
    cls = _class(name)
    if cls is None:
        made = _named(name, text)
    else:
        made = new_exception(cls, [*map(_held, args)])
        for key, x in state:
            _set(made, base_of_python(cls), key, _held(x))
    if cause is not None:
        made.__cause__ = _held(cause)
    return made


def _set(error: BaseException, base: Any, name: str, x: Any) -> None:
    member = slots_of(type(error)).get(name) or getattr(base, name, None)
    if member is None:
        error.__dict__[name] = x
    else:
        member.__set__(error, x)


def _class(name: list[str]) -> type[BaseException] | None:
    cls = looked_up(name)
    is_one = cls is not None and issubclass(cls, BaseException) and not hasattr(cls, "__del__")
    return cls if is_one else None


def _named(name: list[str], message: str) -> BaseException:
    cls = _class(name)
    if cls is None:
        return RuntimeError(f"{'.'.join(name)}: {message}")
    if cls.__module__ == "builtins":
        try:
            return cls(message)
        except TypeError:  # of other arguments: UnicodeError
            pass
    made: BaseException = base_of_python(cls).__new__(cls, message)
    return made


def _held(told: Json) -> Any:
    kind, *rest = told
    if kind == "hidden":
        return Hidden()
    if kind == "exception":
        return _exception(rest[0])
    if kind == "list":
        return [*map(_held, rest[0])]
    if kind == "tuple":
        return tuple(map(_held, rest[0]))
    if kind == "dict":
        return dict(zip(map(_held, rest[0]), map(_held, rest[1]), strict=True))
    if kind == "array":
        dtype, shape, data = rest
        return np.frombuffer(bytes.fromhex(data), dtype_of(dtype)).reshape(shape).copy()
    return decoded(rest[0])
