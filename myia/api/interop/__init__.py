"""Compiled functions as functions of other libraries, differentiated by their autograd.

In: a Python function that we compile. Out: a function that the other library takes as one of its
own, with our derivatives registered. That library is read when this is asked for, not before.
Begin with `torch_function.py`, which users call, then `torch_autograd.py`, what torch records.
The rules of the inferer are in `infer/derivatives/by_arrays.py`.
"""
