"""The equations of `passes/simplify.py`, a file for each topic."""
