"""What users write in their functions, or around them, to direct the compiler.

In: functions and iterables. Out: the same, with a meaning in compiled code: a derivative rule
(`custom.py`, and `jax_rules.py` for JAX's decorators), recomputation (`checkpoint.py`), a bound on
a loop (`bounded.py`), tracing by JAX (`staged.py`), calls of Python at run time (`host.py`).
"""

from myia.api.annotations import jax_rules

__all__ = ["jax_rules"]
