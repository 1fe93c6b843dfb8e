"""What compiled code may call by name: handlers of functions and methods, by family."""

from myia.infer.library import containers, numpy_elementwise, python

__all__ = ["containers", "numpy_elementwise", "python"]
