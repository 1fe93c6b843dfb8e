"""Backends: from typed IR of ordinary loops, branches and calls to something that can be called.

In: a `Function` of typed IR, without derivative ops (the reference backend accepts `rev`, too).
Out: a callable on arrays.

`reference/` evaluates the IR with NumPy, op by op: the oracle of the tests, and the shortest
backend; read it first. `xla/` compiles the IR by way of JAX's primitives.
"""
