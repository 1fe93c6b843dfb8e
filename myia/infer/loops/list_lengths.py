"""Lengths of lists that grow by the same number of items in every iteration of a loop.

    for x in xs:                in iteration k: length = start + step * k
        hs.append(f(x))         after the loop: length = start + step * (trip count)

`ListGrowth.affine_lengths` (`infer/lists/growing_lists.py`) has these lists. Their lengths are
computed from the loop index and are no carries.
"""

from __future__ import annotations

from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.heap import BufferObject
from myia.infer.domain.values import Scalar, Static
from myia.infer.lists.growing_lists import AffineLength, BaseAndOffset, ListGrowth
from myia.primitives.pointwise import arithmetic


def set_lengths(ctx: Context, list_growth: ListGrowth, iterations: Static | Scalar) -> None:
    """Set the length that each list has after so many iterations."""
    for id, affine in list_growth.affine_lengths.items():
        contents = ctx.heap[id]
        if isinstance(contents, BufferObject):
            base, offset = _length_after(affine, iterations)
            ctx.heap.objects[id] = replace(contents, base=base, offset=offset)


def _length_after(affine: AffineLength, iterations: Static | Scalar) -> BaseAndOffset:
    """start + offset + step * iterations"""
    start, offset = affine.start, affine.offset
    if isinstance(iterations, Static):
        offset += affine.step * iterations.value
        return (Static(start.value + offset), 0) if isinstance(start, Static) else (start, offset)
    count = iterations.value
    value = count if affine.step == 1 else arithmetic.mul(count, affine.step)
    max_growth = None if iterations.hi is None else affine.step * iterations.hi
    if isinstance(start, Static):
        offset += start.value
        value = arithmetic.add(value, offset) if offset else value
        return Scalar(value, True, offset, None if max_growth is None else offset + max_growth), 0
    value = arithmetic.add(arithmetic.add(value, start.value), offset)
    hi = None if max_growth is None or start.hi is None else start.hi + offset + max_growth
    return Scalar(value, True, 0, hi), 0
