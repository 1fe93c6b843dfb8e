"""Residuals: which primal values of an iteration are recorded, and which are recomputed.

In: a `rev`. Out: a `SplitAdjoint`, its adjoint in two parts (primal and linear) with the residuals
between them; it emits an iteration forwards, its residuals, and its adjoint. Read
`record_or_recompute.py` (the split and the minimum cut), then `iteration.py` (which values the
forward loop computes anyway, and which are carries of the next iteration).
"""
