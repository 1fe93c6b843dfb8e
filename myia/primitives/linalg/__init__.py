"""Linear algebra on the last two axes of arrays; the other axes are a batch.

In: `dot.py` and the formulas of `matrix_formulas.py`. Out: products, factorizations, solvers and
matrix functions, lowered to XLA's and LAPACK's routines, evaluated by NumPy and SciPy, with the
derivatives of the literature (cited at each rule).

Read `dot.py` and `matrix_formulas.py` first, then `triangular.py` (solves, Cholesky), `lu.py`,
`qr.py`, `eigh_svd.py`, `eig.py`, and last `matrix_functions.py`. `schur_hessenberg.py` has no
derivatives.
"""
