"""Loop transformations: invariant code motion, unrolling, peeling, fission.

In: typed IR with loops. Out: typed IR with the same values, whose loops do less work or have fewer
branches and loop-carried dependences, so that `passes/vectorize` and `passes/idioms` can take them.

Read in this order:
1. `invariant_code_motion.py`: the only pass here that also runs before derivatives are expanded.
2. `unroll.py`: short loops become straight-line code (late).
3. `peeling.py`: the first and last iterations split off (late).
4. `fission.py`: one loop into several. It is no pass of the pipeline: `idioms/matmul.py` calls it.
"""
