"""Canonicalization: classical optimisations, which also give ops the form that other passes match.

In: typed IR, before or after derivatives. Out: the same program with fewer ops. Three of these do
not keep derivatives, and run only after the last one has been expanded: `simplify.py` (an equation
need not hold for derivatives), `mask_simplification.py` and `lowering.py` (late).

Read first what runs everywhere: `inline.py`, `dce.py`, `cse.py`, `constant_folding.py`, then
`simplify.py` with the equations in `equations/`. `loop_carried_values.py` lifts `cse.py` to the
carried values of loops. `range_comparisons.py` folds what only the ranges of indices decide,
`needless_checks.py` the checks that cannot fail. `shared_sorts.py` joins sorts by the same keys.
"""
