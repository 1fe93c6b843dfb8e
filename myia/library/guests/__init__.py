"""Objects of other libraries: the classes that stand for theirs, compiled from their source.

In: an object of such a class as an argument, a global, an attribute. Out: IR that its methods make.

Read `classes.py`, then any other.
"""
