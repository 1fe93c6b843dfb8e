"""`vmap`: a function over the examples of a batch.

    in:   a call of `vmap(f, in_axes, out_axes)`
    out:  the function, inferred once, for one example; and a loop of independent iterations

Read in this order: `axes.py` (which arrays hold examples), `one_example.py` (the region of one
example), `vmap.py` (the call), `over_arrays.py` (arrays chosen among all that the arguments hold).
The iterations are made one, on wider arrays, after derivatives: `passes/vectorize/outer_loop.py`.
"""
