"""The frontend: the source of a Python function -> gast -> core Python -> IR(py)."""

from myia.frontend.load import load

__all__ = ["load"]
