"""Arrays of run-time size: loops over the elements that are there, in place of masked arrays.

Read `valid_elements.py`, the pass; `valid_ranges.py` says which elements of an array a mask keeps,
`elements.py` computes one of them.
"""
