"""`@program(*args)` registers a function with its arguments; the first is differentiated."""

from __future__ import annotations

import pytest

PROGRAMS = []


def program(*args):
    def register(f):
        PROGRAMS.append(pytest.param(f, args, id=f.__name__))
        return f

    return register
