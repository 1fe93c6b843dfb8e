"""Induction variables: carried integers of constant step get a closed form in the adjoint.

    for %k < %n (%i = %i0) { %j = add %i, 2; yield %j }      the adjoint reads %i
      ->  the adjoint reads  add %i0, (mul %k, 2)

So they are recomputed, not recorded. This is exact for integers, whose sums wrap around in the same
way in any order.
"""

from __future__ import annotations

from dataclasses import replace

from myia.ir.builder import Builder, append
from myia.ir.core import Region, Value
from myia.ir.rewrite import clone_op
from myia.primitives.core.define import PointwisePrimitive, constant_p
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import add, mul, sub
from myia.primitives.pointwise.logic import convert
from myia.rewriting.def_use import definitions


def substitute_induction_variables(rev: Loop) -> Loop:
    """The `rev` with an adjoint that reads no carry which is an affine function of k."""
    adjoint = rev.adjoint_region
    env: dict[Value, Value] = {}
    with Builder() as b:
        for i, start in enumerate(rev.carries):
            increment = _increment(rev.body, i)
            if increment is not None:
                add_or_sub, step = increment
                if step in definitions(rev.body):
                    append(clone_op(definitions(rev.body)[step], env))
                    step = env[step]
                k = convert(adjoint.args[0], dtype=start.dtype)
                env[adjoint.args[1 + i]] = add_or_sub(start, mul(k, step))
        if not env:
            return rev
        for op in adjoint.ops:
            append(clone_op(op, env))
    yields = tuple(env.get(y, y) for y in adjoint.yields)
    return replace(rev, adjoint=Region(adjoint.args, tuple(b.ops), yields))


def _increment(body: Region, i: int) -> tuple[PointwisePrimitive, Value] | None:
    """(`add` or `sub`, step) if each iteration changes the integer carry `i` by a constant step."""
    x, y = body.args[1 + i], body.yields[i]
    op = definitions(body).get(y)
    if x.aval.dtype.kind not in "iu" or x.aval.ndim or op is None:
        return None
    if op.primitive not in (add, sub):
        return None
    a, step = op.operands
    if a is not x and op.primitive is add:
        a, step = step, a
    is_constant = step not in body.args and (
        step not in definitions(body) or definitions(body)[step].primitive is constant_p
    )
    return (add if op.primitive is add else sub, step) if a is x and is_constant else None
