"""Widening of typed IR: a region rewritten so that each value that varies has one more axis.

What comes in: a region and which of its values vary along the axis (`summary.py`). What goes out:
ops in the current builder that compute all entries of the axis together, or those of a mask. What
the iterations of a loop share (arrays that they store into, sums) is the same as after running them
one by one; examples share nothing that varies.

Who calls it: `passes/vectorize/`, for iterations of loops (`widen_iterations`), after all
derivatives. A batch of `vmap` and the directions of a Jacobian are such loops, too
(`infer/batching/vmap.py`, `transforms/jacobians/blocks.py`): nothing is widened where they are
made. `widen_examples`, which widens a region without a loop, has no caller but its tests.

Read in this order:
- `summary.py`: what the widener is told of a loop; which values vary
- `batching_rules.py`: what an op computes for all entries, a rule for each primitive
- `wide_values.py`: the values, the layout of the axis, the mask
- `one_by_one.py`: ops without a rule, for one entry after the other
- `accesses.py`, `reductions.py`: arrays and sums that all iterations share
- `regions.py`: branches and loops
- `widener.py`: the ops of a region, one by one
"""
