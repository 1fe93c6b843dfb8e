"""The order in which ops are pulled back: arrays are read by branches before they are changed.

    %a.1 = write %u into %a at %i                  %1 = if %p { yield read %a at %j } else { ... }
    %1 = if %p { yield read %a at %j } else ...    %a.1 = write %u into %a at %i

The reverse sweep then comes to the branch with a cotangent of %a, from that of %a.1, and the branch
adds to it in place. In the other order the branch would have to make an array of zeros for it.

Reordering is safe: any order in which definitions precede uses computes the same values. It matters
also where a `rev` is differentiated again: the step that it recomputes is then reordered, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Op, Value, captures
from myia.ir.dependence import with_dependents

MAX_REBUILT_ELEMENTS = 16  # of an array: zeros for it cost little


def in_pullback_order(ops: Sequence[Op]) -> list[Op]:
    """`ops`, with each change of an array after the branches and loops that only read the array."""
    ops = list(ops)
    readers = [op for op in ops if op.regions and any(map(_is_large, captures(*op.regions)))]
    if not readers:
        return ops
    for op in reversed(tuple(ops)):
        updated = {x for x in (*op.operands, *captures(*op.regions)) if _is_updated(x, op)}
        if updated:
            _move_behind(
                op, [r for r in readers if not updated.isdisjoint(captures(*r.regions))], ops
            )
    return ops


def _is_large(x: Value) -> bool:
    return x.aval.size > MAX_REBUILT_ELEMENTS


def _is_updated(x: Value, op: Op) -> bool:
    """Whether a result of `op` may be a new version of the array `x`."""
    return _is_large(x) and any(y.aval == x.aval for y in op.results)


def _move_behind(op: Op, readers: Sequence[Op], ops: list[Op]) -> None:
    """Move `op`, and its dependents, behind the last of the `readers` that is no dependent."""
    start = ops.index(op)
    after = ops[start + 1 :]
    dependents = with_dependents(op.results, after)
    # Ops that do not depend on `op`. Those up to the last such reader go ahead of it, in their
    # order.
    free = [i for i, other in enumerate(after) if dependents.isdisjoint(other.results)]
    end = max((i + 1 for i in free if after[i] in readers), default=0)
    passed = [after[i] for i in free if i < end]
    ops[start : start + 1 + end] = [
        *passed,
        *(x for x in ops[start : start + 1 + end] if x not in passed),
    ]
