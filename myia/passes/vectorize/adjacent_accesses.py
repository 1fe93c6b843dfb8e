"""Coalescing of adjacent accesses: slices that lie side by side are loaded and stored as one.

    %1 = dynamic_slice %a, %i, %j {sizes=(1, 1)}        %w = dynamic_slice %a, %i, %j {sizes=(1, 3)}
    %2 = dynamic_slice %a, %i, %k {sizes=(1, 1)}        %1 = slice %w {start=(0, 0), limit=(1, 1)}
    %3 = dynamic_slice %a, %i, %l {sizes=(1, 1)}        %2 = slice %w {start=(0, 1), limit=(1, 2)}
    %b = dynamic_update_slice %a, %4, %i, %j      ->    %3 = slice %w {start=(0, 2), limit=(1, 3)}
    %c = dynamic_update_slice %b, %5, %i, %k            %7 = concatenate %4, %5, %6 {axis=1}
    %d = dynamic_update_slice %c, %6, %i, %l            %d = dynamic_update_slice %a, %7, %i, %j

where %k = %j + 1 and %l = %j + 2. This is superword-level parallelism (SLP) for accesses, inside
loops only: there each load from an array that is stored into needs an opaque barrier, and each
index is compared with both bounds of its axis.

The slices are consecutive in memory and surely in range (`linear_indices.py`): `dynamic_slice`
would move one that is out of range back by itself, without the others.

Only slices that are loaded and then stored are coalesced, as by the adjoint of a stencil. A slice
that was stored by itself is better loaded by itself: a processor forwards one store to a load, but
not two stores to one load.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from myia.analysis.array_versions import store_into
from myia.analysis.linear_indices import (
    ONE,
    IndexRanges,
    constant_form,
    is_disjoint_slice,
    minus,
)
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.shaping import concatenate, slice
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.def_use import uses
from myia.rewriting.walk import rebuilt, rewrite_loop_bodies

MAX_COALESCED_ELEMENTS = 16  # of the slice that covers the others
# A processor loads two as one vector, which stalls if one of them has just been stored.
MIN_COALESCED_ACCESSES = 3


def adjacent_accesses(function: Function) -> Function:
    """`function` with adjacent small slices in loops loaded and stored as one."""
    return rewrite_loop_bodies(function, partial(_coalesced, ranges=IndexRanges(function.region)))


def _coalesced(region: Region, ranges: IndexRanges) -> Region:
    """`region` with groups of slices that are loaded and then stored coalesced."""
    reads: dict[Op, _Group] = {}
    runs: dict[Op, _StoreRun] = {}  # by the last store of each run
    for stores in _store_runs(region, ranges):
        array = stores[0].operands[0]
        loads = [op for op in uses(region)[array] if op.primitive is dynamic_slice]
        load_groups, store_groups = _groups(loads, ranges), list(_groups(stores, ranges))
        pairs = list(_loaded_and_stored(load_groups, store_groups, ranges))
        reads.update((op, group) for group, _ in pairs for op in group.accesses)
        if pairs:
            runs[stores[-1]] = _StoreRun(stores, tuple(group for _, group in pairs))
    return _emit(region, reads, runs) if runs else region


# ----- Groups of adjacent accesses


@dataclass(frozen=True)
class _Group:
    """Accesses of one array that together cover one slice, and their offsets in it along `axis`."""

    axis: int
    accesses: tuple[Op, ...]
    offsets: tuple[int, ...]

    @property
    def first(self) -> Op:
        """The access at which the covering slice begins."""
        return self.accesses[self.offsets.index(0)]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the covering slice."""
        ends = (n + slice_sizes(op)[self.axis] for op, n in zip(self.accesses, self.offsets))
        return _with_size(slice_sizes(self.first), self.axis, max(ends))

    def emit_starts(self, op: Op) -> list[Value]:
        """Emit the start indices of the covering slice, given those of the access `op`."""
        starts, offset = list(start_indices(op)), self.offsets[self.accesses.index(op)]
        if offset:
            starts[self.axis] = add(starts[self.axis], constant(-offset, I64.dtype))
        return starts


def _groups(accesses: Sequence[Op], ranges: IndexRanges) -> Iterator[_Group]:
    """Disjoint groups of these accesses of one array."""
    remaining = list(accesses)
    while remaining:
        group = _group_around(remaining[0], remaining, ranges)
        remaining = [op for op in remaining[1:] if group is None or op not in group.accesses]
        if group is not None:
            yield group


def _group_around(op: Op, accesses: Sequence[Op], ranges: IndexRanges) -> _Group | None:
    """The accesses that are adjacent to `op`, and to those, on both sides; None if too few."""
    axis = _contiguous_axis(op)
    by_distance = {}  # from `op`
    for other in accesses:
        distance = _distance(op, other, axis, ranges)
        if distance is not None and distance not in by_distance:
            by_distance[distance] = other
    size = slice_sizes(op)[axis]
    if not size:
        return None
    low = high = 0
    while low - size in by_distance:
        low -= size
    while high + size in by_distance:
        high += size
    adjacent = {n: by_distance[n] for n in range(low, high + 1, size)}
    group = _Group(axis, tuple(adjacent.values()), tuple(n - low for n in adjacent))
    pays = len(adjacent) >= MIN_COALESCED_ACCESSES and _is_small_and_in_range(group, ranges)
    return group if pays else None


def _contiguous_axis(op: Op) -> int:
    """The axis along which such slices are consecutive in memory: they span all later axes."""
    shape, sizes = op.operands[0].shape, slice_sizes(op)
    axis = len(shape) - 1
    while axis > 0 and sizes[axis] == shape[axis]:
        axis -= 1
    return axis


def _distance(op: Op, other: Op, axis: int, ranges: IndexRanges) -> int | None:
    """How far `other` begins after `op` along `axis`; None if they differ in anything else."""
    if slice_sizes(op) != slice_sizes(other):
        return None
    starts = (ranges.linear_forms(start_indices(access)) for access in (op, other))
    distances = [minus(y, x) for x, y in zip(*starts)]
    along = distances.pop(axis)
    return along[ONE] if not any(distances) and set(along) <= {ONE} else None


def _is_small_and_in_range(group: _Group, ranges: IndexRanges) -> bool:
    """Is the covering slice small, and surely in range?"""
    start = ranges.linear_form(start_indices(group.first)[group.axis])
    length, size = group.first.operands[0].shape[group.axis], group.sizes[group.axis]
    return (
        prod(group.sizes) <= MAX_COALESCED_ELEMENTS
        and ranges.is_nonnegative(start)
        and ranges.is_nonnegative(minus(constant_form(length - size), start))
    )


def _with_size(sizes: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*sizes[:axis], size, *sizes[axis + 1 :])


# ----- Groups that are loaded and then stored


@dataclass(frozen=True)
class _StoreRun:
    """Disjoint stores into one version of an array after another, and the groups among them."""

    stores: Sequence[Op]
    groups: tuple[_Group, ...]


def _store_runs(region: Region, ranges: IndexRanges) -> Iterator[list[Op]]:
    """Runs of disjoint stores, each into the result of the one before, which has no other use."""
    seen: set[Op] = set()
    for op in region.ops:
        if op.primitive is not dynamic_update_slice or op in seen:
            continue
        run = [op]
        while (after := _only_user(run[-1], region)) is not None:
            if not all(is_disjoint_slice(store, after, ranges) for store in run):
                break
            run.append(after)
        seen.update(run)
        yield run


def _only_user(store: Op, region: Region) -> Op | None:
    """The store into the result of `store`, if that is the only use of the result in `region`."""
    (version,) = store.results
    is_used_once = len(uses(region).get(version, ())) == 1 and version not in region.yields
    return store_into(version, region) if is_used_once else None


def _loaded_and_stored(
    reads: Iterable[_Group], stores: Sequence[_Group], ranges: IndexRanges
) -> Iterator[tuple[_Group, _Group]]:
    """Pairs of a group of loads and a group of stores that cover the same slice."""
    for read in reads:
        for store in stores:
            same = ranges.are_equal(start_indices(read.first), start_indices(store.first))
            if same and read.sizes == store.sizes:
                yield read, store


# ----- Emission


def _emit(region: Region, reads: Mapping[Op, _Group], runs: Mapping[Op, _StoreRun]) -> Region:
    replaced = {op for run in runs.values() for op in run.stores}
    covering: dict[_Group, Value] = {}
    with Builder() as b:
        for op in region.ops:
            if op in runs:
                _emit_stores(runs[op])
            elif op in reads:
                _emit_load(op, reads[op], covering)
            elif op not in replaced:
                append(op)
    return rebuilt(region, b.ops, region.yields)


def _emit_load(read: Op, group: _Group, covering: dict[_Group, Value]) -> None:
    """Emit `read` as part of the covering slice, which the first load of its group emits."""
    sizes, offset = read.params["sizes"], group.offsets[group.accesses.index(read)]
    with at(read.span):
        if group not in covering:
            covering[group] = dynamic_slice(
                read.operands[0], *group.emit_starts(read), sizes=group.sizes
            )
    start = _with_size((0,) * len(sizes), group.axis, offset)
    limit = _with_size(sizes, group.axis, offset + sizes[group.axis])
    params = {"start": start, "limit": limit, "stride": (1,) * len(sizes)}
    append(Op(slice, (covering[group],), params, (), read.results, read.span))


def _emit_stores(run: _StoreRun) -> None:
    """Emit the stores of a run, each group as one. In any order, as all of them are disjoint."""
    grouped = {op for group in run.groups for op in group.accesses}
    updates = [(op.operands[1], start_indices(op)) for op in run.stores if op not in grouped]
    array, last = run.stores[0].operands[0], run.stores[-1]
    with at(last.span):
        for group in run.groups:
            parts = [op.operands[1] for op in group.accesses]
            updates.append((concatenate(*parts, axis=group.axis), start_indices(group.first)))
        for update, starts in updates[:-1]:
            array = dynamic_update_slice(array, update, *starts)
    update, starts = updates[-1]
    append(Op(dynamic_update_slice, (array, update, *starts), {}, (), last.results, last.span))
