"""Lists: those that grow in loops, and sequences that become arrays.

In: lists whose items are known one by one. Out: buffers, with a row for each item and a length that
may be known at run time only; arrays made of nested sequences.

Read `item_templates.py`, then `growing_lists.py`, which says what decides how many rows a buffer
has. When a list becomes a buffer: `paths/merge_lists.py`; what its length is:
`loops/affine_lengths.py`. `list_slices.py`, `list_edits.py` and `list_searches.py` are Python's
operations on buffers; `item_objects.py`, `list_members.py` and `list_rows.py` are lists of objects
and of lists.
"""
