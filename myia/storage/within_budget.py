"""Storage for all loops of a program within a number of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.core import Function
from myia.source.diagnostics import Diagnostic
from myia.storage.lower_rev import lower_and_plan
from myia.storage.model.memory_limits import Limits
from myia.storage.model.plan import LoopPlan

PRECISION = 64  # the share of a loop is looked for to this part of the budget


@dataclass(frozen=True)
class OverBudget(Diagnostic):
    """The user's budget does not suffice for the program at these arguments."""

    title = "the program does not fit into {budget:,} bytes of temporaries"
    notes = ("the least that it takes is {least:,} bytes",)
    help = "raise `memory`"

    budget: int
    least: int


def lower_within(
    function: Function, limits: Limits, budget: int
) -> tuple[Function, Sequence[LoopPlan]]:
    """As `lower_and_plan`, with at most `budget` bytes of storage if there is a way.

    Every loop may take an equal share; the largest share is looked for with which the sum fits,
    since some loops need less than theirs.
    """
    found = lower_and_plan(function, limits)
    if total(found[1]) <= budget:
        return found
    least, most = 0, budget
    share, best = budget, lower_and_plan(function, limits.with_budget(0))
    while most - least > budget // PRECISION:
        tried = lower_and_plan(function, limits.with_budget(share))
        if total(tried[1]) <= budget:
            least, best = share, tried
        else:
            most = share - 1
        share = (least + most + 1) // 2
    return best


def total(plans: Sequence[LoopPlan]) -> int:
    return sum(plan.bytes for plan in plans)
