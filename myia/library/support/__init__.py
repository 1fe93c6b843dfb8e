"""What handlers share: arguments, dtypes, formulas, and the three ways to implement a function.

    arguments.py               NumPy's arguments: arrays, dtypes, axes, shapes, flags
    value_formulas.py          formulas on IR values; `value_hypergeometric.py` has more of them
    from_source.py             a function written in NumPy, compiled from its source
    dynamic_variants.py        variants of handlers for dynamic arrays
    ways.py                    in which way a function is defined
    traced.py                  a function of JAX, traced and translated

The third way, evaluation by NumPy at compile time, is in `numpy/compile_time.py`.
"""
