"""Storage: how reversed loops get the primal values that they read."""

from myia.passes.storage.budget import OverBudget, lower_within
from myia.passes.storage.limits import STRATEGIES, Limits
from myia.passes.storage.lower import lower_and_plan, lower_rev
from myia.passes.storage.plan import LoopPlan, Plan

__all__ = [
    "STRATEGIES",
    "Limits",
    "LoopPlan",
    "OverBudget",
    "Plan",
    "lower_and_plan",
    "lower_rev",
    "lower_within",
]
