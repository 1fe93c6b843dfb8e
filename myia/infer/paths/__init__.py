"""Merges of two paths: the branches of an `if`, or the start and the end of a loop iteration.

In: two states (abstract values and heap) that started from one heap. Out: a template that both are
instances of, with a placeholder for each leaf that differs; the values that each path yields for
the placeholders; and the heap after the op.

Read `branches.py` (the simplest use), `merge_state.py` (inputs and tables of a merge), `merge.py`
(values and objects), `merge_template.py` (what a path yields). Then the merges of arrays:
`merge_arrays.py`, `merge_dynamic_arrays.py`, `one_branch.py`; which array a name is:
`points_to.py`, `may_alias.py`; functions: `function_choice.py`; lists that grow in loops:
`growing_lists.py`, `list_slices.py`, `nested_sequences.py`. `region_outputs.py` closes regions that
are inferred by themselves.
"""
