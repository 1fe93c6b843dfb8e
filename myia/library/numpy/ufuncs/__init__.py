"""NumPy's universal functions: pointwise functions with broadcasting and NumPy's dtypes.

Read `ufuncs.py` first (how a ufunc is registered, its dtypes, `out=` and `where=`), then
`ufunc_table.py` (one line for each ufunc), `ufunc_methods.py` (`reduce`, `accumulate`, `outer`,
`at`), and `vectorize.py` (`np.vectorize`).
"""
