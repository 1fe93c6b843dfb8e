"""Handlers of NumPy's functions: reductions, products, ordering, selection, padding.

    in:   abstract arguments, bound as NumPy binds them
    out:  the abstract result; dtypes and shapes are NumPy's

Start with `ufuncs/` (pointwise functions) and `arrays/` (creation, shapes, joining), then
`reductions.py` and `products.py`. `traced_table.py` and `traced_linalg.py` list functions traced
from JAX, `compile_time.py` functions that NumPy evaluates at compile time, and `refused.py` those
that are refused, with the reasons.
"""
