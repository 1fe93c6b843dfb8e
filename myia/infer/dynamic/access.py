"""Reading and writing arrays of run-time size: objects of their own, and views of other arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from myia.infer.domain.context import Context, HeapArrays
from myia.infer.domain.dynamic_axes import DynamicAxes, pad_masked
from myia.infer.domain.dynamic_views import DynamicSlice, PaddedValue
from myia.infer.domain.errors import NeedsStatic, ReadOnlyWrite, Unsupported
from myia.infer.domain.heap import Contents, DynamicArray, DynamicView, ListObject
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import Abstract, Ref, Tuple
from myia.infer.domain.views import StridedSlice
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic
from myia.source.diagnostics import InternalError

HELP = (
    "use an array of the full size and `np.where(np.arange(n) < i, x, 0.0)`, or slices whose ends "
    "are Python ints"
)


def is_dynamic(ctx: Context, x: Abstract) -> bool:
    """An array with an axis of run-time extent."""
    return isinstance(x, Ref) and isinstance(ctx.heap[x.id], (DynamicArray, DynamicView))


def contains_dynamic(ctx: Context, x: Abstract) -> bool:
    """Such an array, or a sequence of them."""
    if isinstance(x, Tuple):
        return any(contains_dynamic(ctx, item) for item in x.items)
    if not isinstance(x, Ref):
        return False
    contents = ctx.heap[x.id]
    if isinstance(contents, ListObject):
        return any(is_dynamic(ctx, item) for item in contents.items)
    return isinstance(contents, (DynamicArray, DynamicView))


def refuse_dynamic(ctx: Context, what: str):
    """Not done with arrays of run-time size: a loop around may unroll, so that sizes are known."""
    ctx.fail(
        Unsupported,
        error=NeedsStatic,
        what=f"{what} of an array whose size is known only at run time",
        help_text=HELP,
    )


def with_nominal_shape(ctx: Context, x: Abstract) -> Abstract:
    """What has the size of `x[i : i + 3]` as an array of 3 elements; an IndexError if it has less.

    What is no such thing stays what it is.
    """
    if isinstance(x, Tuple):
        return x.rebuild(tuple(with_nominal_shape(ctx, item) for item in x.items))
    if isinstance(x, Ref) and isinstance(ctx.heap[x.id], ListObject) and contains_dynamic(ctx, x):
        return ctx.new(
            ListObject(tuple(with_nominal_shape(ctx, item) for item in ctx.list_items(x)))
        )
    extents = dynamic_axes_of(ctx, x) if is_dynamic(ctx, x) else ()
    counts = [e.length for e in extents if e is not None]
    if not counts or any(count.nominal is None for count in counts):
        return x
    for count in counts:
        less = logic.ne(count.value, constant(count.nominal, np.int64))
        ctx.check(less, IndexError, "a slice leaves its axis, where a size known here is needed")
    contents = ctx.contents(x)
    if isinstance(contents, DynamicView):
        return ctx.view(Ref(contents.base), contents.step.bounding_slice)
    return ctx.array(contents.value)


# ----- Objects


def new_array(ctx: Context, value: Value, extents: DynamicAxes) -> Abstract:
    """A new array with these elements."""
    if all(e is None for e in extents):
        return ctx.array(value)
    return ctx.new(DynamicArray(value, tuple(extents)))


def dynamic_axes_of(ctx: Context, x: Ref) -> DynamicAxes:
    """The extents of an array; of one whose size is known, Nones."""
    ctx.contents(x)
    return HeapArrays.type_of(ctx.heap, x.id)[1]


def bounding_aval(ctx: Context, x: Ref) -> Aval:
    """Dtype and greatest shape, without emitting anything."""
    ctx.contents(x)
    return HeapArrays.type_of(ctx.heap, x.id)[0]


def dtype_of(ctx: Context, x: Ref) -> np.dtype:
    return bounding_aval(ctx, x).dtype


def read(ctx: Context, x: Ref) -> PaddedValue:
    """The present elements of any array."""
    _refuse_invalidated(ctx, x)
    return HeapArrays.padded_value(ctx.heap, x.id)


def _refuse_invalidated(ctx: Context, x: Ref) -> None:
    """An error if `x`, or what it is read from, is out of date."""
    for base in ctx.contents(x).bases:
        _refuse_invalidated(ctx, Ref(base))


def store(ctx: Context, x: Ref, value: Value) -> None:
    """Change the live elements of `x` to those of `value`, which has them in the same places."""
    contents = ctx.contents(x)
    if isinstance(contents, DynamicView):
        write_slice(ctx, Ref(contents.base), contents.step, value)
    elif isinstance(contents, DynamicArray):
        if contents.readonly is not None:
            ctx.fail(ReadOnlyWrite, what=contents.readonly)
        if contents.value.aval != value.aval:
            raise InternalError(f"store of {value.aval} into {contents.value.aval}")
        ctx.write(x, replace(contents, value=pad_masked(value, contents.dynamic_axes)))
    else:
        ctx.store(x, value)


def write_slice(ctx: Context, x: Ref, part: DynamicSlice, value: Value) -> None:
    """Change a part of `x`, whose elements it takes as prefixes."""
    before = read(ctx, x).packed()
    after = PaddedValue(part.write(before.value, value), before.dynamic_axes)
    store(ctx, x, after.aligned_to(dynamic_axes_of(ctx, x)))


def pack_to_prefixes(ctx: Context, x: Ref) -> None:
    """An object whose elements lie anywhere gets them as prefixes."""
    contents = ctx.contents(x)
    if isinstance(contents, DynamicArray) and not all(
        e is None or e.is_prefix for e in contents.dynamic_axes
    ):
        now = PaddedValue(contents.value, contents.dynamic_axes).packed()
        ctx.heap.objects[x.id] = replace(contents, value=now.value, dynamic_axes=now.dynamic_axes)


def view_slice(ctx: Context, base: Ref, part: DynamicSlice, whole: bool) -> Abstract:
    """The view of a part of `base`. `whole`: its window is all of `base`."""
    if any(e is not None for e in part.dynamic_axes):
        return ctx.new(DynamicView(base.id, part))
    if not is_dynamic(ctx, base):
        return base if whole else ctx.view(base, part.bounding_slice)
    if (beyond := _compose_slices(ctx.contents(base), part)) is not None:
        return view_slice(ctx, *beyond, whole=False)
    # A part of known size: it is copied, and the copy must not be written to.
    value = part.read(read(ctx, base).packed().value)
    return readonly_snapshot(ctx, base, value, "a part of a slice of run-time size")


def _compose_slices(contents: Contents, part: DynamicSlice) -> tuple[Ref, DynamicSlice] | None:
    """A part of known size of a view `x[i:j]` as a part of `x`, where a window can be that."""
    if not isinstance(contents, DynamicView):
        return None
    outer, inner = contents.step, part.bounding_slice
    starts, sizes, strides = map(
        list,
        (outer.bounding_slice.starts, outer.bounding_slice.sizes, outer.bounding_slice.strides),
    )
    for i, axis in enumerate(outer.source_axes):
        if axis is None:
            continue
        extent, place = outer.dynamic_axes[i], inner.starts[i]
        if extent is not None and extent.start is not None:
            place = _sum(extent.start.number, place)
        starts[axis] = _sum(starts[axis], _times(place, strides[axis]))
        sizes[axis], strides[axis] = inner.sizes[i], strides[axis] * inner.strides[i]
        if strides[axis] != 1 and isinstance(starts[axis], Value):
            return None
    window = StridedSlice(tuple(starts), tuple(sizes), tuple(strides), inner.shape)
    axes = tuple(None if i is None else outer.source_axes[i] for i in part.source_axes)
    return Ref(contents.base), DynamicSlice(window, part.dynamic_axes, axes)


def _sum(a: int | Value, b: int | Value) -> int | Value:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int):
        a, b = b, a
    return a if isinstance(b, int) and b == 0 else arithmetic.add(a, b)


def _times(a: int | Value, stride: int) -> int | Value:
    return a * stride if isinstance(a, int) else a if stride == 1 else arithmetic.mul(a, stride)
