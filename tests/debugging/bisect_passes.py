"""The pass that made a number wrong: passes are run one at a time, and left out one at a time."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from myia.ir.core import Function
from myia.ir.printer import to_text
from myia.passes.phase import Pass
from myia.passes.pipeline import PHASES, optimize
from tests.debugging.compare_stages import (
    RIGHT,
    ROOT,
    Row,
    first_wrong,
    outcome_after,
    rows,
    title,
    where,
)
from tests.debugging.quantities import Outcome, Quantity


@dataclass
class Step:
    """One run of one pass, its `number`-th one. `after`: None if it raised `error`."""

    name: str
    number: int
    run: Callable[[Function], Function]
    before: Function
    after: Function | None = None
    error: Exception | None = None

    @property
    def path(self) -> Path:
        return Path(inspect.getfile(inspect.unwrap(self.run)))

    @property
    def file(self) -> str:
        path = self.path
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)

    @property
    def tests(self) -> list[str]:
        """The test file of the pass, at the same place in `tests/`, else the folder."""
        file = Path(self.file)
        folder = Path("tests", *file.parts[1:-1])
        test = folder / f"test_{file.name}"
        if (ROOT / test).exists():
            return [test.as_posix()]
        return [f"{folder.as_posix()}/"] if (ROOT / folder).is_dir() else []

    @property
    def imports(self) -> list[str]:
        """The analyses, equations and other passes that the file of the pass imports."""
        pattern = r"^from (myia\.(?:analysis|passes)\.\S+) import"
        names = re.findall(pattern, self.path.read_text(), re.MULTILINE)
        paths = [name.replace(".", "/") for name in names]
        return [f"{path}{'/' if (ROOT / path).is_dir() else '.py'}" for path in paths]


@dataclass(frozen=True)
class Finding:
    """Where a quantity becomes wrong.

    stage      the first wrong stage; None if there is none
    step       the run of a pass that made it wrong, if the stage consists of passes
    before     what the program gave before that
    after      what it gave after that
    without    the passes without which, each left out alone, the number is right
    """

    stage: str | None
    step: Step | None = None
    before: Outcome | None = None
    after: Outcome | None = None
    without: tuple[str, ...] = ()


def steps(function: Function, stage: str, disable: frozenset[str]) -> list[Step]:
    """The runs of passes that change `function` in a stage, in their order."""
    found: list[Step] = []
    runs: Counter[str] = Counter()

    def apply(each: Pass, before: Function) -> Function:
        runs[each.name] += 1
        step = Step(each.name, runs[each.name], each.function, before)
        found.append(step)
        try:
            step.after = each.function(before)
        except Exception as error:
            step.error = error
            raise Stopped from error
        return step.after

    with suppress(Stopped):
        optimize(function, stage, disable, apply)
    return [step for step in found if step.after is not step.before]


class Stopped(Exception):
    """A pass raised an error."""


def find(quantity: Quantity) -> Finding:
    """Where the quantity becomes wrong."""
    found = list(rows(quantity))
    before, wrong = first_wrong(quantity, found)
    if wrong is None:
        return Finding(None)
    without = tuple(right_without(quantity, wrong.stage, found))
    step, *outcomes = None, before and before.outcome, wrong.outcome
    if before is not None and wrong.stage in PHASES:
        step, *outcomes = _first_wrong_step(quantity, before, wrong)
    return Finding(wrong.stage, step, *outcomes, without)


def _first_wrong_step(
    quantity: Quantity, before: Row, wrong: Row
) -> tuple[Step | None, Outcome, Outcome]:
    """The change that makes the number wrong, and what the program gives before and after it."""
    last = before.outcome
    for step in steps(before.function, wrong.stage, quantity.pipeline.disable):
        after = Outcome(error=step.error) if step.error else quantity.on_reference(step.after)
        if not quantity.is_right(after):
            return step, last, after
        last = after
    return None, before.outcome, wrong.outcome


def right_without(quantity: Quantity, stage: str, found: list[Row]) -> Iterator[str]:
    """The passes without which, each left out alone, the number after `stage` is right."""
    names: list[str] = []
    for before, row in pairwise(found):
        if row.stage in PHASES:
            changes = steps(before.function, row.stage, quantity.pipeline.disable)
            names += [step.name for step in changes]
        if row.stage == stage:
            break
    for name in dict.fromkeys(names):
        without = quantity.without(name)
        if quantity.is_right(outcome_after(without, stage)):
            yield name


# ----- Printed


def report(quantity: Quantity, show: bool) -> bool:
    """Print where the quantity becomes wrong; is it right?"""
    found = find(quantity)
    if found.stage is None:
        print(f"{quantity.name}: {RIGHT}\n")
        return True
    which = quantity.worst(found.after)
    print(title(quantity, which))
    print(f"  stage                {found.stage}")
    if found.step is None:
        print(f"  look at              {where(quantity, found.stage, found.after.error)}")
    else:
        print(f"  pass                 {found.step.name}, run {found.step.number}")
        print(f"  file                 {found.step.file}")
        for name, files in (("its tests", found.step.tests), ("it relies on", found.step.imports)):
            for i, file in enumerate(files):
                print(f"  {'' if i else name:<20} {file}")
    print(f"  {quantity.oracle:<20} {quantity.text(quantity.want, which)}")
    if found.before is not None:
        print(f"  before               {quantity.text(found.before, which)}")
    print(f"  after                {quantity.text(found.after, which)}")
    print(f"  right without        {', '.join(found.without) or 'no pass, left out alone'}")
    if show and found.step is not None:
        print(f"\nbefore {found.step.name}:\n{to_text(found.step.before)}")
        if found.step.after is not None:
            print(f"\nafter {found.step.name}:\n{to_text(found.step.after)}")
    print()
    return False
