"""The order in which ops are pulled back: what reads elements of an array before what changes it.

    %a.1 = write %u into %a at %i                  %1 = if %p { yield read %a at %j } else { ... }
    %1 = if %p { yield read %a at %j } else ...    %a.1 = write %u into %a at %i

The reverse sweep then has the cotangent of %a, from that of %a.1, when it comes to the branch,
which adds to it in place. In the other order the branch would have to make an array of zeros for
it. The values of a trip are computed in any order, and so they are where a reversal is itself
reversed: its step is run again beside what it was run for.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Op, Value, captures
from myia.ir.dependence import with_dependents

MAX_REBUILT_ELEMENTS = 16  # elements of an array for which zeros may as well be made


def in_pullback_order(ops: Sequence[Op]) -> list[Op]:
    """`ops`, each change of an array after the branches and loops that only read this array."""
    ops = list(ops)
    readers = [op for op in ops if op.regions and any(map(_is_large, captures(*op.regions)))]
    if not readers:
        return ops
    for op in reversed(tuple(ops)):
        changed = {x for x in (*op.operands, *captures(*op.regions)) if _is_changed(x, op)}
        if changed:
            _move(op, [r for r in readers if not changed.isdisjoint(captures(*r.regions))], ops)
    return ops


def _is_large(x: Value) -> bool:
    return x.aval.size > MAX_REBUILT_ELEMENTS


def _is_changed(x: Value, op: Op) -> bool:
    return _is_large(x) and any(y.aval == x.aval for y in op.results)


def _move(op: Op, readers: Sequence[Op], ops: list[Op]) -> None:
    """Move `op`, and what depends on it, behind the last of the `readers` that does not."""
    start = ops.index(op)
    after = ops[start + 1 :]
    dependents = with_dependents(op.results, after)
    free = [i for i, other in enumerate(after) if dependents.isdisjoint(other.results)]
    end = max((i + 1 for i in free if after[i] in readers), default=0)
    passed = [after[i] for i in free if i < end]
    ops[start : start + 1 + end] = [
        *passed,
        *(x for x in ops[start : start + 1 + end] if x not in passed),
    ]
