"""Lengths of lists and arrays that change by the same number in every iteration of a loop.

    for x in xs:                in iteration k: length = start + step * k
        hs.append(f(x))         after the loop: length = start + step * (trip count)
        v = g(v[1:], v[:-1])

`ListGrowth` (`infer/lists/growing_lists.py`) has these lists, as `affine_lengths`, and arrays, as
`sizes`. Their lengths are computed from the loop index and are no carries.
"""

from __future__ import annotations

from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import prefix_axis, resized
from myia.infer.domain.heap import AnyList, ArrayObject, BufferObject, DynamicArray, ListObject
from myia.infer.domain.lengths import Length
from myia.infer.domain.values import Scalar, Static
from myia.infer.lists.growing_lists import AffineLength, AffineSize, BaseAndOffset, ListGrowth
from myia.infer.lists.item_leaves import build_item
from myia.infer.loops.unrolling import MAX_UNROLLED_ITERATIONS
from myia.primitives.pointwise import arithmetic


def set_lengths(ctx: Context, list_growth: ListGrowth, iterations: Static | Scalar) -> None:
    """Set the length that each list has after so many iterations."""
    for id, affine in list_growth.affine_lengths.items():
        contents = ctx.heap[id]
        if isinstance(contents, BufferObject):
            base, offset = _length_after(affine, iterations)
            contents = replace(contents, base=base, offset=offset)
            ctx.heap.objects[id] = _known_list(ctx, contents)


def _known_list(ctx: Context, contents: BufferObject) -> AnyList:
    """The list itself where its items and their number are known: it takes other items, too."""
    template, n = contents.template, contents.base
    same = not template.leaves and not template.has_objects
    if not same or not isinstance(n, Static) or n.value > MAX_UNROLLED_ITERATIONS:
        return contents
    return ListObject((build_item(ctx, template, []),) * n.value)


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


def set_sizes(ctx: Context, growth: ListGrowth, iterations: Static | Scalar) -> None:
    """Set the size that each array has after so many iterations: static if their number is."""
    for id, sizes in growth.sizes.items():
        contents = ctx.heap[id]
        if not isinstance(contents, DynamicArray):
            continue
        value, readonly = contents.value, contents.readonly
        if isinstance(iterations, Static):
            for axis, (start, step) in enumerate(sizes):
                value = resized(value, axis, start + step * iterations.value)
            ctx.heap.objects[id] = ArrayObject(value, readonly, contiguous=readonly is None)
            continue
        axes = tuple(
            prefix_axis(_size_after(size, iterations), bound) if size[1] else None
            for size, bound in zip(sizes, value.shape)
        )
        ctx.heap.objects[id] = replace(contents, dynamic_axes=axes)


def _size_after(size: AffineSize, iterations: Scalar) -> Length:
    """start + step * iterations"""
    start, step = size
    assert iterations.hi is not None
    last = start + step * iterations.hi
    value = arithmetic.add(arithmetic.mul(iterations.value, step), start)
    return Length(value, min(start, last), max(start, last), (iterations.value, step, start))
