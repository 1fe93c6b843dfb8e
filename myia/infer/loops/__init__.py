"""Inference of loops.

In: a loop of IR(py) as `LoopCode` (its items, condition and body as Python functions) and the
initial carries. Out: the carries after it; one typed `loop` op, or unrolled code, has been emitted.

Read `loop_forms.py` (the entry: one IR loop, or another form where that fails), `iterables.py`
(what a `for` runs over; `ranges.py`), `iterators.py` (items are given once; `prefetching.py`),
`fixed_point.py` (one IR loop: its carries by iteration to a fixed point), `unrolling.py` (one copy
of the body for each iteration, and when). Lists and arrays that grow or shrink in a loop:
`affine_lengths.py`, `list_steps.py`, `growing_arrays.py`.
"""
