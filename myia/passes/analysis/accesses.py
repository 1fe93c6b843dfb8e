"""Accesses of arrays: whether the slices of two loads or stores are equal, or disjoint.

What it computes: for two accesses of one array, whether their slices are equal, and whether they
are disjoint.

What it guarantees: a positive answer is right in every execution, even though accesses clamp start
indices that are out of range. A negative answer guarantees nothing.

When it gives up: the linear forms of the start indices (`linear_indices.py`) do not decide it.
"""

from __future__ import annotations

from myia.ir.core import Op
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import ACCESSES, STORES, slice_sizes, start_indices
from myia.widening.summary import Stride

__all__ = [
    "ACCESSES",
    "STORES",
    "Stride",
    "is_disjoint_slice",
    "is_same_slice",
    "slice_sizes",
    "start_indices",
]


def is_same_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Do two accesses of one array surely have the same slice, even if it is out of range?"""
    return slice_sizes(x) == slice_sizes(y) and ranges.are_equal(start_indices(x), start_indices(y))


def is_disjoint_slice(x: Op, y: Op, ranges: IndexRanges) -> bool:
    """Have the slices of two accesses of one array surely no element in common?"""
    shape = x.operands[0].shape
    starts = ranges.linear_forms(start_indices(x)), ranges.linear_forms(start_indices(y))
    return ranges.are_disjoint(starts[0], slice_sizes(x), starts[1], slice_sizes(y), shape)
