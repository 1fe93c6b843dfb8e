"""What compiled code may call by name: handlers of functions and methods, by family."""

from myia.infer.library import (
    array_methods,
    containers,
    math_,
    numpy_creation,
    numpy_diagonals,
    numpy_dtypes,
    numpy_elementwise,
    numpy_ranges,
    numpy_reductions,
    numpy_selecting,
    numpy_shaping,
    numpy_statistics,
    python,
)

__all__ = [
    "array_methods",
    "containers",
    "math_",
    "numpy_creation",
    "numpy_diagonals",
    "numpy_dtypes",
    "numpy_elementwise",
    "numpy_ranges",
    "numpy_reductions",
    "numpy_selecting",
    "numpy_shaping",
    "numpy_statistics",
    "python",
]
