"""Recursion on run-time values: a state machine with an explicit stack of frames.

`calls.py` finds such a recursion while it infers calls, `blocks.py` cuts its functions at their
recursive calls, `machine.py` runs the blocks in a loop; `items.py` gives loops in blocks their
items, and `forms.py` says how values travel in registers and frames.
"""
