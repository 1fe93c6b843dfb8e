"""Functions of `jax.numpy` and the JAX ecosystem: staged at their avals, translated op by op.

Importing this package registers the rules of the translator.
"""

from myia.infer.staging import (
    rules_control,
    rules_elementwise,
    rules_reductions,
    rules_shaping,
)

__all__ = [
    "rules_control",
    "rules_elementwise",
    "rules_reductions",
    "rules_shaping",
]
