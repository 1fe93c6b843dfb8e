"""Functions of NumPy and SciPy that JAX lacks or defines otherwise, composed of JAX's functions.

    in:   the name of a function of NumPy or SciPy
    out:  a function that can be traced, which computes the same

`lookup.py` comes first: it finds the function for a name. The other files hold the compositions,
one file for each module: `numpy.py`, `linalg.py`, `special.py`, `stats.py`;
`distributions.py` frames what `stats.py` and JAX have.
"""
