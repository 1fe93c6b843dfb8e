"""Algebraic simplification by the equations in `passes/canonicalize/equations/`, one equation each.

    %1 = neg %x                     ->      %1 = neg %x
    %2 = sub %y, %1                         %2 = add %y, %x
    %3 = dynamic_update_slice %a, %2, %i    %3 = dynamic_update_slice %a, %2, %i
    %4 = dynamic_slice %3, %i               (%4 is %2)

Ops that are no longer used are left to dead code elimination.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Value
from myia.passes.canonicalize.equations import (
    arithmetic,
    branches,
    logic,
    products,
    shaping,
    slices,
    transposes,
)
from myia.passes.canonicalize.equations.define import EQUATIONS, Matcher
from myia.rewriting.walk import Walk, rewrite

TOPICS = (arithmetic, branches, logic, products, shaping, slices, transposes)


def simplify(function: Function) -> Function:
    """`function` with each op rewritten by the first equation that matches, from left to right."""
    return rewrite(function, _simplify)


def _simplify(op: Op, walk: Walk) -> Sequence[Value] | None:
    for equation in EQUATIONS.get(op.primitive, ()):
        found = equation.apply(Matcher(walk), op, *op.operands)
        if found is not None:
            return [found] if isinstance(found, Value) else found
    return None
