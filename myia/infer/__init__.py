"""Type inference: IR(py) to typed IR, by abstract interpretation.

In: a callable and the signatures of its arguments. Out: a `Program` (`eval/program.py`): a typed
function without calls, objects or dynamic types, with run-time checks and a recipe that rebuilds
Python's result.

The floors, from the ground up; each imports only from those before it:

- `domain/`: abstract values, the heap, dtypes, views, dynamic axes, errors, the context.
- `numeric/`: operands at one dtype and shape, checks of integers and of finite numbers, text.
- `dynamic/`: reading, storing and broadcasting arrays whose size is known only at run time.
- `lists/`: lists as buffers, a row for each item: those that grow in loops, and lists of objects.
- `paths/`: merges of two paths; points-to sets, may-alias edges, code after an error.
- `registry.py`: handlers of functions and methods, by name.
- `boundary/`: signatures of arguments, hidden arguments, results.
- `jax/`: functions that JAX traces.
- `derivatives/`: `grad`, `jvp`, `vjp` and Jacobians as `derivative` ops.
- `batching/`: `vmap` as a loop over the examples.
- `indexing/`, `operators/`: subscripts and operators of Python.
- `loops/`: loops by iteration to a fixed point, unrolling, iterables.
- `attributes.py`: attributes of modules, classes, instances and arrays.
- `recursion/`: recursions on run-time values, as a loop with a stack of frames.
- `generators/`: generators, woven into the loop that takes their items, or resumed.
- `eval/`: the interpreter of IR(py), calls, and the entry `program.py`.
- `custom/`: derivative rules of users.

For a first reading: `domain/values.py`, `domain/heap.py`, `eval/interpreter.py`,
`paths/branches.py`, `loops/fixed_point.py`, `eval/program.py`.
"""
