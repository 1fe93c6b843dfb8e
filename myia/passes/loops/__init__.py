"""Loop transformations: rerolling, invariant code motion, unrolling, peeling, fission.

In: typed IR with loops. Out: typed IR with the same values, whose loops do less work or have fewer
branches and loop-carried dependences, so that `passes/vectorize` and `passes/idioms` can take them.

Read in this order:
1. `rerolling.py`: equal loops written one after the other become one (before all other passes);
   `op_forms.py` and `isomorphic_ops.py` find them.
2. `invariant_code_motion.py`: the only other pass here that runs before residuals are stored.
3. `unroll.py`: short loops become straight-line code (late).
4. `recurrences.py`: cumulative sums and products become loops (late).
5. `peeling.py`: the first and last iterations split off (late).
6. `fission.py`: one loop into several. It is no pass of the pipeline: `idioms/matmul.py` calls it.
"""
