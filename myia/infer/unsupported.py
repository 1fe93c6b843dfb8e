"""What is not compiled, by families: a function, method, attribute or operation.

The name of a family is its code, which messages end with and users look up.
"""

from __future__ import annotations

from myia.source.diagnostics import Diagnostic

# Pages of the documentation, by title: an installed package has no files of them.
NUMPY_PAGE = "see 'NumPy and SciPy' in the documentation"
PYTHON_PAGE = "see 'The Python that compiles' in the documentation"


class Unsupported(Diagnostic):
    title = "{what} is not supported"
    label = "{label_text}"
    help = "{help_text}"

    what: str
    label_text: str = ""
    help_text: str = "write it with supported operations, or compute it outside and pass it in"


class UnsupportedFunction(Unsupported):
    """A function of a library, or its use with these arguments or options."""


class UnsupportedAttribute(Unsupported):
    """A method or an attribute of an object, or a question about the object."""


class UnsupportedOperator(Unsupported):
    """An operator or a comparison between values of these types."""


class UnsupportedIndex(Unsupported):
    """An index of this kind, or a store or deletion by it."""


class UnsupportedSize(Unsupported):
    """A use of an array whose size is known only at run time."""


class UnsupportedContainer(Unsupported):
    """A use of a list, dict or set whose structure would be known only at run time."""


class UnsupportedIteration(Unsupported):
    """A loop over this, or an iterator used in this way."""


class UnsupportedGenerator(Unsupported):
    """A generator used in this way."""


class UnsupportedRecursion(Unsupported):
    """A recursion on run-time values in this form."""


class UnsupportedException(Unsupported):
    """An exception of this kind, raised or caught."""


class UnsupportedContext(Unsupported):
    """A `with` statement, a filter of warnings, a mode of `np.errstate`."""


class UnsupportedClass(Unsupported):
    """A class that is defined inside a compiled function."""


class UnsupportedText(Unsupported):
    """A string that depends on run-time values, or what would print it."""


class UnsupportedBoundary(Unsupported):
    """An argument, a global or a result of a compiled function."""


class UnsupportedDerivative(Unsupported):
    """A derivative that is taken inside of compiled code, or a rule of one."""


class UnsupportedBatch(Unsupported):
    """What `vmap` cannot do for all examples at once."""


class UnsupportedHostCall(Unsupported):
    """A call of the host (`myia.host`)."""


class UnsupportedRandom(Unsupported):
    """A generator of random numbers, or its seed."""


class UnsupportedJax(Unsupported):
    """An operation of a function that is traced from JAX."""
