"""Which cases of a long sweep run by default: a spread of them; the others are in the slow run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def every(count: int, cases: Sequence[Any]) -> list:
    """All `cases` of a test; by default, each `count`-th of them, from the first one on."""
    slow = pytest.mark.slow
    return [x if i % count == 0 else pytest.param(x, marks=slow) for i, x in enumerate(cases)]
