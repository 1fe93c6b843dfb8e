"""Compiled programs in files, which `artifacts/` reads.

In: compiled programs. Out: a file for `myia.load`, or an entry of the cache; and programs again.

Read `save.py`, then `entries.py` and `cache.py`.
"""
