"""Library functions written in NumPy, compiled from this source when a program calls them.

    in:   the arguments of a call, bound to the parameters of the function here
    out:  the result of inferring its body, like a user's function

The code is read by the compiler, so it is plain NumPy without tricks. Read
`support/from_source.py` first, then any file: each holds one family of functions.
"""
