"""Lists: those that grow in loops, and sequences that become arrays.

In: lists whose items are known one by one. Out: buffers, with a row for each item and a length that
may be known at run time only; arrays made of nested sequences.

Read `item_templates.py`, then `growing_lists.py`. When a list becomes a buffer:
`paths/merge_lists.py`; what its length is: `loops/affine_lengths.py`.
"""
