"""Accesses of arrays: the slice of a load or store, and whether two slices are equal or disjoint.

What it computes: start indices and sizes of the slice that an op loads or stores; for two accesses
of one array, whether their slices are equal, and whether they are disjoint.

What it guarantees: a positive answer is right in every execution, even though accesses clamp start
indices that are out of range. A negative answer guarantees nothing.

When it gives up: the linear forms of the start indices (`linear_indices.py`) do not decide it.
"""

from __future__ import annotations

from dataclasses import dataclass

from myia.ir.core import Op, Value
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)

STORES = (dynamic_update_slice, dynamic_update_add)
ACCESSES = (dynamic_slice, *STORES)


@dataclass(frozen=True)
class Stride:
    """An access moves by `step`, which is 1 or -1, along `axis` from iteration to iteration."""

    axis: int
    step: int


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
