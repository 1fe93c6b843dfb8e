"""The abstract interpreter of IR(py), and the entry of inference.

In: a callable and signatures of its arguments. Out: a `Program`: a typed function, its hidden
arguments, run-time checks, and the recipe of its result.

Read `interpreter.py` (regions, op by op), `op_handlers.py` (one handler for each op), `calls.py`
(binding and inlining of calls, classes), `handlers.py` (`try`), `tail_calls.py` (tail recursion as
a loop), `program.py` (the entry `infer`, with its four modes). `static_code.py` has Python itself
run loops and calls of which all inputs are known.
"""
