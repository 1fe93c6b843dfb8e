"""Words of random bits, and integers made of them.

In: the state of a bit generator of NumPy, or a seed. Out: the words that NumPy would make, one by
one or many at once, and how the state goes on.

Begin with `pcg64.py` and `mt19937.py`; `seeds.py` makes states, `bounded.py` integers
below a limit.
"""
