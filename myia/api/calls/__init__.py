"""Calls like an earlier one, which find its program without a signature.

In: the signatures of a call and the program that was found. Out: a function for calls like it.

Read `guards.py`, `guarded_calls.py`, then `shortcuts.py`.
"""
