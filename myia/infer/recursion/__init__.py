"""Recursion on run-time values: a state machine with an explicit stack of frames.

`calls.py` finds such a recursion while it infers calls, `blocks.py` cuts its functions at their
recursive calls, `machine.py` runs the blocks in a loop (`running.py`: one block); `items.py` gives
loops in blocks their items. `forms.py` says how values travel in registers (`registers.py`) and
frames; `knowledge.py` is what the rounds of the machine have found. `depth.py` bounds recursions
that are inlined.
"""
