"""What compiled code may call by name: handlers of functions and methods, by family."""

from myia.infer.library import containers, python

__all__ = ["containers", "python"]
