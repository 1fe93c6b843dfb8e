"""The tape: storage with a row for each iteration of a loop with a static bound.

In: a `SplitAdjoint` and the number of iterations. Out: buffers as further carries of the forward
loop, and the adjoint loop that reads them. Read `tape.py`, then `packed_masks.py` (boolean arrays
take a bit for each element).
"""
