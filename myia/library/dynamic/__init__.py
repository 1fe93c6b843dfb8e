"""Handlers for dynamic arrays: variants of NumPy's handlers for arrays whose length is dynamic.

    in:   arguments of which at least one array has a dynamic axis
    out:  the result, dynamic where NumPy's length depends on run-time values

The ordinary handler is given the padded arrays; the masked elements get values that do not change
the result. Read `elementwise.py` first, then `reductions.py`, `products.py`, `ordering.py`.
"""
