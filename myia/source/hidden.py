"""What stands in an exception for a number that only the run knows."""

from __future__ import annotations

from typing import NoReturn

HIDDEN = "<run-time value>"


class Hidden:
    """Formats as `HIDDEN`, whatever the format."""

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return HIDDEN


class Unknown(Hidden):
    """One of which nothing can be asked: what an exception would answer is not known either."""

    def __bool__(self) -> NoReturn:
        raise TypeError(HIDDEN)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(HIDDEN)
