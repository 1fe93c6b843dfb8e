"""Functions of `jax.numpy` and the JAX ecosystem: staged at their avals, translated op by op.

Importing this package registers the rules of the translator.
"""

from myia.infer.staging import (
    linalg_formulas,
    numpy_formulas,
    rules_control,
    rules_custom,
    rules_elementwise,
    rules_gather,
    rules_linalg,
    rules_ordering,
    rules_products,
    rules_random,
    rules_reductions,
    rules_shaping,
    rules_special,
    rules_systems,
    rules_windows,
    special_formulas,
    stats_formulas,
    tree_at,
    trees,
)

__all__ = [
    "linalg_formulas",
    "numpy_formulas",
    "rules_control",
    "rules_custom",
    "rules_elementwise",
    "rules_gather",
    "rules_linalg",
    "rules_ordering",
    "rules_products",
    "rules_random",
    "rules_reductions",
    "rules_shaping",
    "rules_special",
    "rules_systems",
    "rules_windows",
    "special_formulas",
    "stats_formulas",
    "tree_at",
    "trees",
]
