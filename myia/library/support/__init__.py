"""What handlers share: arguments, dtypes, formulas, and the ways to implement a function.

    arguments.py               NumPy's arguments: arrays, dtypes, axes, shapes, flags
    value_formulas.py          formulas on IR values; `value_hypergeometric.py` has more of them
    from_source.py             a function written in NumPy, compiled from its source
    dynamic_variants.py        variants of handlers for dynamic arrays
    ways.py                    in which way a function is defined
    traced.py                  a function of JAX, traced and translated
    decimal_digits.py          `round(x, n)` of a Python float

The ways that have no file here: tables (`numpy/ufuncs/ufunc_table.py`), evaluation by NumPy at
compile time (`numpy/compile_time.py`), and handlers, which emit IR themselves.
"""
