"""Storage: how reversed loops get the primal values that they read."""

from myia.passes.storage.limits import Limits
from myia.passes.storage.lower import lower_and_plan, lower_rev
from myia.passes.storage.plan import LoopPlan

__all__ = ["Limits", "LoopPlan", "lower_and_plan", "lower_rev"]
