"""Run-time checks that the ranges of integers exclude are not made.

    while %p (%i = 0, %e = 0) {                  while %p (%i = 0, %e = 0) {
      %j = add %i, 1                               %j = add %i, 1
      %o = ... does %j overflow?
      %z = eq %e, 0                        ->
      %c = and %o, %z
      %e' = select %c, 3, %e
      yield %j, %e'                                yield %j, %e
    }                                            }

Inference knows the ranges of integers that no loop changes. A counter is changed: whether it
overflows is found here. The number of the check that failed makes a loop differ from an equal one,
which then is not recognised as the same (`cse.py`); its condition has to test the number; and the
iterations depend on each other.

Only programs with checks are looked at: of other comparisons `range_comparisons.py` decides more.
Under `vmap` nothing is raised, but a test of overflow, an `xor`, still ends the loop of an example.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.analysis.integer_ranges import decided_comparisons
from myia.ir.avals import BOOL
from myia.ir.core import Function, Op, Value, walk
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.rewriting.walk import Walk, rewrite


def needless_checks(function: Function) -> Function:
    """`function` without checks that cannot fail."""
    has_checks = function.checks or any(op.primitive is logic.xor for op in walk(function.region))
    decided = decided_comparisons(function) if has_checks else {}
    if not decided:
        return function

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if len(op.results) == 1 and op.results[0] in decided:
            return [constant(decided[op.results[0]], bool)]
        if op.primitive is logic.select:
            known = walk.constant_value(op.operands[0])
            return None if known is None else [op.operands[1 if known else 2]]
        if op.primitive in (logic.and_, logic.or_) and op.results[0].aval == BOOL:
            for x, y in (op.operands, op.operands[::-1]):
                known = walk.constant_value(x)
                if known is not None:
                    return [y if bool(known) == (op.primitive is logic.and_) else x]
        return None

    return rewrite(function, rule)
