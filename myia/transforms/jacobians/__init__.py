"""Jacobians: `derivative jacfwd` and `derivative jacrev` ops -> loops over directions.

In: such an op, whose function has no derivatives left to expand. Out: the function's values, and
the derivatives of its results by its arguments, of one direction for each element, or of a few.

Start with `blocks.py`, which emits them. `patterns.py` finds which elements of an argument each
element of a result depends on, and `colouring.py` what one direction can hold.
"""
