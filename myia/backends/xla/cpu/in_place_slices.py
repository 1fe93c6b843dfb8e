"""Slices rewritten in place: read, changed by pointwise ops, and written back where they were.

    %v = dynamic_slice %a, %i            a loop over the slice that reads and writes
    %w = mul %v, %x                ->    each element once, in place
    %b = dynamic_update_slice %a, %w, %i

XLA fuses the three and needs no copy: an element of the update depends on the element that it
overwrites and on no other element of the array. So such reads and writes take no opaque barrier,
which would copy the slice out first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from myia.ir.core import Op, Region, Value, reads, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import PointwisePrimitive, constant_p


def ops_outside(region: Region, is_inner: Callable[[Op], bool]) -> Iterator[Op]:
    """The ops of a region and of the regions in it, but for those inside of some loops."""
    for op in region.ops:
        yield op
        if not is_inner(op):
            for inner in op.regions:
                yield from ops_outside(inner, is_inner)


def in_place_reads(region: Region) -> frozenset[Op]:
    """The reads in `region`, and regions in it, of slices that are only rewritten in place."""
    constants = {op.results[0]: op for op in walk(region) if op.primitive is constant_p}
    blocks = [region, *(inner for op in walk(region) for inner in op.regions)]
    return frozenset(read for block in blocks for read in _in_place_reads_of(block, constants))


def _in_place_reads_of(block: Region, constants: dict[Value, Op]) -> Iterator[Op]:
    users: dict[Value, list[Op | None]] = defaultdict(list)
    for op in block.ops:
        for x in reads(op):
            users[x].append(op)
    for y in block.yields:
        users[y].append(None)
    for op in block.ops:
        if op.primitive in (slice, dynamic_slice) and op.results[0].aval.size > 1:
            write = _only_write_computed_from(op, users)
            if write is not None and _is_same_slice(op, write, constants):
                yield op


def _only_write_computed_from(read: Op, users: dict[Value, list[Op | None]]) -> Op | None:
    """The one write that reads the result of `read`, through pointwise ops alone."""
    found, seen, todo = None, set(), list(read.results)
    while todo:
        x = todo.pop()
        for user in users[x]:
            if user is None:
                return None
            if isinstance(user.primitive, PointwisePrimitive):
                todo += [] if user in seen else user.results
                seen.add(user)
            elif user.primitive is dynamic_update_slice and found in (None, user):
                # As an index or as the array written to, the value is not the update of a slice in
                # place.
                if x is not user.operands[1]:
                    return None
                found = user
            else:
                return None
    return found


def _is_same_slice(read: Op, write: Op, constants: dict[Value, Op]) -> bool:
    def value(i: Value) -> object:
        return constants[i].params["value"] if i in constants else i

    def known_values(indices: Sequence[Value]) -> list[object]:
        return [value(i) for i in indices]

    start = (
        known_values(read.operands[1:]) if read.primitive is dynamic_slice else _start_indices(read)
    )
    return (
        read.operands[0] is write.operands[0]
        and read.results[0].shape == write.operands[1].shape
        and start == known_values(write.operands[2:])
    )


def _start_indices(part: Op) -> list[int] | None:
    """The start indices of a static slice of stride 1."""
    is_contiguous = all(stride == 1 for stride in part.params["stride"])
    return list(part.params["start"]) if is_contiguous else None
