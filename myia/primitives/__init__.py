"""The primitives: every operation of the IR, one block each, in the file of its family.

In: `ir/`. Out: `PRIMITIVES`, the registry that lowering, evaluation, the transforms and the
verifier read. A block states the shape rule, the lowering to JAX, the evaluation by NumPy and the
derivative of one operation; no other stage has to know it. (Cost models and some passes name the
primitives that they treat specially.)

`core/` has the constructors of blocks, the ops with regions and the ops of IR(py). Read
`core/define.py`, then `pointwise/transcendental.py` (blocks of one line), then
`core/structured.py`. The families are `pointwise/`, `special/`, `arrays/`, `linalg/` and
`random.py`.

Importing this package fills the registry and gives IR values Python's operators.
"""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
