"""Counters are inverted, not recorded.

    for %k < %n (%i = %i0) { %j = add %i, 2; yield %j }      the adjoint reads %i
      ->  the adjoint reads  add %i0, (mul %k, 2)

True for integers, whose sums wrap around in the same way in any order.
"""

from __future__ import annotations

from dataclasses import replace

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import clone_op
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add, mul, sub
from myia.primitives.pointwise.logic import convert


def invert_counters(parts: Loop) -> Loop:
    """The `rev` with an adjoint that reads no carry that is an affine function of k."""
    adjoint = parts.adjoint
    definitions = {y: op for op in parts.body.ops for y in op.results}
    env: dict[Value, Value] = {}
    with Builder() as b:
        for i, start in enumerate(parts.carries):
            found = _increment(parts.body, i, definitions)
            if found is not None:
                step, amount = found
                if amount in definitions:
                    append(clone_op(definitions[amount], env))
                    amount = env[amount]
                k = convert(adjoint.args[0], dtype=start.dtype)
                env[adjoint.args[1 + i]] = step(start, mul(k, amount))
        if not env:
            return parts
        for op in adjoint.ops:
            append(clone_op(op, env))
    yields = tuple(env.get(y, y) for y in adjoint.yields)
    return replace(parts, adjoint=Region(adjoint.args, tuple(b.ops), yields))


def _increment(body: Region, i: int, definitions: dict[Value, Op]):
    """(`add` or `sub`, amount) when each trip changes the integer carry `i` by a fixed amount."""
    x, y = body.args[1 + i], body.yields[i]
    op = definitions.get(y)
    if x.aval.dtype.kind not in "iu" or x.aval.ndim or op is None:
        return None
    if op.primitive not in (add, sub):
        return None
    a, amount = op.operands
    if a is not x and op.primitive is add:
        a, amount = amount, a
    fixed = amount not in body.args and (
        amount not in definitions or definitions[amount].primitive is constant_p
    )
    return (op.primitive, amount) if a is x and fixed else None
