"""Rewrites of loops that storage needs before and after it adds its own carries.

In and out: typed IR. Read `induction_variables.py` (before residuals are chosen: integers of
constant step need none), `loop_fusion.py` (a forward body that also records computes each value
once), then `strip_mining.py` (after lowering: snapshots move to an outer loop).
"""
