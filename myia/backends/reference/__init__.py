"""The reference backend: an interpreter that evaluates typed IR with NumPy, op by op.

In: a `Function` of typed IR at any stage; `rev` is evaluated directly, from its definition. Out:
arrays. It uses `evaluate` of each primitive and no compilation, so tests compare every stage of the
pipeline with it, and XLA's results with its own. Read `interpreter.py`, the only file.
"""
