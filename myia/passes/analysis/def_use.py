"""Definitions and uses of values, values that vary in a loop, arrays that are only written.

What it computes: which op of a region defines a value, which ops read it, which values of a loop's
body depend on its index or its carries, and the last version of an array to which a region writes
and which it does not read.

What it guarantees: definitions and uses are complete; a use inside a nested region counts as a use
by the op that has the region. Results are cached by region: regions never change.

When it gives up: every result of a structured op counts as varying. An array that is stored twice
from one version, read, or passed to an op other than a store or a loop is not write-only.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from myia.ir.core import Op, Region, Value, captures, reads, walk
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.structured import Loop, loop_p

Uses = Mapping[Value, list[Op]]  # each op once; that a region yields a value is no use

_uses: WeakKeyDictionary[Region, Uses] = WeakKeyDictionary()
_definitions: WeakKeyDictionary[Region, Mapping[Value, Op]] = WeakKeyDictionary()


def uses(region: Region) -> Uses:
    """The ops of `region` that read each value, themselves or in their regions.

    Cached: passes ask for each carry of a loop.
    """
    if region not in _uses:
        found: dict[Value, list[Op]] = {}
        for op in region.ops:
            for x in dict.fromkeys(reads(op)):
                found.setdefault(x, []).append(op)
        _uses[region] = found
    return _uses[region]


def definitions(region: Region) -> Mapping[Value, Op]:
    """The op of `region` that defines each value. Cached: passes ask for each store."""
    if region not in _definitions:
        _definitions[region] = {y: op for op in region.ops for y in op.results}
    return _definitions[region]


def loop_variant_values(body: Region) -> set[Value]:
    """The values in a loop's body, at any depth, that may differ from iteration to iteration."""
    varying = set(body.args)
    for op in walk(body):
        varying.update(x for region in op.regions for x in region.args)
        if op.primitive.structured or not varying.isdisjoint(op.operands):
            varying.update(op.results)
    return varying


def next_store(store: Op, region: Region) -> Op | None:
    """The store into the result of `store`, if that is the only use of the result in `region`."""
    (array,) = store.results
    readers = uses(region).get(array, [])
    if len(readers) != 1 or array in region.yields:
        return None
    (op,) = readers
    into_array = op.primitive is dynamic_update_slice and op.operands.index(array) == 0
    return op if into_array and op.operands.count(array) == 1 else None


def last_version_if_write_only(region: Region, x: Value) -> Value | None:
    """The last version of array `x` in `region`, if slices of it are written and none is read.

    Each version is used by the next write alone, and the last one is yielded once.
    """
    users = uses(region)
    while x in users:
        if len(users[x]) != 1 or x in region.yields:
            return None
        version = _version_written_by(users[x][0], x)
        if version is None:
            return None
        x = version
    return x if region.yields.count(x) == 1 else None


def _version_written_by(op: Op, x: Value) -> Value | None:
    """The version that `op` makes of `x`, if it writes slices of it and does not read it."""
    if op.primitive is dynamic_update_slice:
        return op.results[0] if op.operands[0] is x is not op.operands[1] else None
    if op.primitive is loop_p:
        carries = Loop.of(op).carries
        if op.operands.count(x) != 1 or x not in carries or x in captures(*op.regions):
            return None
        i = carries.index(x)
        return op.results[i] if is_write_only_carry(Loop.of(op), i) else None
    return None


def is_write_only_carry(loop: Loop, i: int) -> bool:
    """Is writing slices the only thing that the iterations of a loop do with carry `i`?"""
    if loop.cond is not None and loop.cond.args[1 + i] in uses(loop.cond):
        return False
    return last_version_if_write_only(loop.body, loop.body.args[1 + i]) is loop.body.yields[i]
