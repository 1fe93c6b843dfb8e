"""Functions of `jax.numpy` and the JAX ecosystem: staged at their avals, translated op by op.

Importing this package registers the rules of the translator.
"""

import myia.infer.jax.formulas.linalg
import myia.infer.jax.formulas.numpy
import myia.infer.jax.formulas.special
import myia.infer.jax.formulas.stats
import myia.infer.jax.objects.tree_at
import myia.infer.jax.objects.tree_functions
import myia.infer.jax.rules.control
import myia.infer.jax.rules.custom
import myia.infer.jax.rules.elementwise
import myia.infer.jax.rules.gather
import myia.infer.jax.rules.linalg
import myia.infer.jax.rules.linear_solve
import myia.infer.jax.rules.ordering
import myia.infer.jax.rules.products
import myia.infer.jax.rules.random
import myia.infer.jax.rules.reductions
import myia.infer.jax.rules.shaping
import myia.infer.jax.rules.sliding_windows
import myia.infer.jax.rules.special
