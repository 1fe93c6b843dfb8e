"""Canonicalization: classical optimisations, which also give ops the form that other passes match.

In: typed IR, before or after derivatives. Out: the same program with fewer ops. Apart from the two
passes marked (late) below, all of these keep derivatives: they may run before `expand_derivatives`.

Read first what runs everywhere: `inline.py`, `dce.py`, `cse.py`, `constant_folding.py`, then
`simplify.py` with the equations in `equations/`. `loop_carried_values.py` lifts `cse.py` to the
carried values of loops. `range_comparisons.py` folds what only the ranges of indices decide,
`needless_checks.py` the checks that cannot fail. The last two are for the time after the last
derivative: `mask_simplification.py` (late) and `lowering.py` (late).
"""
