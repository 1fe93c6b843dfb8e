"""Idiom recognition: program fragments that compute what one cheaper operation computes.

In: typed IR. Out: the same program with the fragments replaced. Sums are only reordered where
`reassoc` allows it (cotangents); the sums that a user wrote keep their order.

`matmul.py` recognizes loop nests that accumulate products as matrix products. It reads
`analysis/nest_effects.py` (the effect of a nest on its carried values) and `loops/fission.py`
(the parts of a loop), and emits with `nest_to_arrays.py`; `outer_contraction.py` contracts the loop
around a nest. `matvec.py` does the same for sums over arrays: a weighted sum along an axis is a
matrix-vector product. `short_sums.py`, `row_sums.py` and `sparse_cotangents.py` avoid arrays of
terms. `consecutive_powers.py` is a strength reduction of `pow`; `shift_invariance.py` runs before
derivatives, and saves them.
"""
