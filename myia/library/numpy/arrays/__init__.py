"""Arrays as objects: creation, shapes, views, joining, dtypes, methods.

Read `creation.py` and `shaping.py` first (new arrays; views of another shape), then `joining.py`
(concatenate, stack, split), `diagonals.py`, `ranges.py`, `dtypes.py`, and `array_methods.py` for
attributes and methods that are no functions of NumPy.
"""
