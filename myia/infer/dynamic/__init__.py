"""Dynamically sized arrays: access to their elements, and broadcasting.

    in:   arrays with dynamic axes: padded to a bound, with a length known only at run time
    out:  operands of one padded shape, and results with the same dynamic axes

Read `access.py` first (read, write and view dynamic arrays), then `broadcasting.py` (several of
them in one operation, or stored into another). What a dynamic axis is, stands in
`domain/dynamic_axes.py`.
"""
