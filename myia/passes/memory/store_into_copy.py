"""Stores into copies: an array that is stored into and read again is computed as a whole.

It is joined from its parts:

    %d = dynamic_update_slice %x, %u, 1        ->   %h = slice %x {0:1}
    %z = add %d, %x                                 %d = concatenate %h, %u {axis=0}
                                                    %z = add %d, %x

XLA copies %x before it stores into it: it writes twice what is stored, in kernels that fuse with
nothing else. A store into an array that nothing reads afterwards is in place, and stays.

Slices of an array that a loop body is given, and reads elsewhere, are added to in one piece, too:

    %l = dynamic_slice %x, 1 {sizes=(8,)}
    %a = add %l, %u                            ->   %p = pad %u, -0.0 {low=(1,), high=(1,)}
    %z = dynamic_update_slice %x, %a, 1             %z = add %x, %p
    ...                                             ...

`x + -0.0` is `x` to the bit. Adjoints of stencils have several such additions, whose terms are
computed from %x: in place, each takes a copy of the slice, and the first one of %x. XLA fuses the
padded ones into one loop. *Not* with terms that take more than a few products and sums: in that
loop they are behind branches, and computed again for each result that needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from myia.ir.core import Function, Op, Region, Value, reads, walk
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.shaping import along_axis, concatenate, pad, reshape, slice
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import Walk, rewrite

MIN_STORED_ELEMENTS = 32  # a copy of fewer takes a few nanoseconds
MIN_STORED_SHARE = 0.5  # of the array
MAX_OPS_OF_TERM = 4  # of more, XLA computes terms faster by themselves

_MOVES = {constant_p, dynamic_slice, reshape, slice}
_CHEAP = {add, mul, neg, sub}


def store_into_copy(function: Function) -> Function:
    """`function` with arrays computed as a whole, where a store would copy what it replaces."""
    regions = [function.region, *(r for op in walk(function.region) for r in op.regions)]
    copying = {y for block in regions for y in _copying_stores(block)}
    loops = [op for op in walk(function.region) if op.primitive is loop_p]
    added = {y for op in loops for y in _copying_additions(Loop.of(op).body)}

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_update_slice:
            return None
        if op.results[0] in added:
            return _padded(op, walk)
        return _joined(op, walk) if op.results[0] in copying else None

    return rewrite(function, rule) if copying or added else function


def _copying_stores(block: Region) -> Iterator[Value]:
    """The results of stores into arrays that are read later, or belong to an outer region."""
    owned = {*block.args, *(y for op in block.ops for y in op.results)}
    read_later = set(block.yields)
    for op in reversed(block.ops):
        if op.primitive is dynamic_update_slice and _replaces_most(op) and _axes(op) == 1:
            x = op.operands[0]
            if x in read_later or x not in owned:
                yield op.results[0]
        read_later.update(reads(op))


def _copying_additions(block: Region) -> Iterator[Value]:
    """The results of additions to an array that a loop carries, and reads elsewhere, too."""
    chains: dict[Value, list[Op]] = {}  # last version so far -> the additions that made it
    for op in block.ops:
        if _is_addition(op, block):
            array, result = op.operands[0], op.results[0]
            chains[result] = [*chains.pop(array, ()), op]
    for chain in chains.values():
        array = chain[0].operands[0]
        is_read = array in block.args and len(uses(block)[array]) > 2  # by a load and a store
        if is_read and len(chain) > 1 and all(_is_simple(op, block) for op in chain):
            yield from (op.results[0] for op in chain)


def _is_simple(addition: Op, block: Region) -> bool:
    """Does the term take little work? In the loop over the array it is behind a branch."""
    defined = definitions(block)
    found: set[Op] = set()
    missing = [defined[addition.operands[1]].operands[1]]
    while missing:
        op = defined.get(missing.pop())
        if op is None or op in found:
            continue
        if op.primitive not in _MOVES | _CHEAP:
            return False
        found.add(op)
        if sum(op.primitive in _CHEAP for op in found) > MAX_OPS_OF_TERM:
            return False
        missing += op.operands
    return True


def _replaces_most(store: Op) -> bool:
    x, u = store.operands[:2]
    return u.aval.size >= max(MIN_STORED_ELEMENTS, MIN_STORED_SHARE * x.aval.size)


def _axes(store: Op) -> int:
    """Along how many axes the array has more elements than are stored."""
    x, u = store.operands[:2]
    return sum(n != m for n, m in zip(x.shape, u.shape))


def _joined(store: Op, walk: Walk) -> Sequence[Value] | None:
    """The parts before, in and after the slice; None: they are not known, or nothing is copied."""
    x, u = store.operands[:2]
    starts = _known_starts(store, walk)
    if starts is None or walk.constant_value(x) is not None:  # a constant is no copy
        return None
    (axis,) = (a for a, (n, m) in enumerate(zip(x.shape, u.shape)) if n != m)
    start, end = starts[axis], starts[axis] + u.shape[axis]
    before = [along_axis(x, axis, 0, start)] if start else []
    after = [along_axis(x, axis, end, x.shape[axis])] if end < x.shape[axis] else []
    return [concatenate(*before, u, *after, axis=axis)]


def _is_addition(store: Op, block: Region) -> bool:
    """Is the sum stored into the array of which its first term was loaded?"""
    if store.primitive is not dynamic_update_slice or not _replaces_most(store):
        return False
    array, total = store.operands[:2]
    defined = definitions(block)
    sums = defined.get(total)
    if sums is None or sums.primitive is not add or array.dtype.kind != "f":
        return False
    load = defined.get(sums.operands[0])
    return (
        load is not None
        and load.primitive in (slice, dynamic_slice)
        and load.operands[0] is array
        and uses(block)[total] == [store]
    )


def _padded(store: Op, walk: Walk) -> Sequence[Value] | None:
    """The array with the padded term added; None: the slices are not known, or differ."""
    array, total = store.operands[:2]
    stored = _known_starts(store, walk)
    sums = walk.definition(total)
    load = sums and walk.definition(sums.operands[0])
    if sums is None or load is None or stored is None or stored != _known_starts(load, walk):
        return None
    if load.operands[0] is not array or load.results[0].shape != total.shape:
        return None
    high = tuple(n - i - m for n, i, m in zip(array.shape, stored, total.shape))
    zero, none = constant(-0.0, array.dtype), (0,) * len(high)
    term = pad(sums.operands[1], zero, low=stored, high=high, interior=none)
    return [add(array, term, **sums.params)]


def _known_starts(access: Op, walk: Walk) -> tuple[int, ...] | None:
    """The start indices of a slice, which XLA clamps; None: not known when compiling."""
    if access.primitive is slice:
        return access.params["start"] if set(access.params["stride"]) == {1} else None
    starts = [walk.constant_value(i) for i in start_indices(access)]
    if None in starts:
        return None
    most = [n - m for n, m in zip(access.operands[0].shape, slice_sizes(access))]
    return tuple(max(0, min(int(i), n)) for i, n in zip(starts, most))
