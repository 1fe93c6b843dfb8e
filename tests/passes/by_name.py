"""The passes of each stage, by name; wrong ones in their place."""

from __future__ import annotations

import functools
from dataclasses import replace

from myia.ir.core import Function
from myia.passes.pipeline import PHASES


def passes_of(*stages: str) -> dict[str, object]:
    """The functions of the passes of these stages, in the order in which they first run."""
    phases = (phase for stage in stages for phase in PHASES[stage])
    return {each.name: each.function for phase in phases for each in phase.passes}


EVERY = passes_of(*PHASES)


def substitute(monkeypatch, stage: str, name: str, wrong) -> None:
    """The function `wrong` in the place of the pass `name`, in all phases of a stage."""
    before = passes_of(stage)[name]

    @functools.wraps(wrong)
    def run(function: Function) -> Function:
        return wrong(function)

    run.__name__ = name

    def changed(phase):
        passes = tuple(
            replace(each, function=run) if each.function is before else each
            for each in phase.passes
        )
        return replace(phase, passes=passes)

    monkeypatch.setitem(PHASES, stage, tuple(map(changed, PHASES[stage])))
