"""The powers 1.5 and -1.5 by a root, which takes a tenth of the time.

    %z = pow %x, 1.5         ->       %1 = sqrt %x
                                      %z = mul %1, %x

    %z = pow %x, -1.5        ->       %1 = sqrt %x
                                      %2 = div 1.0, %1
                                      %z = div %2, %x

Two divisions, since `x sqrt(x)` may be too small for a number whose reciprocal is one. All but
negative infinity, of which the powers are infinity and 0 and the root is none, come out right by
themselves: -0.0 too. Rounded two or three times, and not once. When no derivative will be taken
any more: that of a power is simpler.
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
    """`function` with powers of one and a half by square roots."""
    return rewrite(function, _by_root)


def _by_root(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not pow or op.operands[0].dtype.kind != "f":
        return None
    x, exponent = op.operands
    n = walk.constant_value(exponent)
    if n not in (1.5, -1.5):
        return None
    root, endless = sqrt(x), eq(x, lift(-math.inf, x.aval))
    if n > 0:
        return [select(endless, math.inf, mul(root, x))]
    return [select(endless, 0, div(div(lift(1, x.aval), root), x))]
