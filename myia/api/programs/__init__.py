"""The programs of one function, over its calls.

In: the signatures of calls. Out: which of their ints are arguments of a program, and a warning of a
function that is compiled again and again.

Read `learned_integers.py`, `decision_tree.py` (the programs of one signature, by the answers to
their questions), then `recompilation.py`. What a call does beside running a program:
`write_back.py`, `resources.py`, `shardings.py`, `lost_state_warning.py`.
"""
