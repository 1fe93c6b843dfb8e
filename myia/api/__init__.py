"""What users call, with JAX's names. Importing it registers what these names mean in compiled code.

In: Python functions and arguments. Out: what they return, or their derivatives. Read
`transforms.py` (`jit`, `grad`, ...), `transformed.py` (the objects that they return), `options.py`
and `inside.py` (their options; calls of them in compiled code), `dispatch.py` (from a call to its
program), `variant.py` (a compiled program and its results), `programs/` (which program serves a
call), `calls/` (later calls, without a signature), `failed_checks.py`, then `ahead_of_time.py`,
`check_grads.py` and `annotations/`. `files/`, `interop/` and `under_jax/` are other ways to use a
program: from a file, in torch, in functions that JAX transforms.
"""

from myia.api import annotations, inside

__all__ = ["annotations", "inside"]
