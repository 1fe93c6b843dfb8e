"""How the arrays that a loop carries come to be, if stores of windows make them.

    for %i < 60 (%a = %a0) {
      %a = for %j < %i (%a = %a) {            versions of %a0: each %a
        %1 = dynamic_slice %a, %i, %j         untouched: no trip before, of either loop, has stored
        ...                                   anything there, so that it is also read of %a0
        %a = dynamic_update_slice %a, %2, %i, %j
        yield %a
      }
      yield %a
    }

What makes an array in another way than by stores has no history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from myia.ir.core import Op, Region, Value, walk
from myia.passes.analysis.accesses import STORES, slice_sizes, start_indices
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.core.structured import Loop, if_p, loop_p


@dataclass(frozen=True)
class VersionChain:
    """How an array came to be: of what, its versions since then, and the stores that made them."""

    origin: Value
    versions: frozenset[Value] = frozenset()
    stores: tuple[Op, ...] = ()

    def __add__(self, earlier: VersionChain) -> VersionChain:
        versions = self.versions | earlier.versions
        return VersionChain(earlier.origin, versions, self.stores + earlier.stores)


_carried: WeakKeyDictionary[Region, tuple[VersionChain | None, ...]] = WeakKeyDictionary()


def carried_chains(body: Region) -> tuple[VersionChain | None, ...]:
    """Of what each carry becomes in a trip, if stores into it make that; asked again and again."""
    if body not in _carried:
        definitions = {y: op for op in body.ops for y in op.results}
        found = [_history(definitions, y) for y in body.yields]
        _carried[body] = tuple(
            history if history is not None and history.origin is arg else None
            for arg, history in zip(body.args[1:], found)
        )
    return _carried[body]


def _history(definitions: Mapping[Value, Op], end: Value) -> VersionChain | None:
    """The history of `end` in a region; None if something else than stores makes a version."""
    found = VersionChain(end)
    while found.origin in definitions:
        step = _step(definitions[found.origin], found.origin)
        if step is None:
            return None
        found += step
    return found


def _history_in(region: Region, end: Value) -> VersionChain | None:
    return _history({y: op for op in region.ops for y in op.results}, end)


def _step(op: Op, after: Value) -> VersionChain | None:
    """What `op` made `after` of."""
    if op.primitive in STORES:
        return VersionChain(op.operands[0], frozenset({after}), (op,))
    i = op.results.index(after)
    if op.primitive is loop_p:
        loop = Loop.of(op)
        arg, inner = loop.body.args[1 + i], carried_chains(loop.body)[i]
        if inner is None:
            return None
        return replace(inner, origin=loop.carries[i], versions=inner.versions | {arg, after})
    if op.primitive is if_p:
        arms = [_history_in(region, region.yields[i]) for region in op.regions]
        if None in arms or arms[0].origin is not arms[1].origin:
            return None
        both = arms[0] + arms[1]
        return replace(both, versions=both.versions | {after})
    return None


def chains_by_version(loop: Loop) -> dict[Value, VersionChain]:
    """Of the values that are versions of an array that the loop changes by stores."""
    found = {}
    for before, arg, history in zip(loop.carries, loop.body.args[1:], carried_chains(loop.body)):
        if history is not None:
            history = replace(history, origin=before)
            found.update(dict.fromkeys(history.versions | {arg}, history))
    return found


def reads_initial_value(loop: Loop, arg: Value, read: Op, ranges: IndexRanges) -> bool:
    """Is what `read` finds in carry `arg`, in any trip, what was there before the loop?"""
    history = carried_chains(loop.body)[loop.body.args.index(arg) - 1]
    if history is None or not _no_trip_before_stores(loop, read, history, ranges):
        return False
    if read.operands[0] is arg:
        return True
    for op in loop.body.ops:
        if op.primitive is loop_p and arg in Loop.of(op).carries and read in _inside(op):
            inner = Loop.of(op)
            return reads_initial_value(
                inner, inner.body.args[1 + inner.carries.index(arg)], read, ranges
            )
    return False


def reads_ahead_of_stores(loop: Loop, arg: Value, read: Op, ranges: IndexRanges) -> bool:
    """Has neither this trip nor one before stored where `read` reads a version of carry `arg`?"""
    history = carried_chains(loop.body)[loop.body.args.index(arg) - 1]
    index = loop.body.args[0]
    return history is not None and all(
        _is_ahead(read, store, index, ranges) for store in history.stores
    )


def _is_ahead(read: Op, store: Op, index: Value, ranges: IndexRanges) -> bool:
    """Along some axis?"""
    windows = zip(start_indices(read), slice_sizes(read), start_indices(store), slice_sizes(store))
    shape = read.operands[0].shape
    return any(
        ranges.is_disjoint_from_earlier(*at, extent, index) for at, extent in zip(windows, shape)
    )


def _inside(op: Op) -> list[Op]:
    return [inner for region in op.regions for inner in walk(region)]


def _no_trip_before_stores(
    loop: Loop, read: Op, history: VersionChain, ranges: IndexRanges
) -> bool:
    """Do the windows of different trips, of reads and stores, lie apart along some axis?"""
    index = loop.body.args[0]
    for axis, start in enumerate(start_indices(read)):
        windows = [(start_indices(op)[axis], slice_sizes(op)[axis]) for op in history.stores]
        size = max([read.params["sizes"][axis], *(n for _, n in windows)])
        extent = read.operands[0].shape[axis]
        moves = ranges.are_disjoint_across_iterations(start, size, extent, index)
        if moves and all(ranges.are_equal([x], [start]) for x, _ in windows):
            return True
    return not history.stores
