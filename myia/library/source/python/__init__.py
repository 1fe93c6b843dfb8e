"""Functions and classes of Python's standard library, written in plain Python.

    in, out:  those of `library/source/`

What Python itself writes in Python (`statistics.median`, most of `random.Random`) is not here: its
own source is compiled.
"""
