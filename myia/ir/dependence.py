"""What it takes to have values, and what depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from myia.ir.core import Op, Value, reads


def needed(ops: Sequence[Op], wanted: Iterable[Value], given=()) -> list[Op]:
    """Those of `ops` that it takes to have the `wanted` values, given others."""
    missing = {x for x in wanted if x not in given}
    chosen = []
    for op in reversed(ops):
        if any(y in missing for y in op.results):
            chosen.append(op)
            missing.update(x for x in reads(op) if x not in given)
    return chosen[::-1]


def with_dependents(values: Iterable[Value], ops: Sequence[Op]) -> set[Value]:
    """`values`, and what `ops` compute from them."""
    found = set(values)
    for op in ops:
        if not found.isdisjoint(reads(op)):
            found.update(op.results)
    return found
