"""Storage within a budget: all reversed loops of a program in a given number of bytes."""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function
from myia.storage.lower_rev import lower_and_plan
from myia.storage.model.memory_limits import Limits
from myia.storage.model.plan import LoopPlan

BUDGET_STEPS = 64  # the search for a loop's share stops at this fraction of the budget


def lower_within(
    function: Function, limits: Limits, budget: int
) -> tuple[Function, Sequence[LoopPlan]]:
    """As `lower_and_plan`, with at most `budget` bytes of storage where that is possible.

    Every loop has the same limit. Some loops need less than theirs, so a bisection finds the
    largest limit with which the sum fits.
    """
    unlimited = lower_and_plan(function, limits)
    if total_bytes(unlimited[1]) <= budget:
        return unlimited
    least, most = 0, budget
    share, best = budget, lower_and_plan(function, limits.with_budget(0))
    while most - least > budget // BUDGET_STEPS:
        attempt = lower_and_plan(function, limits.with_budget(share))
        if total_bytes(attempt[1]) <= budget:
            least, best = share, attempt
        else:
            most = share - 1
        share = (least + most + 1) // 2
    return best


def total_bytes(plans: Sequence[LoopPlan]) -> int:
    return sum(plan.bytes for plan in plans)
