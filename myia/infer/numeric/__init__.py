"""Numbers: operands of one dtype and shape, checks of integers and floats, compile-time text.

    in:   abstract numbers and arrays
    out:  IR values of one dtype and shape, with the run-time checks that Python's rules need

Read in this order: `promotion.py` (operands brought to one dtype and shape), `integer_checks.py`
(overflow, division by zero), `nonfinite_checks.py` and
`subnormal_checks.py` (debug mode), `constant_methods.py` (methods of
compile-time objects), `f_strings.py`.
"""
