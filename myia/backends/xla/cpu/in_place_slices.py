"""Slices rewritten in place: read, changed by pointwise ops, and written back where they were.

    %v = dynamic_slice %a, %i            a loop over the slice that reads and writes
    %w = mul %v, %x                ->    each element once, in place
    %b = dynamic_update_slice %a, %w, %i

XLA fuses the three and needs no copy: an element of the update depends on the element that it
overwrites and on no other element of the array. So such reads and writes take no opaque barrier,
which would copy the slice out first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from myia.ir.core import Op, Region, Value, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import PointwisePrimitive, constant_p
from myia.rewriting.def_use import uses


def ops_outside(region: Region, is_inner: Callable[[Op], bool]) -> Iterator[Op]:
    """The ops of a region and of the regions in it, but for those inside of some loops."""
    for op in region.ops:
        yield op
        if not is_inner(op):
            for inner in op.regions:
                yield from ops_outside(inner, is_inner)


def in_place_reads(region: Region) -> frozenset[Op]:
    """The reads in `region`, and regions in it, of slices that are only rewritten in place."""
    constants = {
        op.results[0]: op.params["value"] for op in walk(region) if op.primitive is constant_p
    }
    blocks = [region, *(inner for op in walk(region) for inner in op.regions)]
    return frozenset(
        op
        for block in blocks
        for op in block.ops
        if op.primitive in (slice, dynamic_slice)
        and op.results[0].aval.size > 1
        and (write := _only_write_computed_from(op, block)) is not None
        and _is_same_slice(op, write, constants)
    )


def _only_write_computed_from(read: Op, block: Region) -> Op | None:
    """The one write that reads the result of `read`, through pointwise ops alone."""
    found, seen, todo = None, set(), list(read.results)
    while todo:
        x = todo.pop()
        if x in block.yields:
            return None
        for user in uses(block).get(x, ()):
            if isinstance(user.primitive, PointwisePrimitive):
                todo += [] if user in seen else user.results
                seen.add(user)
            # As an index or as the array written to, the value is not the update of a slice in
            # place.
            elif (
                user.primitive is dynamic_update_slice
                and found in (None, user)
                and x is user.operands[1]
            ):
                found = user
            else:
                return None
    return found


def _is_same_slice(read: Op, write: Op, constants: Mapping[Value, object]) -> bool:
    starts = tuple(read.operands[1:])
    if read.primitive is slice:
        if any(stride != 1 for stride in read.params["stride"]):
            return False
        starts = read.params["start"]
    written = write.operands[2:]
    return (
        read.operands[0] is write.operands[0]
        and read.results[0].shape == write.operands[1].shape
        and [constants.get(i, i) for i in starts] == [constants.get(i, i) for i in written]
    )
