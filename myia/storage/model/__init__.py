"""The ground floor of storage: limits and checkpointing schedules, without any IR rewriting.

In: costs (`analysis/cost_model.py`), sizes in bytes, trip counts. Out: numbers of snapshots, plans
for users. Read `min_cut.py` (the algorithm by which `residuals/` chooses what is recorded),
`revolve.py` and `memory_limits.py` (how many snapshots and how long a replay block), then `plan.py`
(what `F.plan` prints).
"""
