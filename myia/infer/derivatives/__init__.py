"""Derivatives that are taken inside compiled code: `derivative` and `remat` ops.

    in:   a call of `grad(f)`, `jvp`, `vjp`, `jacrev`, `hvp`, `checkpoint(f)` and the like
    out:  an op whose region is the inferred function; `transforms/` replaces it

Read in this order: `derivatives.py` (the op; `grad`, `jvp`, `vjp`), `jacobians.py` (`jacfwd` and
`jacrev` as ops, which `transforms/jacobians/` expands), `rematerialized_calls.py` (`checkpoint`).
What these share: `parameters.py`, `argument_copies.py` and `lost_state.py` (the function runs on
copies of its arguments), `by_arrays.py` (derivatives by arrays chosen among all).
"""
