"""Who defines and reads a value, what varies in a loop, how an array is written in a region."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from myia.ir.core import Op, Region, Value, captures, reads, walk
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.structured import Loop, loop_p

Uses = Mapping[Value, list[Op]]  # each op once; what a region yields is no use

_uses: WeakKeyDictionary[Region, Uses] = WeakKeyDictionary()
_definitions: WeakKeyDictionary[Region, Mapping[Value, Op]] = WeakKeyDictionary()


def uses(region: Region) -> Uses:
    """The ops of `region` that read each value, themselves or in their regions.

    Asked of a loop's body for each carry: found once.
    """
    if region not in _uses:
        found: dict[Value, list[Op]] = {}
        for op in region.ops:
            for x in dict.fromkeys(reads(op)):
                found.setdefault(x, []).append(op)
        _uses[region] = found
    return _uses[region]


def definitions(region: Region) -> Mapping[Value, Op]:
    """The op of `region` that defines each value; asked for each store of an array: found once."""
    if region not in _definitions:
        _definitions[region] = {y: op for op in region.ops for y in op.results}
    return _definitions[region]


def loop_variant_values(body: Region) -> set[Value]:
    """What the trips compute otherwise than from what encloses the loop, at any depth."""
    varying = set(body.args)
    for op in walk(body):
        varying.update(x for region in op.regions for x in region.args)
        if op.primitive.structured or not varying.isdisjoint(op.operands):
            varying.update(op.results)
    return varying


def next_store(store: Op, region: Region) -> Op | None:
    """The store that changes what `store` makes, if nobody else in `region` reads that."""
    (array,) = store.results
    readers = uses(region).get(array, [])
    if len(readers) != 1 or array in region.yields:
        return None
    (op,) = readers
    stores = op.primitive is dynamic_update_slice and op.operands.index(array) == 0
    return op if stores and op.operands.count(array) == 1 else None


def last_version_if_write_only(region: Region, x: Value) -> Value | None:
    """What becomes of `x` in `region`, if windows are written into it and nobody reads it.

    The last version, which is yielded once; each version is read by the next write alone.
    """
    by = uses(region)
    while x in by:
        if len(by[x]) != 1 or x in region.yields:
            return None
        after = _written(by[x][0], x)
        if after is None:
            return None
        x = after
    return x if region.yields.count(x) == 1 else None


def _written(op: Op, x: Value) -> Value | None:
    """The version that `op` makes of `x`."""
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
    """Do the trips of a loop nothing with carry `i` but write windows into it?"""
    if loop.cond is not None and loop.cond.args[1 + i] in uses(loop.cond):
        return False
    return last_version_if_write_only(loop.body, loop.body.args[1 + i]) is loop.body.yields[i]
