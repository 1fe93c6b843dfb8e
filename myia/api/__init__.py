"""What users call, with JAX's names. Importing it registers what these names mean in compiled code.

In: Python functions and arguments. Out: what they return, or their derivatives. Read
`transforms.py` (`jit`, `grad`, ...), `options.py` and `inside.py` (their options; calls of them in
compiled code), `dispatch.py` (from a call to its program), `variant.py` (a
compiled program and its results), `watch.py` (are globals and closures unchanged), then the smaller
entries: `custom.py`, `checkpoint.py`, `bounded.py`, `staged.py`, `ahead_of_time.py`,
`check_grads.py`, `jax_rules.py`.
"""

from myia.api import inside, jax_rules

__all__ = ["inside", "jax_rules"]
