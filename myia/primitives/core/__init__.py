"""The ground of the primitives: constructors, structured ops, and the vocabulary of IR(py).

In: the classes of `ir/primitive.py`. Out: what the families build with, and the ops with regions.

Read `define.py` first (pointwise and linear primitives, constants), then `structured.py` (`if`,
`loop`, `rev`, `call`, `derivative`, `custom`, `remat`) and `emit_structured.py`, which emits them
from Python functions. `region_dataflow.py` is the graph of values through regions; `py.py` lists
the ops of IR(py). `effects.py` (printing), `host_calls.py` (calls of Python) and `barriers.py`
(order of computation) are small.
"""
