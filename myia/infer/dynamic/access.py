"""Access to dynamically sized arrays: objects of their own, and views of other arrays.

y = x[:i]      a view of x with one dynamic axis, padded to the length of x
y + 1.0        an object of its own, with the same dynamic axis
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import DynamicAxes, pad_masked
from myia.infer.domain.dynamic_views import DynamicSlice, PaddedValue
from myia.infer.domain.errors import NeedsStatic
from myia.infer.domain.heap import Contents, DynamicArray, DynamicView, ListObject
from myia.infer.domain.heap_arrays import padded_value, type_of_array
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import Abstract, Ref, Tuple
from myia.infer.domain.views import StridedSlice, composed_start
from myia.infer.unsupported import UnsupportedSize
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import InternalError

HELP = (
    "use an array of the full size and `np.where(np.arange(n) < i, x, 0.0)`, or slices whose ends "
    "are Python ints"
)


def is_dynamic(ctx: Context, x: Abstract) -> bool:
    """True for an array with a dynamic axis."""
    return isinstance(x, Ref) and isinstance(ctx.heap[x.id], (DynamicArray, DynamicView))


def contains_dynamic(ctx: Context, x: Abstract) -> bool:
    """True for an array with a dynamic axis, and for a sequence that has one."""
    if isinstance(x, Tuple):
        return any(contains_dynamic(ctx, item) for item in x.items)
    if not isinstance(x, Ref):
        return False
    contents = ctx.heap[x.id]
    if isinstance(contents, ListObject):
        return any(is_dynamic(ctx, item) for item in contents.items)
    return isinstance(contents, (DynamicArray, DynamicView))


def refuse_dynamic(ctx: Context, what: str) -> NoReturn:
    """Refuse dynamic arrays. As `NeedsStatic`: an enclosing loop may be unrolled instead."""
    ctx.fail(
        UnsupportedSize,
        error=NeedsStatic,
        what=f"{what} of an array whose size is known only at run time",
        help_text=HELP,
    )


def with_nominal_shape(ctx: Context, x: Abstract) -> Abstract:
    """`x[i : i + 3]` as an array of 3 elements; an IndexError at run time if it has fewer.

    Any other value is returned unchanged.
    """
    if isinstance(x, Tuple):
        return x.rebuild(tuple(with_nominal_shape(ctx, item) for item in x.items))
    if isinstance(x, Ref) and isinstance(ctx.heap[x.id], ListObject) and contains_dynamic(ctx, x):
        return ctx.new(
            ListObject(tuple(with_nominal_shape(ctx, item) for item in ctx.list_items(x)))
        )
    if not isinstance(x, Ref) or not is_dynamic(ctx, x):
        return x
    contents = ctx.heap[x.id]
    lengths = [e.length for e in dynamic_axes_of(ctx, x) if e is not None]
    nominal = [n for length in lengths if (n := length.nominal) is not None]
    if not nominal or len(nominal) < len(lengths):
        return x
    if ctx.resizing_loops:
        refuse_dynamic(ctx, "a part")
    for length, n in zip(lengths, nominal):
        less = logic.ne(length.value, constant(n, np.int64))
        message = "a slice leaves its axis, where its full length is needed"
        ctx.check(less, IndexError, message, is_python=False)
    if isinstance(contents, DynamicView):
        return ctx.view(Ref(contents.base), contents.step.bounding_slice)
    return ctx.array(read(ctx, x).value)


# ----- Objects


def new_array(ctx: Context, value: Value, dynamic_axes: DynamicAxes) -> Abstract:
    """A new array with these elements, dynamic if an axis is that may have elements."""
    axes = tuple(e if n else None for e, n in zip(dynamic_axes, value.shape, strict=True))
    if all(e is None for e in axes):
        return ctx.array(value)
    return ctx.new(DynamicArray(value, axes))


def dynamic_axes_of(ctx: Context, x: Ref) -> DynamicAxes:
    """The dynamic axes of an array; None for each axis of static length."""
    ctx.contents(x)
    return type_of_array(ctx.heap, x.id)[1]


def bounding_aval(ctx: Context, x: Ref) -> Aval:
    """The dtype and the shape with each dynamic axis at its bound; emits nothing."""
    ctx.contents(x)
    return type_of_array(ctx.heap, x.id)[0]


def dtype_of(ctx: Context, x: Ref) -> np.dtype:
    return bounding_aval(ctx, x).dtype


def read(ctx: Context, x: Ref) -> PaddedValue:
    """The current elements of any array, with its dynamic axes."""
    _refuse_invalidated(ctx, x)
    return padded_value(ctx.heap, x.id)


def _refuse_invalidated(ctx: Context, x: Ref) -> None:
    """An error if `x`, or an array that it is a view of, has been invalidated."""
    for base in ctx.contents(x).bases:
        _refuse_invalidated(ctx, Ref(base))


def store(ctx: Context, x: Ref, value: Value) -> None:
    """Replace the valid elements of `x` by those of `value`, which has them at the same indices."""
    contents = ctx.contents(x)
    if isinstance(contents, DynamicView):
        write_slice(ctx, Ref(contents.base), contents.step, value)
    elif isinstance(contents, DynamicArray):
        if contents.readonly is not None:
            ctx.fail_read_only(contents.readonly)
        if contents.value.aval != value.aval:
            raise InternalError(f"store of {value.aval} into {contents.value.aval}")
        ctx.write(x, replace(contents, value=pad_masked(value, contents.dynamic_axes)))
    else:
        ctx.store(x, value)


def write_slice(ctx: Context, x: Ref, dynamic_slice: DynamicSlice, value: Value) -> None:
    """Write a slice of `x`; the slice refers to the elements of `x` packed to prefixes."""
    before = read(ctx, x).packed()
    after = PaddedValue(dynamic_slice.write(before.value, value), before.dynamic_axes)
    store(ctx, x, after.aligned_to(dynamic_axes_of(ctx, x)))


def pack_to_prefixes(ctx: Context, x: Ref) -> None:
    """Move the valid elements of a dynamic array to the start of each axis, in place."""
    contents = ctx.contents(x)
    if isinstance(contents, DynamicArray) and not all(
        e is None or e.is_prefix for e in contents.dynamic_axes
    ):
        now = PaddedValue(contents.value, contents.dynamic_axes).packed()
        ctx.heap.objects[x.id] = replace(contents, value=now.value, dynamic_axes=now.dynamic_axes)


def view_slice(
    ctx: Context, base: Ref, dynamic_slice: DynamicSlice, whole: bool, *, boxed: bool = False
) -> Abstract:
    """The view of a slice of `base`. `whole`: the slice's bounding slice is all of `base`.

    Of no dimension: a number, unless `boxed`.
    """
    if any(e is not None for e in dynamic_slice.dynamic_axes):
        return ctx.new(DynamicView(base.id, dynamic_slice))
    if not is_dynamic(ctx, base):
        return base if whole else ctx.view(base, dynamic_slice.bounding_slice, boxed=boxed)
    if (beyond := _compose_slices(ctx.contents(base), dynamic_slice)) is not None:
        return view_slice(ctx, *beyond, whole=False, boxed=boxed)
    # A slice of static length of a dynamic array: a copy, which must not be written to.
    value = dynamic_slice.read(read(ctx, base).packed().value)
    if value.shape == () and not boxed:
        return ctx.array(value)
    return readonly_snapshot(
        ctx, base, value, "a part of a slice whose length is known only at run time"
    )


def _compose_slices(
    contents: Contents, dynamic_slice: DynamicSlice
) -> tuple[Ref, DynamicSlice] | None:
    """A static slice of the view `x[i:j]` as one slice of `x`; None if that is not one slice."""
    if not isinstance(contents, DynamicView):
        return None
    outer, inner = contents.step, dynamic_slice.bounding_slice
    base = outer.bounding_slice
    starts, sizes, strides = [*base.starts], [*base.sizes], [*base.strides]
    for i, axis in enumerate(outer.source_axes):
        if axis is None:
            continue
        dynamic_axis, start = outer.dynamic_axes[i], inner.starts[i]
        if dynamic_axis is not None and dynamic_axis.start is not None:
            start = composed_start(dynamic_axis.start.number, 1, start)
        starts[axis] = composed_start(starts[axis], strides[axis], start)
        sizes[axis], strides[axis] = inner.sizes[i], strides[axis] * inner.strides[i]
        if strides[axis] != 1 and isinstance(starts[axis], Value):
            return None
    strided = StridedSlice(tuple(starts), tuple(sizes), tuple(strides), inner.shape)
    axes = tuple(None if i is None else outer.source_axes[i] for i in dynamic_slice.source_axes)
    return Ref(contents.base), DynamicSlice(strided, dynamic_slice.dynamic_axes, axes)
