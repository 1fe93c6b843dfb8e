"""Slices of a program: the ops that values depend on, and the values that depend on values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from myia.ir.core import Op, Value, reads


def needed(ops: Sequence[Op], wanted: Iterable[Value], given: Container[Value] = ()) -> list[Op]:
    """The backward slice: those of `ops` that compute the `wanted` values from the `given` ones."""
    missing = {x for x in wanted if x not in given}
    chosen = []
    for op in reversed(ops):
        if any(y in missing for y in op.results):
            chosen.append(op)
            missing.update(x for x in reads(op) if x not in given)
    return chosen[::-1]


def with_dependents(values: Iterable[Value], ops: Sequence[Op]) -> set[Value]:
    """The forward slice: `values`, and all that `ops` compute from them."""
    found = set(values)
    for op in ops:
        if not found.isdisjoint(reads(op)):
            found.update(op.results)
    return found
