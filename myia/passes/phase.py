"""The records of the table of passes (`pipeline.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from myia.ir.core import Function


@dataclass(frozen=True)
class Pass:
    """One pass at its place in a stage.

    why      in one sentence: what it is for, at this place
    needs    passes that must run before it: in the same stage, or in an earlier one
    before   passes of the same stage that must run after it
    on       the platforms on which it pays; none: on all
    """

    function: Callable[[Function], Function]
    why: str
    needs: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    on: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass(frozen=True)
class Phase:
    """Passes with one purpose, in the order in which they run.

    once     it runs once, before the rounds of its stage
    stable   it runs until nothing changes, in each round of its stage
    """

    name: str
    why: str
    passes: tuple[Pass, ...]
    once: bool = False
    stable: bool = False
