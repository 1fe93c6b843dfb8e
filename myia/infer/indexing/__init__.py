"""Subscripts: `x[key]` and `x[key] = value` of arrays and containers.

    in:   an object, a subscript, and for a store the value
    out:  a view or an element; or the object after the store

Read in this order: `indexing.py` (the entry; containers), `parse_subscripts.py` (one entry for each
axis; static slices), `integer_arrays.py` (gather and scatter), `masks.py`, and for slices whose
length is known only at run time `dynamic_slices.py` and `dynamic_subscripts.py`.
"""
