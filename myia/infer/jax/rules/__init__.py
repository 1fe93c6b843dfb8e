"""Translation rules: for each primitive of JAX, the ops of our IR that compute the same.

    in:   the operands of an equation of a jaxpr as IR values, and its parameters
    out:  the values of its results

Start with `elementwise.py` and `shaping.py`, whose helpers the others use; then `reductions.py`,
`gather.py` and `control.py` (calls, branches and loops); the rest in any order.
"""
