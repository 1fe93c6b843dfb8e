"""Derivatives that are taken inside compiled code: `derivative` and `remat` ops.

    in:   a call of `grad(f)`, `jvp`, `vjp`, `jacrev`, `hvp`, `checkpoint(f)` and the like
    out:  an op whose region is the inferred function; `transforms/` replaces it

Read in this order: `derivatives.py` (the op; `grad`, `jvp`, `vjp`), `jacobians.py` (a loop over a
basis), `rematerialized_calls.py` (`checkpoint`).
"""
