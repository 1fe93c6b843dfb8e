"""Slice composition: a slice of a slice is read from the array directly.

    %1 = dynamic_slice %t, %i, %0 {sizes=(1, 5)}      for %j < %m (%s = %s0) {
    %r = reshape %1 {shape=(5,)}                        %1 = dynamic_slice %t, %i, %j {sizes=(1, 1)}
    for %j < %m (%s = %s0) {                     ->     %2 = reshape %1 {shape=(1,)}
      %2 = dynamic_slice %r, %j {sizes=(1,)}            ...
      ...                                             }
    }

If only slices of a row are read, the row is then not copied. The array, too, must be used only by
loads of slices, besides being passed on. Otherwise an older version of the array might be read
after a store into it, and XLA would copy the array.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Region, Value, walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import reshape
from myia.rewriting.walk import Walk, rewrite


def slice_composition(function: Function) -> Function:
    """`function` whose slices of rows are read from the arrays of the rows."""
    excluded = _not_only_sliced(function.region)

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_slice or op.operands[0] in excluded:
            return None
        row, *indices = op.operands
        load = _load_of_row(row, walk)
        if load is None or load.operands[0] in excluded:
            return None
        array, *starts = load.operands
        axes = len(starts) - len(indices)
        sizes = (1,) * axes + op.params["sizes"]
        part = dynamic_slice(array, *starts[:axes], *indices, sizes=sizes)
        return [reshape(part, shape=op.params["sizes"])]

    return rewrite(function, rule)


def _not_only_sliced(region: Region) -> set[Value]:
    """The values with other uses than loads of slices smaller than the whole."""
    ops = list(walk(region))
    blocks = (region, *(inner for op in ops for inner in op.regions))
    found = {y for block in blocks for y in _yielded_from_outside(block)}
    for op in ops:
        if op.primitive is not dynamic_slice:
            found.update(op.operands)
        elif op.params["sizes"] == op.operands[0].shape:
            found.add(op.operands[0])
    return found


def _yielded_from_outside(block: Region) -> set[Value]:
    """The values of enclosing regions that a region yields.

    A value of its own may be yielded: it is stored into only after the loads of this iteration.
    """
    own = {*block.args, *(y for op in block.ops for y in op.results)}
    return {y for y in block.yields if y not in own}


def _load_of_row(row: Value, walk: Walk) -> Op | None:
    """The load of `row`, if it fixes leading axes of an array and a reshape then drops them."""
    drop_axes = walk.definition(row)
    if drop_axes is None or drop_axes.primitive is not reshape:
        return None
    load = walk.definition(drop_axes.operands[0])
    if load is None or load.primitive is not dynamic_slice:
        return None
    array, *_ = load.operands
    axes = array.aval.ndim - row.aval.ndim
    is_whole = load.params["sizes"] == (1,) * axes + array.shape[axes:]
    return load if axes > 0 and is_whole and row.shape == array.shape[axes:] else None
