"""Inlining: a call is replaced by the ops of its body.

%y = call @square(%a = %x) {        ->      %y.1 = mul %x, %x
  %y.1 = mul %a, %a                         %z = neg %y.1
  yield %y.1
}
%z = neg %y
"""

from __future__ import annotations

from myia.ir.core import Function, Op, Region
from myia.ir.rewrite import Env
from myia.primitives.core.structured import call_p
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def inline(function: Function) -> Function:
    """`function` with every `call`, at any depth, replaced by the ops of its body."""
    return with_region(function, _region(function.region, {}))


def _region(region: Region, env: Env) -> Region:
    ops: list[Op] = []
    _splice(region, env, ops)
    return rebuilt(region, ops, look_up(region.yields, env))


def _splice(region: Region, env: Env, ops: list[Op]) -> None:
    """Append the ops of `region` to `ops`. No op is copied: a body belongs to one call."""
    for op in region.ops:
        if op.primitive is call_p:
            (body,) = op.regions
            env.update(zip(body.args, look_up(op.operands, env), strict=True))
            _splice(body, env, ops)
            env.update(zip(op.results, look_up(body.yields, env), strict=True))
        else:
            ops.append(substituted(op, env, lambda r: _region(r, env)))
