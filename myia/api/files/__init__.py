"""Compiled programs in files, which `artifacts/` reads.

In: programs that were compiled ahead of time. Out: a file for `myia.load`.

Read `save.py`.
"""
