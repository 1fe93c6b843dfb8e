"""SciPy's functions, registered once a program has imported their module.

`traced_table.py` lists functions traced from `jax.scipy`; `matrices.py` has handlers for functions
with primitives of their own.
"""
