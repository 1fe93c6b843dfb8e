"""The ground floor of storage: costs, limits and checkpointing schedules, without any IR rewriting.

In: ops, sizes in bytes, trip counts. Out: nanoseconds, numbers of snapshots, plans for users.
Read `cost_model.py` (what recomputing and recording cost), `min_cut.py` (the algorithm that weighs
them), `revolve.py` and `memory_limits.py` (how many snapshots and how long a replay block),
`iteration_rows.py` (the buffers of all tapes), then `plan.py` (what `F.plan` prints).
"""
