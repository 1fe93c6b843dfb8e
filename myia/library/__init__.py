"""The library: what compiled code may call of Python, NumPy, SciPy and JAX, registered by name.

    in:   a call of a library function on abstract values (`infer/registry.py` finds the handler)
    out:  IR that computes the result, and its abstract value

A function is defined in one way, the first of these that serves:

    table               a ufunc: a primitive or a formula (`numpy/ufuncs/ufunc_table.py`)
    NumPy source        the default: derivatives, run-time sizes and errors come free (`source/`)
    traced from JAX     JAX's function has exactly NumPy's semantics (`support/traced.py`)
    at compile time     its arguments are known at compile time (`numpy/compile_time.py`)
    handler             views, static arguments, mutation, dtype rules, speed: it emits IR

Handlers are marked with their way (`support/ways.py`); `docs/numpy.md` lists the functions of each.
What becomes of dynamic arrays is declared where a handler is registered
(`support/dynamic_variants.py`).

Read `support/` first, then `numpy/`, `python/`, `scipy/` and `source/`. Importing this package
registers all of them, in any order.
"""

import myia.library.numpy.arrays.array_methods
import myia.library.numpy.arrays.creation
import myia.library.numpy.arrays.diagonals
import myia.library.numpy.arrays.dtypes
import myia.library.numpy.arrays.joining
import myia.library.numpy.arrays.ranges
import myia.library.numpy.arrays.shaping
import myia.library.numpy.compile_time
import myia.library.numpy.einsum
import myia.library.numpy.option_checks
import myia.library.numpy.ordering
import myia.library.numpy.products
import myia.library.numpy.reductions
import myia.library.numpy.refused
import myia.library.numpy.repeat_and_pad
import myia.library.numpy.selecting
import myia.library.numpy.subscripts
import myia.library.numpy.traced_linalg
import myia.library.numpy.traced_table
import myia.library.numpy.ufuncs.ufunc_methods
import myia.library.numpy.ufuncs.ufunc_table
import myia.library.numpy.ufuncs.vectorize
import myia.library.python.containers
import myia.library.python.folds
import myia.library.python.iterators
import myia.library.python.itertools_
import myia.library.python.math_
import myia.library.python.numbers
import myia.library.python.objects
import myia.library.python.sequences
import myia.library.scipy.matrices
import myia.library.scipy.traced_table
import myia.library.source.conjugate_gradients
import myia.library.source.histograms
import myia.library.source.in_place
import myia.library.source.lax_control
import myia.library.source.linalg
import myia.library.source.matrices
import myia.library.source.polynomials
import myia.library.source.sets
import myia.library.source.shapes
import myia.library.source.statistics
import myia.library.source.tolerances
import myia.library.source.ufunc_reductions
