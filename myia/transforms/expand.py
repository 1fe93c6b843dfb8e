"""The expansion of `derivative` ops into ordinary ops, loops and adjoint loops (`rev`).

%y, %g = derivative vjp wrt (0,) of (0,) (%a = %x) seeds (%1) { %b = sin %a; yield %b }
  ->   %y = sin %x
       %2 = cos %x
       %g = mul %1, %2
"""

from __future__ import annotations

from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region
from myia.ir.rewrite import Env, inline
from myia.primitives.core.structured import derivative_p
from myia.transforms.custom import without_rules
from myia.transforms.jvp import jvp_region
from myia.transforms.remat import lower_remats
from myia.transforms.vjp import vjp_region

MODES = {"jvp": jvp_region, "vjp": vjp_region}


def expand_derivatives(function: Function) -> Function:
    """`function` without `derivative` ops; nested ones are expanded innermost first.

    After the last one no derivative rule is needed any more, and it is settled which calls are
    recomputed for a derivative: `custom` and `remat` ops become calls.
    """
    return function.with_region(lower_remats(without_rules(_expand(function.region, {}))))


def _expand(region: Region, env: Env) -> Region:
    """`env` maps the results of expanded ops; values are unique, so one map serves all regions."""
    with Builder() as b:
        for op in region.ops:
            regions = tuple(_expand(r, env) for r in op.regions)
            operands = tuple(env.get(x, x) for x in op.operands)
            if op.primitive is derivative_p:
                env.update(zip(op.results, _expand_derivative(op, operands, regions[0])))
            else:
                append(Op(op.primitive, operands, op.params, regions, op.results, op.span))
    return Region(region.args, tuple(b.ops), tuple(env.get(y, y) for y in region.yields))


def _expand_derivative(op: Op, operands, f: Region):
    derived = MODES[op.params["mode"]](f, op.params["wrt"], op.params["of"])
    return inline(derived, operands)
