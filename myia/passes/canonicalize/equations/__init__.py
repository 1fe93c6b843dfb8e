"""The equations of `passes/canonicalize/simplify.py`, a file for each topic."""
