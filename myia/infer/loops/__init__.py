"""Inference of loops.

In: a loop of IR(py) as `LoopCode` (its items, condition and body as Python functions) and the
initial carries. Out: the carries after it; one typed `loop` op, or unrolled code, has been emitted.

Read `iterables.py` (what a `for` runs over), `iterators.py` (their items are given once),
`fixed_point.py` (one IR loop: its carries by iteration to a fixed point), `affine_lengths.py`
(lists and arrays that grow or shrink in it), `unrolling.py` (one copy of the body for each
iteration, and when).
"""
