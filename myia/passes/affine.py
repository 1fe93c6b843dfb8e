"""Where the trips of a loop touch an array: at `a * k + c`, of known integers, in trip k."""

from __future__ import annotations

from collections.abc import Mapping

from myia.ir.core import Op, Value
from myia.primitives.arithmetic import add, mul, neg, sub
from myia.primitives.define import constant_p

Affine = tuple[int, int]  # a, c of a * k + c
Definitions = Mapping[Value, Op]


def affine(x: Value, k: Value, definitions: Definitions) -> Affine | None:
    """`a, c` when `x` is `a * k + c`, of known integers."""
    if x is k:
        return 1, 0
    op = definitions.get(x)
    if op is None:
        return None
    if op.primitive is constant_p:
        return 0, int(op.params["value"])
    if op.primitive not in _COMBINE:
        return None
    parts = [affine(operand, k, definitions) for operand in op.operands]
    return None if None in parts else _COMBINE[op.primitive](*parts)


def apart(
    x: Value, size: int, extent: int, k: Value, bound: int | None, definitions: Definitions
) -> bool:
    """Do the windows of `size` that start at `x` lie apart for all `k` below `bound`?

    They lie along an axis of this `extent`, and none stands out: it would be moved back.
    """
    found = affine(x, k, definitions)
    if found is None or bound is None:
        return False
    a, c = found
    ends = c, a * (bound - 1) + c
    return abs(a) >= size and all(0 <= end <= extent - size for end in ends)


def _product(x: Affine, y: Affine) -> Affine | None:
    (a, c), (b, d) = x, y
    return None if a and b else (a * d + b * c, c * d)


_COMBINE = {
    add: lambda x, y: (x[0] + y[0], x[1] + y[1]),
    sub: lambda x, y: (x[0] - y[0], x[1] - y[1]),
    neg: lambda x: (-x[0], -x[1]),
    mul: _product,
}
