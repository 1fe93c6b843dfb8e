"""What stands in an exception for a number that only the run knows."""

from __future__ import annotations

HIDDEN = "<run-time value>"


class Hidden:
    """Formats as `HIDDEN`, whatever the format."""

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return HIDDEN
