"""Functions of thirty different NumPy calls each, for `benchmarks/compiling/numpy_calls.py`."""
