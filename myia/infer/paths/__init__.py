"""Merges of two paths: the branches of an `if`, or the start and the end of a loop iteration.

In: two states (abstract values and heap) that started from one heap. Out: a template that both are
instances of, with a placeholder for each leaf that differs; the values that each path yields for
the placeholders; and the heap after the op.

Read `merge_result.py` (inputs and result), `merge.py` (the walk over two states, its laws), then
its three uses: `merge_branch.py`, `merge_loop.py`, and `refit.py`, which predicts what a loop
changes when it is visited again. `path_values.py` and `merge_template.py` use the result. The parts
of the walk: `merge_arrays.py`, `merge_lists.py`, `choice.py`; which array a name is:
`points_to.py`, `may_alias.py`. `branches.py` infers an `if`; `region_outputs.py` closes regions
that are inferred by themselves.
"""
