"""Automatic differentiation: typed IR with `derivative` ops -> typed IR without them.

In: a typed program in which `grad`, `jvp` and `vjp` are `derivative` ops around regions. Out: the
same program with tangents and cotangents computed by ordinary ops, loops, and `rev` (a loop with
its adjoint loop). Nothing is recorded here: `storage/` decides that after the last derivative.

Start with `expand.py`, the entry: innermost derivatives first. Then `jvp.py` (forward mode) and
`vjp.py` (reverse mode) with `vjp_loops.py` and `vjp_rev.py` for loops and their adjoint loops.
These rest on `activity.py` (which values have a derivative), `clone.py`, `cotangents.py` (the
accumulators) with `slice_cotangents.py`, `pullback_order.py`, and `residuals.py` (values that the
reverse sweep reads). `supports/`: where a derivative is not structurally zero, so that a pole in
what a mask leaves out makes no NaN. `jacobians/`: `jacfwd` and `jacrev` as loops over directions.
Ops with rules of their own: `custom.py`, `linear_solve.py`, `remat.py`. `host_calls.py` takes
calls of Python out of what is differentiated. `errors.py` holds what the transforms refuse.
"""
