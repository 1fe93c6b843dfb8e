"""Storage: reversed loops get the primal values that they read, and become ordinary loops.

In: typed IR with `rev` ops, all derivatives taken. Out: typed IR with ordinary loops only, and the
plan of each loop. Tape, online checkpointing and undo logs are chosen loop by loop, last of all, so
derivatives of any order need no special cases.

Read `lower_rev.py` (the walk), `pair_loops.py` (which loop records), `choose_storage.py` (which
storage), then `residuals/`, `tape/`, `checkpointing/` and `undo_log/`; `within_budget.py`
(`memory=`) and `plan_text.py` (`F.plan`) come last. `model/` and `loops/` are the ground floor.
"""

from myia.storage.model.memory_limits import STRATEGIES, Limits, OverBudget
from myia.storage.model.plan import LoopPlan, Plan

# Not `lower_rev` and its like: this is read with the API, they when something is compiled.
__all__ = ["STRATEGIES", "Limits", "LoopPlan", "OverBudget", "Plan"]
