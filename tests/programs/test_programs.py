"""Whole programs as their authors write them: outcomes, gradients and second derivatives."""

from __future__ import annotations

import pytest

from tests.programs import cases, checks, habit_cases
from tests.programs.cases import Case

pytestmark = pytest.mark.filterwarnings("ignore::myia.CompileWarning")
SLOW = pytest.mark.slow


def calls(differentiated: bool) -> list:
    both = (*cases.CASES, *habit_cases.CASES)
    found = [c for c in both if (c.argnums is not None) == differentiated]
    return [pytest.param(c, id=c.name, marks=[SLOW] if c.slow else []) for c in found]


@pytest.mark.parametrize("case", calls(differentiated=False))
def test_outcomes(case: Case) -> None:
    """The value, what becomes of the arguments, or the exception, as in plain Python."""
    checks.same_outcome(case.f, *case.args)


@pytest.mark.parametrize("case", calls(differentiated=True))
def test_gradients(case: Case) -> None:
    """Gradients against differences of plain Python."""
    for argnum in case.argnums or ():
        checks.right_gradient(case.f, *case.args, argnum=argnum)


@SLOW
@pytest.mark.parametrize("case", calls(differentiated=True))
def test_second_derivatives(case: Case) -> None:
    for argnum in case.argnums or ():
        checks.right_second(case.f, *case.args, argnum=argnum)
