"""The library: what compiled code may call of Python, NumPy, SciPy and JAX, registered by name.

    in:   a call of a library function on abstract values (`infer/registry.py` finds the handler)
    out:  IR that computes the result, and its abstract value

A function is implemented in one of five ways: by a line in a table of ufuncs, from NumPy source
(`source/`), traced from JAX (`support/traced.py`), evaluated at compile time, or by a handler that
emits IR. CONTRIBUTING.md says when to take which. Read `support/` first, then `numpy/`, `python/`,
`scipy/` and `source/`. Importing this package registers all of them.
"""

# isort: off
# The order matters:
# `source.ufunc_reductions` adds the methods of ufuncs that have no handler yet.
import myia.library.numpy.arrays.array_methods
import myia.library.numpy.arrays.creation
import myia.library.numpy.arrays.diagonals
import myia.library.numpy.arrays.dtypes
import myia.library.numpy.arrays.joining
import myia.library.numpy.arrays.ranges
import myia.library.numpy.arrays.shaping
import myia.library.numpy.ufuncs.ufunc_table
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
import myia.library.numpy.ufuncs.vectorize
import myia.library.python.containers
import myia.library.python.folds
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
