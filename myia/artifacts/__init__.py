"""Compiled programs in files: what a program needs to run where its source is not.

In: a file that `myia.save` wrote. Out: a callable. Nothing in a file is executed when it is loaded,
and the compiler is not imported: neither the frontend nor inference nor passes.

Read `container.py` (the file and its checks), `patterns.py` (which arguments a program is for),
`saved_program.py` (a program and its call), `load.py` (`myia.load`).
"""
