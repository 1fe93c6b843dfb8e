"""Elements of a row are read from the array that the row was read from.

    %1 = dynamic_slice %t, %i, %0 {sizes=(1, 5)}      for %j < %m (%s = %s0) {
    %r = reshape %1 {shape=(5,)}                        %1 = dynamic_slice %t, %i, %j {sizes=(1, 1)}
    for %j < %m (%s = %s0) {                     ->     %2 = reshape %1 {shape=(1,)}
      %2 = dynamic_slice %r, %j {sizes=(1,)}            ...
      ...                                             }
    }

So a row of which only windows are read is not copied first. Of the array, too, windows are read and
nothing else is done but to pass it on: where an older version is still read, XLA copies an array
that is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Region, Value, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import reshape
from myia.rewriting.walk import Walk, rewrite


def compose_slices(function: Function) -> Function:
    """`function` without rows that are read window by window."""
    others = _read_otherwise(function.region)

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_slice or op.operands[0] in others:
            return None
        row, *indices = op.operands
        read = _read_of_row(row, walk)
        if read is None or read.operands[0] in others:
            return None
        array, *starts = read.operands
        axes = len(starts) - len(indices)
        sizes = (1,) * axes + op.params["sizes"]
        window = dynamic_slice(array, *starts[:axes], *indices, sizes=sizes)
        return [reshape(window, shape=op.params["sizes"])]

    return rewrite(function, rule)


def _read_otherwise(region: Region) -> set[Value]:
    """The values of which not only windows are read."""
    ops = list(walk(region))
    blocks = (region, *(inner for op in ops for inner in op.regions))
    found = {y for block in blocks for y in _from_outside(block)}
    for op in ops:
        if op.primitive is not dynamic_slice:
            found.update(op.operands)
        elif op.params["sizes"] == op.operands[0].shape:
            found.add(op.operands[0])
    return found


def _from_outside(block: Region) -> set[Value]:
    """The values of enclosing regions that a region yields. (What it yields of its own is not
    written before the reads of this trip are over.)
    """
    own = {*block.args, *(y for op in block.ops for y in op.results)}
    return {y for y in block.yields if y not in own}


def _read_of_row(row: Value, walk: Walk) -> Op | None:
    """The read of which `row` is the result, without the axes along which it is one element."""
    cast = walk.definition(row)
    if cast is None or cast.primitive is not reshape:
        return None
    read = walk.definition(cast.operands[0])
    if read is None or read.primitive is not dynamic_slice:
        return None
    array, *_ = read.operands
    axes = array.aval.ndim - row.aval.ndim
    whole = read.params["sizes"] == (1,) * axes + array.shape[axes:]
    return read if axes > 0 and whole and row.shape == array.shape[axes:] else None
