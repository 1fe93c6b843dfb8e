"""Chains: the ops that make one version of an array after the other in a step."""

from __future__ import annotations

from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, has_effect
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.storage.undo_log.restoration import STORES

Links = tuple[tuple[Value, Op, Value], ...]  # (version after, op, version before)


@dataclass(frozen=True)
class Chain:
    """The ops that make the versions of a carry in a step, the last one first."""

    carry: int
    links: Links


def carry_chain(parts: Loop, i: int) -> Chain | None:
    """How a step of `parts` changes its carry `i`, if stores do; None if it does not."""
    if not parts.carries[i].shape:
        return None
    found = links(parts.body, parts.body.args[1 + i], parts.body.yields[i])
    return Chain(i, found) if found else None


def links(region: Region, start: Value, end: Value) -> Links | None:
    """The links from `end` back to `start`, if stores, branches with stores and loops make all."""
    definitions = {y: op for op in region.ops for y in op.results}
    found = []
    while end is not start:
        op = definitions.get(end)
        before = None if op is None or has_effect(op) else _before(op, end)
        if before is None:
            return None
        found.append((end, op, before))
        end = before
    return tuple(found)


def _before(op: Op, after: Value) -> Value | None:
    """The array of which `op` makes `after` by stores alone."""
    if op.primitive in STORES:
        return op.operands[0]
    if op.primitive is loop_p:
        return Loop.of(op).carries[op.results.index(after)]
    if op.primitive is if_p:
        i = op.results.index(after)
        starts = {start_of_stores(region, region.yields[i]) for region in op.regions}
        made = {y for region in op.regions for inner in region.ops for y in inner.results}
        return starts.pop() if len(starts) == 1 and made.isdisjoint(starts) else None
    return None


def start_of_stores(region: Region, end: Value) -> Value:
    """Of what enclosing value a branch makes `end` by stores."""
    definitions = {y: op for op in region.ops for y in op.results}
    while end in definitions and definitions[end].primitive in STORES:
        end = definitions[end].operands[0]
    return end


def stores_of(region: Region, end: Value) -> list[Op]:
    """The stores of a branch that make `end`, in order."""
    definitions = {y: op for op in region.ops for y in op.results}
    found = []
    while end in definitions:
        found.append(definitions[end])
        end = definitions[end].operands[0]
    return found[::-1]
