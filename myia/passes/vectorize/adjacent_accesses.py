"""Windows that lie side by side are read as one, and written as one.

    %1 = dynamic_slice %a, %i, %j {sizes=(1, 1)}        %w = dynamic_slice %a, %i, %j {sizes=(1, 3)}
    %2 = dynamic_slice %a, %i, %k {sizes=(1, 1)}        %1 = slice %w {start=(0, 0), limit=(1, 1)}
    %3 = dynamic_slice %a, %i, %l {sizes=(1, 1)}        %2 = slice %w {start=(0, 1), limit=(1, 2)}
    %b = dynamic_update_slice %a, %4, %i, %j      ->    %3 = slice %w {start=(0, 2), limit=(1, 3)}
    %c = dynamic_update_slice %b, %5, %i, %k            %7 = concatenate %4, %5, %6 {axis=1}
    %d = dynamic_update_slice %c, %6, %i, %l            %d = dynamic_update_slice %a, %7, %i, %j

where %k = %j + 1 and %l = %j + 2. In a loop, where each read of an array that is written takes a
fence and each index a comparison with both ends of the axis. The windows follow one another in
memory, and all of them surely lie in the array (`linear_indices.py`): one that stood out would have
been moved back by itself.

Only what a trip reads and then writes is taken together, as by the reversal of a stencil. An
element that was stored by itself is better read by itself: a processor hands on what it has just
stored, but not two stores to one read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.passes.analysis.accesses import is_disjoint_slice, slice_sizes, start_indices
from myia.passes.analysis.def_use import next_store, uses
from myia.passes.analysis.linear_indices import ONE, IndexRanges, constant_form, minus
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import concatenate, slice
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add
from myia.rewriting.walk import rebuilt, rewrite_loop_bodies

# Elements of a window made of others.
MAX_COALESCED_ELEMENTS = 16
# Of two a processor makes one vector, for which it waits when one of them has just been stored.
MIN_COALESCED_ACCESSES = 3


def coalesce_adjacent_accesses(function: Function) -> Function:
    """`function` with adjacent small windows in loops read and written together."""
    return rewrite_loop_bodies(function, partial(_together, ranges=IndexRanges(function.region)))


def _together(region: Region, ranges: IndexRanges) -> Region:
    """`region` with the rows that are read and then written as windows."""
    reads: dict[Op, _Row] = {}
    runs: dict[Op, _Run] = {}  # by the last store of each
    for stores in _runs(region, ranges):
        array = stores[0].operands[0]
        loads = [op for op in uses(region)[array] if op.primitive is dynamic_slice]
        pairs = list(_rewritten(_rows(loads, ranges), list(_rows(stores, ranges)), ranges))
        reads.update((op, row) for row, _ in pairs for op in row.accesses)
        if pairs:
            runs[stores[-1]] = _Run(stores, tuple(row for _, row in pairs))
    return _emit(region, reads, runs) if runs else region


# ----- Which lie side by side


@dataclass(frozen=True)
class _Row:
    """Accesses of one array that make a window, and where each begins in it along `axis`."""

    axis: int
    accesses: tuple[Op, ...]
    offsets: tuple[int, ...]

    @property
    def first(self) -> Op:
        """The access at which the window begins."""
        return self.accesses[self.offsets.index(0)]

    @property
    def sizes(self) -> tuple[int, ...]:
        ends = (n + slice_sizes(op)[self.axis] for op, n in zip(self.accesses, self.offsets))
        return _replaced(slice_sizes(self.first), self.axis, max(ends))

    def start(self, op: Op) -> list[Value]:
        """Emit the place of the window, given that of `op`, which is one of its accesses."""
        place, behind = list(start_indices(op)), self.offsets[self.accesses.index(op)]
        if behind:
            place[self.axis] = add(place[self.axis], constant(-behind, I64.dtype))
        return place


def _rows(accesses: Sequence[Op], ranges: IndexRanges) -> Iterator[_Row]:
    """Rows of these accesses of one array, none of which is in two of them."""
    left = list(accesses)
    while left:
        row = _row_with(left[0], left, ranges)
        left = [op for op in left[1:] if row is None or op not in row.accesses]
        if row is not None:
            yield row


def _row_with(op: Op, accesses: Sequence[Op], ranges: IndexRanges) -> _Row | None:
    """What adjoins `op`, on both sides."""
    axis = _axis(op)
    found = {}  # by their distance from `op`
    for other in accesses:
        distance = _distance(op, other, axis, ranges)
        if distance is not None and distance not in found:
            found[distance] = other
    size = slice_sizes(op)[axis]
    low = high = 0
    while low - size in found:
        low -= size
    while high + size in found:
        high += size
    near = {n: found[n] for n in range(low, high + 1, size)}
    row = _Row(axis, tuple(near.values()), tuple(n - low for n in near))
    return row if len(near) >= MIN_COALESCED_ACCESSES and _fits(row, ranges) else None


def _axis(op: Op) -> int:
    """The axis along which windows follow one another in memory: those after it are whole."""
    shape, sizes = op.operands[0].shape, slice_sizes(op)
    axis = len(shape) - 1
    while axis > 0 and sizes[axis] == shape[axis]:
        axis -= 1
    return axis


def _distance(op: Op, other: Op, axis: int, ranges: IndexRanges) -> int | None:
    """How far `other`, of the same size, begins after `op` along `axis`, if else in its place."""
    if slice_sizes(op) != slice_sizes(other):
        return None
    apart = [
        minus(y, x) for x, y in zip(*(ranges.linear_forms(start_indices(a)) for a in (op, other)))
    ]
    along = apart.pop(axis)
    return along[ONE] if not any(apart) and set(along) <= {ONE} else None


def _fits(row: _Row, ranges: IndexRanges) -> bool:
    """Is the window small, and surely in the array?"""
    start, size = ranges.linear_form(start_indices(row.first)[row.axis]), row.sizes[row.axis]
    extent = row.first.operands[0].shape[row.axis]
    return (
        prod(row.sizes) <= MAX_COALESCED_ELEMENTS
        and ranges.is_nonnegative(start)
        and ranges.is_nonnegative(minus(constant_form(extent - size), start))
    )


def _replaced(sizes: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*sizes[:axis], size, *sizes[axis + 1 :])


# ----- Which are rewritten


@dataclass(frozen=True)
class _Run:
    """Stores that follow one another and lie apart, and the rows among them."""

    stores: Sequence[Op]
    rows: tuple[_Row, ...]


def _runs(region: Region, ranges: IndexRanges) -> Iterator[list[Op]]:
    """Stores of one array after another that lie apart, and nobody sees it in between."""
    seen: set[Op] = set()
    for op in region.ops:
        if op.primitive is not dynamic_update_slice or op in seen:
            continue
        run, after = [op], next_store(op, region)
        while after is not None and all(is_disjoint_slice(store, after, ranges) for store in run):
            run.append(after)
            after = next_store(after, region)
        seen.update(run)
        yield run


def _rewritten(
    reads: Iterable[_Row], stores: Sequence[_Row], ranges: IndexRanges
) -> Iterator[tuple[_Row, _Row]]:
    """The rows that are read and then written."""
    for read in reads:
        for store in stores:
            same = ranges.are_equal(start_indices(read.first), start_indices(store.first))
            if same and read.sizes == store.sizes:
                yield read, store


# ----- What they become


def _emit(region: Region, reads: Mapping[Op, _Row], runs: Mapping[Op, _Run]) -> Region:
    inside = {op for run in runs.values() for op in run.stores}
    windows: dict[_Row, Value] = {}
    with Builder() as b:
        for op in region.ops:
            if op in runs:
                _emit_stores(runs[op])
            elif op in reads:
                _emit_read(op, reads[op], windows)
            elif op not in inside:
                append(op)
    return rebuilt(region, b.ops, region.yields)


def _emit_read(read: Op, row: _Row, windows: dict[_Row, Value]) -> None:
    """Emit what `read` gives as part of the window, which the first of its reads emits."""
    sizes, offset = read.params["sizes"], row.offsets[row.accesses.index(read)]
    with at(read.span):
        if row not in windows:
            windows[row] = dynamic_slice(read.operands[0], *row.start(read), sizes=row.sizes)
    start = _replaced((0,) * len(sizes), row.axis, offset)
    limit = _replaced(sizes, row.axis, offset + sizes[row.axis])
    params = {"start": start, "limit": limit, "stride": (1,) * len(sizes)}
    append(Op(slice, (windows[row],), params, (), read.results, read.span))


def _emit_stores(run: _Run) -> None:
    """Emit the stores of a run, those of each row as one: in any order, they lie apart."""
    together = {op for row in run.rows for op in row.accesses}
    windows = [(op.operands[1], start_indices(op)) for op in run.stores if op not in together]
    array, last = run.stores[0].operands[0], run.stores[-1]
    with at(last.span):
        for row in run.rows:
            updates = [op.operands[1] for op in row.accesses]
            windows.append((concatenate(*updates, axis=row.axis), start_indices(row.first)))
        for update, place in windows[:-1]:
            array = dynamic_update_slice(array, update, *place)
    update, place = windows[-1]
    append(Op(dynamic_update_slice, (array, update, *place), {}, (), last.results, last.span))
