"""Handlers of Python's built-in functions and of modules of mathematics and containers.

sequences.py, folds.py                   sequences, and one result of all items
iterators.py, itertools_.py              what a program iterates over
containers.py                            methods of lists, dicts and tuples
numbers.py, math_.py, cmath_.py          numbers
objects.py                               types, attributes, strings
operator_.py                             the operator module, special methods by name
effects.py                               printing, logging, warnings, clocks
"""
