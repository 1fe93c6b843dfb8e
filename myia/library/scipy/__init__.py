"""SciPy's functions, registered once a program has imported their module.

In: a call of a function of SciPy (`special`, `linalg`, `signal`, `stats`). Out: IR that
computes the result, and its abstract value.

`traced_table.py` lists functions traced from `jax.scipy`; `matrices.py` has handlers for functions
with primitives of their own.
"""
