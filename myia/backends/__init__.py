"""Backends: typed IR of ordinary loops, branches and calls becomes something that can be called.

`reference/` evaluates it with NumPy: the oracle of the tests. `xla/` compiles it.
"""
