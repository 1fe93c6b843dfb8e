"""The programs of one function, over its calls.

In: the signatures of calls. Out: which of their ints are arguments of a program, and a warning of a
function that is compiled again and again.

Read `learned_integers.py`, `decision_tree.py`, then `recompilation.py`.
"""
