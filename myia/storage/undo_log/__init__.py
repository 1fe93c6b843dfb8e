"""Undo logs: adjoint loops restore arrays that the forward loop changes only by stores.

In: a `rev`, and what the adjoints of inner loops restore. Out: the `rev` with an accumulator for
each restored array, whose residuals are the overwritten elements, and for each version of such an
array how it is restored. Read `array_versions.py` of `analysis/` (which ops make versions),
`restoration.py`, `inner_loops.py` (a loop that undoes an inner loop), then `adjoint_with_undo.py`.
"""
