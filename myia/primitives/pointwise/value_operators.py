"""Python's operators on IR values: a derivative rule reads like its formula.

    partials=[lambda y, x: 1 - y * y]

The other operand may be a Python number: it becomes a constant of the value's aval. Comparisons are
not here: values are compared by identity.
"""

from __future__ import annotations

from myia.ir.core import Value
from myia.primitives.pointwise.arithmetic import add, div, integer_pow, mul, neg, pow, sub


def _power(x: Value, y: Value | float) -> Value:
    return integer_pow(x, y=y) if isinstance(y, int) else pow(x, y)


Value.__neg__ = lambda x: neg(x)
Value.__add__ = lambda x, y: add(x, y)
Value.__radd__ = lambda y, x: add(x, y)
Value.__sub__ = lambda x, y: sub(x, y)
Value.__rsub__ = lambda y, x: sub(x, y)
Value.__mul__ = lambda x, y: mul(x, y)
Value.__rmul__ = lambda y, x: mul(x, y)
Value.__truediv__ = lambda x, y: div(x, y)
Value.__rtruediv__ = lambda y, x: div(x, y)
Value.__pow__ = _power
Value.__rpow__ = lambda y, x: pow(x, y)
