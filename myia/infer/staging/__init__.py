"""Functions of `jax.numpy` and the JAX ecosystem: staged at their avals, translated op by op."""
