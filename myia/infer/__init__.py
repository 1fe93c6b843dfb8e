"""Type inference: IR(py) to typed IR, by abstract interpretation.

In: a callable and the signatures of its arguments. Out: a `Program` (`eval/program.py`): a typed
function without calls, objects or dynamic types, with run-time checks and a recipe that rebuilds
Python's result.

The floors, from the ground up; each imports only from those before it:

- `domain/`: abstract values, the heap, dtypes, views, dynamic axes, errors, the context.
- `numeric/`: operands at one dtype and shape, checks of integers and of finite numbers, text.
- `dynamic/`: reading, storing and broadcasting arrays whose size is known only at run time.
- `registry.py`: handlers of functions and methods, by name.
- `paths/`: merges of two paths; points-to sets, may-alias edges, growing lists.
- `boundary/`: signatures of arguments, hidden arguments, results.
- `indexing/`, `operators/`, `attributes.py`: subscripts, operators and attributes of Python.
- `loops/`: loops by iteration to a fixed point, unrolling, iterables.
- `recursion/`: recursions on run-time values, as a loop with a stack of frames.
- `derivatives/`: `grad`, `jvp`, `vjp` and Jacobians of abstract functions.
- `eval/`: the interpreter of IR(py), calls, and the entry `program.py`.
- `custom/`: derivative rules of users. `jax/`: functions that JAX traces.

For a first reading: `domain/values.py`, `domain/heap.py`, `eval/interpreter.py`,
`paths/branches.py`, `loops/fixed_point.py`, `eval/program.py`.
"""
