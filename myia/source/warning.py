"""Warnings, at the user's line."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

from myia.source.diagnostics import PUBLIC

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class MyiaWarning(UserWarning):
    """Base of the warnings of this package."""


class CompileWarning(MyiaWarning):
    """A function is compiled again and again."""


MyiaWarning.__module__ = CompileWarning.__module__ = PUBLIC


class StateWarning(MyiaWarning):
    """A differentiated function changes state of its arguments, which is lost."""


def warn(category: type[MyiaWarning], message: str) -> None:
    """Warn at the innermost line that is not of this package."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
