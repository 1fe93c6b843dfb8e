"""Accesses of arrays: which slice an op reads or stores, and how two slices lie to each other."""

from __future__ import annotations

from myia.ir.core import Op, Value
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_update_add, dynamic_update_slice

STORES = (dynamic_update_slice, dynamic_update_add)


def start_indices(access: Op) -> tuple[Value, ...]:
    """The start indices of the slice that `access` reads or stores, one for each axis."""
    return access.operands[2 if access.primitive in STORES else 1 :]


def slice_sizes(access: Op) -> tuple[int, ...]:
    """The sizes of the slice that `access` reads or stores, one for each axis."""
    return access.operands[1].shape if access.primitive in STORES else access.params["sizes"]


def is_same_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Do two accesses of one array surely have the same slice, even if it is out of range?"""
    return slice_sizes(x) == slice_sizes(y) and ranges.are_equal(start_indices(x), start_indices(y))


def is_disjoint_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Have the slices of two accesses of one array surely no element in common?"""
    shape = x.operands[0].shape
    starts = ranges.linear_forms(start_indices(x)), ranges.linear_forms(start_indices(y))
    return ranges.are_disjoint(starts[0], slice_sizes(x), starts[1], slice_sizes(y), shape)
