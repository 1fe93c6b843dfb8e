"""Python's operators on abstract values: arithmetic, comparison, truth.

    in:   an operator and its operands
    out:  the abstract result, with IR for what is known only at run time

Read in this order: `operators.py` (arithmetic and bit operators, in-place operators),
`special_methods.py` (`__add__`, `__radd__`, ... of classes), `numpy_operands.py` (NumPy's
conversions), `comparison.py` (order, equality, membership), `identity.py` (`is`), `truth.py`
(`bool(x)`, `and`, `or`, `not`).
"""
