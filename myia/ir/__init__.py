"""The intermediate representation: one data structure, two vocabularies of ops.

In SSA form: a function is a closed region; a region has arguments, ops and yields; an op may have
regions (`if`, `loop`). Everything is immutable. IR(py) has the ops `py.*` on Python objects; typed
IR has ops on arrays of known dtype and shape.

Nothing here depends on the rest of the compiler. Read `core.py` (the whole data structure, one
page), `avals.py`, `primitive.py` (what an operation is) and `builder.py` (makes ops, typed by their
shape rules). Then `printer.py` and `parser.py` (the text form, with its grammar) and `verifier.py`
(the invariants). `rewrite.py` copies with substitution, `dependence.py` computes slices of a
program, `equality.py` compares programs, `code.py` holds the functions of IR(py).
"""
