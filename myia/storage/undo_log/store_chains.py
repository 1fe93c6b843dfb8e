"""Chains of stores: the ops that make the successive versions of an array in an iteration."""

from __future__ import annotations

from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, has_effect
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.storage.undo_log.restoration import STORES

Links = tuple[tuple[Value, Op, Value], ...]  # (version after, op, version before)


@dataclass(frozen=True)
class StoreChain:
    """The ops that make the versions of a carry in an iteration, the last one first."""

    carry: int
    links: Links


def carry_chain(rev: Loop, i: int) -> StoreChain | None:
    """The chain of stores by which an iteration changes carry `i`, if there is one."""
    if not rev.carries[i].shape:
        return None
    found = store_links(rev.body, rev.body.args[1 + i], rev.body.yields[i])
    return StoreChain(i, found) if found else None


def store_links(region: Region, start: Value, end: Value) -> Links | None:
    """The links from `end` back to `start`; None if an op is no store, loop or branch of stores."""
    definitions = {y: op for op in region.ops for y in op.results}
    found = []
    while end is not start:
        op = definitions.get(end)
        before = None if op is None or has_effect(op) else _version_before(op, end)
        if before is None:
            return None
        found.append((end, op, before))
        end = before
    return tuple(found)


def _version_before(op: Op, after: Value) -> Value | None:
    """The array that `op` changes into `after` by stores alone."""
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
    """The value from outside the branch that its stores change into `end`."""
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
