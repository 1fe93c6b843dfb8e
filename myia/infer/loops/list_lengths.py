"""Lengths of lists that grow by the same number of items in every iteration of a loop.

    for x in xs:                in iteration k: length = start + step * k
        hs.append(f(x))         after the loop: length = start + step * (trip count)

`ListGrowth.affine_lengths` (`infer/lists/growing_lists.py`) has these lists. Their lengths are
computed from the loop index and are no carries.
"""

from __future__ import annotations

from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.heap import Invalidated
from myia.infer.domain.values import Abstract, Scalar, Static, is_static_int
from myia.infer.lists.growing_lists import AffineLength, ListGrowth
from myia.ir.core import Value
from myia.primitives.pointwise import arithmetic


def set_lengths_in_iteration(ctx: Context, list_growth: ListGrowth, index: Scalar) -> None:
    """Set the length that each list has at the start of iteration `index`."""
    for id, affine in list_growth.affine_lengths.items():
        contents = ctx.heap[id]
        if isinstance(contents, Invalidated):
            continue
        max_growth = None if index.hi is None else affine.step * index.hi
        length = _length_after(affine, index.value, max_growth)
        ctx.heap.objects[id] = replace(contents, base=length, offset=0)


def set_lengths_after_loop(ctx: Context, list_growth: ListGrowth, trip_count: Abstract) -> None:
    """Set the length that each list has after the loop: known wherever the trip count is."""
    for id, affine in list_growth.affine_lengths.items():
        contents = ctx.heap[id]
        if isinstance(contents, Invalidated):
            continue
        if is_static_int(trip_count) and isinstance(affine.start, Static):
            length = affine.start.value + affine.offset + affine.step * trip_count.value
            ctx.heap.objects[id] = replace(contents, base=Static(length), offset=0)
        elif is_static_int(trip_count):
            offset = affine.offset + affine.step * trip_count.value
            ctx.heap.objects[id] = replace(contents, base=affine.start, offset=offset)
        else:
            max_growth = None if trip_count.hi is None else affine.step * trip_count.hi
            length = _length_after(affine, trip_count.value, max_growth)
            ctx.heap.objects[id] = replace(contents, base=length, offset=0)


def _length_after(affine: AffineLength, iterations: Value, max_growth: int | None) -> Scalar:
    """start + offset + step * iterations"""
    value = iterations if affine.step == 1 else arithmetic.mul(iterations, affine.step)
    if isinstance(affine.start, Static):
        start = affine.start.value + affine.offset
        value = arithmetic.add(value, start) if start else value
        return Scalar(value, True, start, None if max_growth is None else start + max_growth)
    value = arithmetic.add(arithmetic.add(value, affine.start.value), affine.offset)
    unbounded = max_growth is None or affine.start.hi is None
    hi = None if unbounded else affine.start.hi + affine.offset + max_growth
    return Scalar(value, True, 0, hi)
