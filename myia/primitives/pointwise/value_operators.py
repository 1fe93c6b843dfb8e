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


for _name, _operator in {
    "__neg__": lambda x: neg(x),
    "__add__": lambda x, y: add(x, y),
    "__radd__": lambda y, x: add(x, y),
    "__sub__": lambda x, y: sub(x, y),
    "__rsub__": lambda y, x: sub(x, y),
    "__mul__": lambda x, y: mul(x, y),
    "__rmul__": lambda y, x: mul(x, y),
    "__truediv__": lambda x, y: div(x, y),
    "__rtruediv__": lambda y, x: div(x, y),
    "__pow__": _power,
    "__rpow__": lambda y, x: pow(x, y),
}.items():
    setattr(Value, _name, _operator)
