"""Warnings, at the user's line."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

from myia.source.diagnostics import PUBLIC
from myia.source.span import Span

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class MyiaWarning(UserWarning):
    """Base of the warnings of this package."""


class CompileWarning(MyiaWarning):
    """A function is compiled again and again, or inside others without its options."""


MyiaWarning.__module__ = CompileWarning.__module__ = PUBLIC


class StateWarning(MyiaWarning):
    """A differentiated function changes state of its arguments, which is lost."""


def warn(category: type[MyiaWarning], message: str, place: Span | None = None) -> None:
    """Warn at a place of the user's code; without one, at the innermost line that is not ours."""
    if place is not None:
        warnings.warn_explicit(message, category, place.file.name, place.line)
        return
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
