"""The program after each stage, run by the reference interpreter, next to plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from myia.ir.core import Function
from myia.pipeline import STAGES, Compilation
from myia.source.diagnostics import MyiaError
from tests.debugging.quantities import Outcome, Quantity

ROOT = Path(__file__).parent.parent.parent
XLA = "xla"
RIGHT = "right after every stage, and on XLA"
WITH_PASSES = ("prepare", "optimize", "finish")


@dataclass(frozen=True)
class Row:
    """`function`: the program after the stage, run by the reference interpreter; None for XLA."""

    stage: str
    outcome: Outcome
    function: Function | None = None


def rows(quantity: Quantity) -> Iterator[Row]:
    """What each stage made of the program gives, then what XLA gives.

    Without XLA, and without further stages, if a stage raises an error.
    """
    try:
        for stage, function in _functions(quantity):
            yield Row(stage, quantity.on_reference(function), function)
    except Failed as failed:
        yield Row(failed.stage, Outcome(error=failed.error))
        return
    yield Row(XLA, quantity.on_xla())


class Failed(Exception):
    """A stage raised an error."""

    def __init__(self, stage: str, error: Exception):
        self.stage, self.error = stage, error


def _functions(quantity: Quantity) -> Iterator[tuple[str, Function]]:
    todo = ["typed", *STAGES]
    try:
        typed = Compilation(quantity.program.function, quantity.pipeline)
        for now in chain([typed], typed.stages()):
            todo.pop(0)
            yield now.stage, now.function
    except Exception as error:
        raise Failed(todo[0], error) from error


def outcome_after(quantity: Quantity, stage: str) -> Outcome:
    """What the program gives after one stage."""
    if stage == XLA:
        return quantity.on_xla()
    try:
        function = next(f for name, f in _functions(quantity) if name == stage)
    except Failed as failed:
        return Outcome(error=failed.error)
    return quantity.on_reference(function)


def first_wrong(quantity: Quantity, found: Iterable[Row]) -> tuple[Row | None, Row | None]:
    """The last row before the first wrong one, and this."""
    before = None
    for row in found:
        if not quantity.is_right(row.outcome):
            return before, row
        before = row
    return before, None


# ----- Where to look


def where(quantity: Quantity, stage: str, error: Exception | None = None) -> str:
    """The part of the compiler that the first wrong stage, or its error, points to."""
    if isinstance(error, MyiaError):
        return "docs/python.md: the program is refused"
    if stage in WITH_PASSES:
        return f"a pass of the stage `{stage}`: the command `bisect` names it"
    if stage == "storage":
        return "what loops store for their reversal, myia/storage/"
    if stage == XLA:
        return "the backend, myia/backends/xla/, or the passing of arguments, myia/api/"
    inference = "the frontend or inference, myia/frontend/ and myia/infer/"
    if quantity.name == "value" and stage == "typed":
        return inference
    adjoint = "the adjoint, myia/transforms/, or a derivative rule in myia/primitives/"
    return f"{adjoint} (if the value is wrong, too: {inference})"


# ----- The table


def report(quantity: Quantity) -> bool:
    """Print the table of a quantity; is every stage right?"""
    found = list(rows(quantity))
    _, wrong = first_wrong(quantity, found)
    which = quantity.worst((wrong or found[-1]).outcome)
    print(title(quantity, which))
    _line(quantity.oracle, quantity.text(quantity.want, which), "difference")
    for row in found:
        mark = "  <-- first wrong stage" if row is wrong else ""
        difference = f"{quantity.difference(row.outcome):.1e}"
        _line(row.stage, quantity.text(row.outcome, which), difference + mark)
    if wrong is not None:
        print(f"  look at {where(quantity, wrong.stage, wrong.outcome.error)}")
    else:
        print(f"  {RIGHT}")
    print()
    return wrong is None


def title(quantity: Quantity, which: int) -> str:
    parts = [quantity.name, quantity.labels(which)]
    trusted = quantity.trusted
    if trusted is not None and not trusted.all():
        sure = f"{quantity.oracle} can be trusted for {trusted.sum()} of {trusted.size} numbers"
        parts.append(f"({sure})")
    return ", ".join(part for part in parts if part)


def _line(name: str, number: str, rest: str) -> None:
    print(f"  {name:<20} {number:<24} {rest}")
