"""The frontend: from a Python function to IR(py).

In: a Python function, lambda or method. Out: `py.Code`, an SSA program on Python objects (ops
`py.*`). Nothing is executed or typed here. The steps, in order (`load.py` runs them and caches the
result):

`source_text/` finds the syntax tree of the function in its file; `fence.py` refuses what is outside
the language (diagnostics in `errors.py`); `match.py`, `statements.py`, `desugar/classes.py` and
`generators.py` desugar `match`, `with` and `import`, `class`, and generator expressions;
`rename.py` removes the scopes of comprehensions; `core.py` defines core Python, with one kind of
loop; `scopes.py` classifies names; `liveness.py` analyses them; `desugar/` removes jumps;
`lower.py`, `lower_expr.py`, `conditions.py` and `frame.py` emit SSA. `unparse.py` prints core
Python; `spans.py` locates nodes in the source.
"""
