"""A failing program made smaller, as long as it fails in the same way."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

from tests.debugging.compare_stages import XLA, rows
from tests.debugging.quantities import Quantity, quantities
from tests.debugging.subject import subject_of, with_arguments
from tests.fuzz.grammar.generator import Generator, Program
from tests.fuzz.harness import random_checks
from tests.fuzz.shrink import failure_of_random, shrink, start_of


@dataclass(frozen=True)
class Failure:
    """The first wrong stage of a quantity, and how it is wrong: the same for the same mistake."""

    quantity: str
    stage: str
    how: str

    def __str__(self) -> str:
        return f"the {self.quantity} after `{self.stage}`: {self.how}"


def reduce(source: str, rtol: float | None = None) -> tuple[Failure | None, str]:
    """How the program fails, and a smaller one that fails in the same way."""
    found, difference = failure(source, rtol)
    if found is None:
        return None, source
    # A smaller program must not fail by rounding alone.
    rtol = max(rtol or 0.0, min(difference, 1.0) / 100)
    with warnings.catch_warnings(action="ignore"):  # of smaller programs that are none
        return found, shrink(source, lambda text: failure(text, rtol, found.stage)[0] == found)


def failure(
    source: str, rtol: float | None = None, last: str = XLA
) -> tuple[Failure | None, float]:
    """How the text fails in the stages up to `last`, and the difference of the numbers."""
    try:
        found = quantities(subject_of(source), rtol)
    except Exception:  # it is no program
        return None, 0.0
    for quantity in found:
        for row in rows(quantity):
            if not quantity.is_right(row.outcome):
                how = _how(quantity, row.outcome.error)
                return Failure(quantity.name, row.stage, how), quantity.difference(row.outcome)
            if row.stage == last:
                break
    return None, 0.0


def _how(quantity: Quantity, error: Exception | None) -> str:
    if error is not None:
        return start_of(error)
    if quantity.want.error is not None:
        return f"no {type(quantity.want.error).__name__}"
    finite = np.all(np.isfinite(quantity.want.numbers))
    return f"not the {'' if finite else 'infinite '}number of {quantity.oracle}"


def reduce_random(seed: int, which: int, xla: bool) -> tuple[str | None, str]:
    """The same for a random program, by all checks of the random tester."""
    rng = Random(seed)
    program = Generator(rng).program()
    checks = replace(random_checks(rng), xla=xla)

    def how(source: str) -> str | None:
        return failure_of_random(Program(source, program.risky), seed, checks)

    found, source = how(program.source), program.source
    if found is not None:
        source = shrink(source, lambda text: how(text) == found)
    return found and f"{found}, {checks}", with_arguments(source, seed, which)


# ----- Written and printed


def output_of(program: str) -> Path:
    """The file for the smaller program: beside the program, or here for a program by name."""
    return Path(f"{program.removesuffix('.py').replace(':', '_')}.reduced.py")


def report(failure: Failure | str | None, source: str, output: Path) -> bool:
    """Write and print the smaller program; was there nothing to reduce?"""
    if failure is None:
        print("The program does not fail: there is nothing to reduce.")
        return True
    text = f"# {failure}\n\n{source.strip()}\n"
    output.write_text(text)
    print(f"{text}\nwritten to {output}; next:")
    print(f"  python -m tests.debugging bisect --show {output}")
    return False
