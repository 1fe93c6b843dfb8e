"""Functions of thirty different NumPy calls each, for `benchmarks/numpy_calls.py`."""
