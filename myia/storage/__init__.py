"""Storage: how reversed loops get the primal values that they read."""

from myia.storage.lower_rev import lower_and_plan, lower_rev
from myia.storage.model.memory_limits import STRATEGIES, Limits
from myia.storage.model.plan import LoopPlan, Plan
from myia.storage.within_budget import OverBudget, lower_within

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
