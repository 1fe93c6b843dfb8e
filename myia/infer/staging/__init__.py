"""Functions of `jax.numpy` and the JAX ecosystem: staged at their avals, translated op by op.

Importing this package registers the rules of the translator.
"""

from myia.infer.staging import (
    rules_control,
    rules_elementwise,
    rules_linalg,
    rules_random,
    rules_reductions,
    rules_shaping,
    rules_special,
)

__all__ = [
    "rules_control",
    "rules_elementwise",
    "rules_linalg",
    "rules_random",
    "rules_reductions",
    "rules_shaping",
    "rules_special",
]
