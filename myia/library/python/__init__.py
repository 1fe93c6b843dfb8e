"""Handlers of Python's built-in functions and of modules of mathematics and containers.

sequences.py, folds.py                   sequences, and one result of all items
sorting.py                               sorts by run-time values; `sorted` is in sequences.py
iterators.py, itertools_.py              what a program iterates over
generators.py                            the same over generators
containers.py, collections_.py           methods of lists, dicts and tuples; `collections`
numbers.py, math_.py, cmath_.py          numbers
objects.py, classes.py                   types, attributes, strings; classes made by a program
operator_.py                             the operator module, special methods by name
effects.py                               printing, logging, warnings, clocks, progress bars
statements.py                            what `with`, `import` and patterns call
"""
