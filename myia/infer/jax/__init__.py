"""Functions of JAX and of its libraries, traced and translated into our IR.

    in:   a call of a JAX function, with the abstract values of its arguments
    out:  IR that computes its results (derivatives are ours), and the abstract values of these

Read in this order: `tracing/` (a function to a jaxpr, a jaxpr to IR), `rules/` (one translation
rule for each JAX primitive), `objects/` (arguments, results, pytrees and methods of JAX's objects).

Importing this package registers the translation rules.
"""

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
