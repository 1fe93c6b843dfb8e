"""Windows that are rewritten: read, changed element by element, and written where they were.

    %v = dynamic_slice %a, %i            a loop over the window that reads and writes
    %w = mul %v, %x                ->    each element once, in place
    %b = dynamic_update_slice %a, %w, %i

XLA fuses the three and needs no copy: an element of the update depends on the element that it
overwrites and on no other of the array. So such reads and writes take no fences, with which each
window is copied out before it is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from myia.ir.core import Op, Region, Value, reads, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import PointwisePrimitive, constant_p


def in_place_reads(region: Region) -> frozenset[Op]:
    """The reads of windows that only serve to rewrite these, in `region` and the regions in it."""
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
            if write is not None and _same_slice(op, write, constants):
                yield op


def _only_write_computed_from(read: Op, users: dict[Value, list[Op | None]]) -> Op | None:
    """The one write into which all that is computed from `read` goes, by pointwise ops alone."""
    found, seen, waiting = None, set(), list(read.results)
    while waiting:
        x = waiting.pop()
        for user in users[x]:
            if user is None:
                return None
            if isinstance(user.primitive, PointwisePrimitive):
                waiting += [] if user in seen else user.results
                seen.add(user)
            elif user.primitive is dynamic_update_slice and found in (None, user):
                if x is not user.operands[1]:
                    return None
                found = user
            else:
                return None
    return found


def _same_slice(read: Op, write: Op, constants: dict[Value, Op]) -> bool:
    def value(i: Value) -> object:
        return constants[i].params["value"] if i in constants else i

    def place(indices: Sequence[Value]) -> list[object]:
        return [value(i) for i in indices]

    start = place(read.operands[1:]) if read.primitive is dynamic_slice else _start_indices(read)
    return (
        read.operands[0] is write.operands[0]
        and read.results[0].shape == write.operands[1].shape
        and start == place(write.operands[2:])
    )


def _start_indices(part: Op) -> list[int] | None:
    """Where a part of adjacent elements begins."""
    adjacent = all(step == 1 for step in part.params["stride"])
    return list(part.params["start"]) if adjacent else None
