"""Python's operators on abstract values: arithmetic, comparison, truth.

    in:   an operator and its operands
    out:  the abstract result, with IR for what is known only at run time

Read in this order: `operators.py` (arithmetic and bit operators, in-place operators),
`comparison.py` (order, equality, identity, membership), `truth.py` (`bool(x)`, `and`, `or`, `not`).
"""
