"""Calls of JAX functions on Python objects: arguments, results, pytrees, methods, random keys.

    in:   a call of a function or method of JAX or of one of its libraries
    out:  the abstract value of the object that it returns

Read in this order: `dispatch.py` (which calls are traced), `calls.py` (one traced call),
`tracer_arguments.py` (abstract values to objects with tracers), `pytrees.py` (objects to leaves),
`objects.py` and `at_updates.py` (attributes, methods, `x.at[i]`), `tree_functions.py` and
`tree_at.py` (functions of trees, which run while compiling).
"""
