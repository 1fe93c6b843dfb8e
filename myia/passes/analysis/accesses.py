"""Where reads and stores of windows lie in an array."""

from __future__ import annotations

from myia.ir.core import Op, Value
from myia.passes.analysis.linear_indices import Ranges
from myia.primitives.arrays.dynamic_slices import dynamic_update_add, dynamic_update_slice

STORES = (dynamic_update_slice, dynamic_update_add)


def place_of(access: Op) -> tuple[Value, ...]:
    """The indices at which a window starts that is read or stored."""
    return access.operands[2 if access.primitive in STORES else 1 :]


def sizes_of(access: Op) -> tuple[int, ...]:
    return access.operands[1].shape if access.primitive in STORES else access.params["sizes"]


def is_same(x: Op, y: Op, ranges: Ranges) -> bool:
    """Are these the same window, wherever it lies?"""
    return sizes_of(x) == sizes_of(y) and ranges.same(place_of(x), place_of(y))


def is_apart(x: Op, y: Op, ranges: Ranges) -> bool:
    """Have these windows surely no element in common?"""
    shape = x.operands[0].shape
    places = ranges.place(place_of(x)), ranges.place(place_of(y))
    return ranges.apart(places[0], sizes_of(x), places[1], sizes_of(y), shape)
