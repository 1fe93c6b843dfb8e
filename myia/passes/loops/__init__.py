"""Loop transformations: rerolling, invariant code motion, unrolling, peeling, fission.

In: typed IR with loops. Out: typed IR with the same values, whose loops do less work or have fewer
branches and loop-carried dependences, so that `passes/vectorize` and `passes/idioms` can take them.

Read in this order:
1. Before derivatives: `rerolling.py`, in the first phase of all (equal loops written one after the
   other become one; `op_forms.py` and `isomorphic_ops.py` find them), and `unroll_over_arrays.py`
   (short loops of elementwise ops on large arrays become straight-line code).
2. `invariant_code_motion.py`: before and after residuals are stored.
3. `unroll.py`: short loops become straight-line code (late).
4. `recurrences.py`: cumulative sums and products become loops (late).
5. `peeling.py`: the first and last iterations split off (late).
6. `repeated_checks.py`, `early_exits.py`: run-time checks and exits that cost less (late).
7. `fission.py`: one loop into several. It is no pass of the pipeline: `idioms/matmul.py` calls it.
"""
