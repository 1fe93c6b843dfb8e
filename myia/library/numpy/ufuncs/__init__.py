"""ufuncs."""
