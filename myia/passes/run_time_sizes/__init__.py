"""Arrays of run-time size: loops over the elements that are there, in place of masked arrays.

In: typed IR in which an array of run-time size is stored at its bound, and masked. Out: typed IR
with loops, whose trip counts are the lengths. Read `valid_elements.py`, the pass, which has
`stores.py` for stores; `valid_ranges.py` says which elements of an array a mask keeps,
`elements.py` computes one of them. `masked_products.py` is a pass of its own.
"""
