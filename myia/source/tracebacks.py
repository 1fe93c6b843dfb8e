"""Tracebacks of errors: the user's frames, and one of this package.

    Traceback (most recent call last):
      File "program.py", line 9, in <module>
        step(params, batch)
      File ".../myia/api/calls/guarded_calls.py: the guard of a call", line 40, in call
    IndexError: index 7 is out of bounds for axis 0 with size 3
    at program.py:4

Functions that users call are *edges*: an error that leaves them loses the frames of this package
below, and keeps those of others (a function that `myia.host` calls). An error that nobody has
raised on purpose is a bug of ours, and keeps all. With `MYIA_TRACEBACK=full` in the environment all
errors do.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import os
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

from myia.source.diagnostics import InternalError, MyiaError

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "MYIA_TRACEBACK"
OURS = (f"{Path(__file__).parents[1]}{os.sep}", contextlib.__file__)
LIBRARIES = tuple({f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "purelib")})
RAISE = dis.opmap["RAISE_VARARGS"]


def edge(f: Callable[P, R]) -> Callable[P, R]:
    """`f`, which users call: its errors are shown to them without the frames below."""

    @functools.wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return f(*args, **kwargs)
        except Exception as error:
            raise shown(error)

    return call


def shown(error: Exception) -> Exception:
    """The error to raise at an edge, whose frame is the first of its traceback."""
    if isinstance(error, MyiaError):
        full, error = error, error.told()
        error.__traceback__, error.__cause__ = full.__traceback__, None  # what led to it is ours
    frames = [*_frames(error.__traceback__)]
    if os.environ.get(VARIABLE) == "full" or _is_bug(error, frames):
        return error.with_traceback(frames[0].tb_next)
    rest = None
    for each in reversed(frames):
        if not _is_ours(each):
            rest = TracebackType(rest, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return error.with_traceback(rest)


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_ours(each: TracebackType) -> bool:
    return each.tb_frame.f_code.co_filename.startswith(OURS)


def _is_bug(error: Exception, frames: list[TracebackType]) -> bool:
    """Was it raised neither on purpose nor in a function of the user?"""
    ours = [i for i, each in enumerate(frames) if _is_ours(each)]
    if isinstance(error, (MyiaError, InternalError, OSError)):
        return isinstance(error, InternalError)
    *_, last = ours
    if last + 1 < len(frames):  # in what this package has called
        return frames[last + 1].tb_frame.f_code.co_filename.startswith(LIBRARIES)
    code = frames[last].tb_frame.f_code.co_code
    return code[frames[last].tb_lasti] != RAISE
