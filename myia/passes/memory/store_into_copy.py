"""Stores into copies: an array that is stored into and read again is joined from its parts.

    %d = dynamic_update_slice %x, %u, 1        ->   %h = slice %x {0:1}
    %z = add %d, %x                                 %d = concatenate %h, %u {axis=0}
                                                    %z = add %d, %x

XLA copies %x before it stores into it: it writes twice what is stored, in kernels that fuse with
nothing else. A store into an array that nothing reads afterwards is in place, and stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from myia.ir.core import Function, Op, Region, Value, reads, walk
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice, start_indices
from myia.primitives.arrays.shaping import along_axis, concatenate
from myia.rewriting.walk import Walk, rewrite

MIN_STORED_ELEMENTS = 32  # a copy of fewer takes a few nanoseconds
MIN_STORED_SHARE = 0.5  # of the array


def store_into_copy(function: Function) -> Function:
    """`function` with arrays joined from parts, where a store would copy what it replaces."""
    copying = set(_copying_stores(function.region))

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        return _joined(op, walk) if copying.issuperset(op.results) else None

    return rewrite(function, rule) if copying else function


def _copying_stores(region: Region) -> Iterator[Value]:
    """The results of stores into arrays that are read later, or belong to an outer region."""
    regions = [region, *(inner for op in walk(region) for inner in op.regions)]
    for block in regions:
        owned = {*block.args, *(y for op in block.ops for y in op.results)}
        read_later = set(block.yields)
        for op in reversed(block.ops):
            if op.primitive is dynamic_update_slice and _replaces_most(op):
                x = op.operands[0]
                if x in read_later or x not in owned:
                    yield op.results[0]
            read_later.update(reads(op))


def _replaces_most(store: Op) -> bool:
    x, u = store.operands[:2]
    partial = sum(n != m for n, m in zip(x.shape, u.shape))
    size = u.aval.size
    return partial == 1 and size >= max(MIN_STORED_ELEMENTS, MIN_STORED_SHARE * x.aval.size)


def _joined(store: Op, walk: Walk) -> Sequence[Value] | None:
    """The parts before, in and after the slice; None: they are not known, or nothing is copied."""
    x, u = store.operands[:2]
    (axis,) = (a for a, (n, m) in enumerate(zip(x.shape, u.shape)) if n != m)
    start = walk.constant_value(start_indices(store)[axis])
    if start is None or walk.constant_value(x) is not None:  # a constant is no copy
        return None
    start = max(0, min(int(start), x.shape[axis] - u.shape[axis]))
    end = start + u.shape[axis]
    before = [along_axis(x, axis, 0, start)] if start else []
    after = [along_axis(x, axis, end, x.shape[axis])] if end < x.shape[axis] else []
    return [concatenate(*before, u, *after, axis=axis)]
