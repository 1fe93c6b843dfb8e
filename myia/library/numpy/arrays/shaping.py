"""Shape and order of axes: views of the array wherever NumPy returns views."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from myia.infer.domain import memory_order
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.dynamic_views import raveled
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import ArrayObject, DynamicArray
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import (
    FALSE,
    NONE,
    Abstract,
    Ref,
    SliceValue,
    Static,
    Tuple,
    is_none,
)
from myia.infer.domain.views import Permute, Reshape, StridedSlice
from myia.infer.dynamic import access
from myia.infer.indexing.indexing import getitem
from myia.infer.operators import operators
from myia.infer.parameters import keeps_views
from myia.infer.registry import (
    as_is,
    function,
    method,
    property_,
)
from myia.infer.unsupported import UnsupportedFunction
from myia.library.support.arguments import (
    array,
    array_or_view,
    axes_argument,
    axis_argument,
    axis_number,
    broadcasts_to,
    integers,
    shape_argument,
    static_value,
    value_of,
)
from myia.primitives.arrays import shaping

C = Static("C")
ZERO = Static(0)
WHOLE = SliceValue(NONE, NONE, NONE)
ONE = Static(1)
BROADCAST = "the result of `np.broadcast_to`"  # why it is read-only
Shape = tuple[int, ...]


# ----- Views


def view_with_shape(ctx: Context, x: Abstract, shape: Shape) -> Abstract:
    """A view in a shape that differs by axes of length 1 only."""
    if isinstance(x, Ref):
        return ctx.view(x, Reshape(shape), boxed=True)
    return ctx.array(ctx.reshape(value_of(ctx, x), shape))


def permuted_view(ctx: Context, x: Abstract, order: Shape) -> Abstract:
    """A view with permuted axes."""
    return ctx.view(x, Permute(tuple(order)), boxed=True) if isinstance(x, Ref) else x


def view_of_slice(
    ctx: Context, x: Ref, axis: int, start: int, size: int, stride: int = 1
) -> Abstract:
    """The view of a strided slice along one axis."""
    shape = ctx.shape(x)
    starts, sizes, strides = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis], sizes[axis], strides[axis] = start, size, stride
    return ctx.view(x, StridedSlice(tuple(starts), tuple(sizes), tuple(strides), tuple(sizes)))


# ----- Another shape


def resolve_shape(ctx: Context, x: Abstract, shape: Abstract) -> Shape:
    """The new shape, with -1 replaced by the remaining length."""
    old, new = ctx.shape(x), integers(ctx, shape, "a shape")
    size = math.prod(old)
    if new.count(-1) == 1:
        known = math.prod(n for n in new if n != -1)
        if known and size % known == 0:
            new = tuple(size // known if n == -1 else n for n in new)
    if math.prod(new) != size or any(n < 0 for n in new):
        shown = str(new).replace(" ", "")
        ctx.fail(BadValue, message=f"cannot reshape array of size {size} into shape {shown}")
    return new


def axes_outermost_first(ctx: Context, x: Abstract, order: Abstract, function: str) -> Shape:
    """The axes of `x` from the outermost to the innermost in the memory order `order`."""
    axes = tuple(range(len(ctx.shape(x))))
    name = static_value(ctx, order, "the order")
    if name == "C" or len(axes) < 2:
        return axes
    if name == "F":
        return axes[::-1]
    known = memory_order.strided_model(ctx, x) if isinstance(x, Ref) else None
    if name not in ("A", "K") or known is None:
        help_text = "name the order, 'C' or 'F': how this array lies in memory is not known"
        ctx.fail(UnsupportedFunction, what=f"`order={name!r}` of `{function}`", help_text=help_text)
    if name == "K":
        return tuple(sorted(axes, key=lambda i: -abs(known.strides[i])))
    return axes[::-1] if known.flags.fnc else axes


@function(np.reshape, dynamic=as_is)
@keeps_views
def _reshape(
    ctx: Context, a: Abstract, shape: Abstract, order: Abstract = C, *, copy: Abstract = NONE
) -> Abstract:
    """`np.reshape`; order F is the transpose of a C-order reshape of the transpose."""
    if isinstance(a, Ref) and access.is_dynamic(ctx, a):
        sizes = integers(ctx, shape, "a shape")
        if sorted(sizes) != [-1] + [1] * (len(sizes) - 1):
            access.refuse_dynamic(ctx, "`reshape` to several axes")
        key = Tuple(tuple(WHOLE if n < 0 else NONE for n in sizes))
        flat = _raveled_dynamic(ctx, a, order)
        return flat if len(sizes) == 1 else getitem(ctx, flat, key)
    x = array_or_view(ctx, a)
    copies = static_value(ctx, copy, "`copy`")
    if copies and isinstance(x, Ref):
        x = ctx.array(ctx.read(x))
    if copies is False and not (isinstance(x, Ref) and memory_order.is_contiguous(ctx, x)):
        what = "`copy=False` of `numpy.reshape`, of what may not be contiguous,"
        ctx.fail(UnsupportedFunction, what=what)
    new = resolve_shape(ctx, x, shape)
    if not isinstance(x, Ref):
        return view_with_shape(ctx, x, new)
    axes = axes_outermost_first(ctx, x, order, "numpy.reshape")
    if axes == tuple(range(len(axes))):
        return memory_order.reshape(ctx, x, new)
    turned = ctx.view(x, Permute(axes))
    assert isinstance(turned, Ref)
    made = memory_order.reshape(ctx, turned, new[::-1])
    return permuted_view(ctx, made, tuple(reversed(range(len(new)))))


@method("array", "reshape", dynamic=as_is)
@method("number", "reshape")
@keeps_views
def _reshape_method(
    ctx: Context, self: Abstract, *shape: Abstract, order: Abstract = C, copy: Abstract = NONE
) -> Abstract:
    wanted = shape[0] if len(shape) == 1 else Tuple(shape)
    return _reshape(ctx, self, wanted, order, copy=copy)


@method("array", "ravel", dynamic=as_is)
@method("number", "ravel")
@function(np.ravel, dynamic=as_is)
@keeps_views
def _ravel(ctx: Context, a: Abstract, order: Abstract = C) -> Abstract:
    if isinstance(a, Ref) and access.is_dynamic(ctx, a):
        return _raveled_dynamic(ctx, a, order)
    x = array_or_view(ctx, a)
    if not isinstance(x, Ref):
        return view_with_shape(ctx, x, (1,))
    axes = axes_outermost_first(ctx, x, order, "numpy.ravel")
    turned = x if len(axes) < 2 else ctx.view(x, Permute(axes))
    assert isinstance(turned, Ref)
    return memory_order.ravel(ctx, turned)


def _raveled_dynamic(ctx: Context, x: Ref, order: Abstract, copy: bool = False) -> Abstract:
    """In C order; of several axes it is read only, unless it is a `copy`."""
    axes = access.dynamic_axes_of(ctx, x)
    if static_value(ctx, order, "the order") != "C" and len(axes) > 1:
        access.refuse_dynamic(ctx, "`order` for an axis")
    if len(axes) == 1 and not copy:
        return x
    value, dynamic_axis = raveled(access.read(ctx, x))
    found = access.new_array(ctx, value, (dynamic_axis,))
    if not copy and isinstance(found, Ref):
        contents = ctx.contents_as(found, DynamicArray)
        ctx.heap.objects[found.id] = replace(contents, readonly="a raveled array of run-time size")
        ctx.heap.add_copy(x.id, found.id)
    return found


@method("array", "flatten", dynamic=as_is)
@method("number", "flatten")
def _flatten(ctx: Context, a: Abstract, order: Abstract = C) -> Abstract:
    if isinstance(a, Ref) and access.is_dynamic(ctx, a):
        return _raveled_dynamic(ctx, a, order, copy=True)
    axes = axes_outermost_first(ctx, a, order, "flatten")
    value = value_of(ctx, permuted_view(ctx, a, axes))
    return ctx.array(ctx.reshape(value, (value.aval.size,)))


@method("array", "squeeze")
@method("number", "squeeze")
@function(np.squeeze)
@keeps_views
def _squeeze(ctx: Context, a: Abstract, axis: Abstract = NONE) -> Abstract:
    x = array_or_view(ctx, a)
    shape = ctx.shape(x)
    axes = axes_argument(ctx, axis, len(shape))
    if is_none(axis):
        axes = tuple(i for i in axes if shape[i] == 1)
    if any(shape[i] != 1 for i in axes):
        message = "cannot select an axis to squeeze out which has size not equal to one"
        ctx.fail(BadValue, message=message)
    return view_with_shape(ctx, x, tuple(n for i, n in enumerate(shape) if i not in axes))


@function(np.expand_dims)
@keeps_views
def _expand_dims(ctx: Context, a: Abstract, axis: Abstract) -> Abstract:
    x = array_or_view(ctx, a)
    wanted = integers(ctx, axis, "an axis")
    ndim = len(wanted) + len(ctx.shape(x))
    axes = axes_argument(ctx, Tuple(tuple(map(Static, wanted))), ndim)
    lengths = iter(ctx.shape(x))
    return view_with_shape(ctx, x, tuple(1 if i in axes else next(lengths) for i in range(ndim)))


def _at_least(ndim: int, place: Callable[[Shape], Shape]) -> Callable[..., Abstract]:
    def handler(ctx: Context, *arys: Abstract) -> Abstract:
        found = []
        for a in arys:
            x = array_or_view(ctx, a)
            shape = ctx.shape(x)
            found.append(x if len(shape) >= ndim else view_with_shape(ctx, x, place(shape)))
        return found[0] if len(found) == 1 else Tuple(tuple(found))

    return keeps_views(handler)


function(np.atleast_1d)(_at_least(1, lambda shape: (1,)))
function(np.atleast_2d)(_at_least(2, lambda shape: (1, *shape) if shape else (1, 1)))
function(np.atleast_3d)(
    _at_least(3, lambda shape: {0: (1, 1, 1), 1: (1, *shape, 1)}.get(len(shape), (*shape, 1)))
)


# ----- Another order of the axes


@function(np.transpose)
@keeps_views
def _transpose(ctx: Context, a: Abstract, axes: Abstract = NONE) -> Abstract:
    x = array_or_view(ctx, a)
    ndim = len(ctx.shape(x))
    if is_none(axes):
        return permuted_view(ctx, x, tuple(reversed(range(ndim))))
    order = tuple(axis_number(ctx, i, ndim) for i in integers(ctx, axes, "an axis"))
    if sorted(order) != list(range(ndim)):
        ctx.fail(BadValue, message="axes don't match array")
    return permuted_view(ctx, x, order)


@method("array", "transpose")
@method("number", "transpose")
@keeps_views
def _transpose_method(ctx: Context, self: Abstract, *axes: Abstract) -> Abstract:
    if len(axes) <= 1:
        return _transpose(ctx, self, *axes)
    return _transpose(ctx, self, Tuple(axes))


@function(np.matrix_transpose, np.linalg.matrix_transpose)
@keeps_views
def _matrix_transpose(ctx: Context, x: Abstract) -> Abstract:
    return _swapaxes(ctx, x, Static(-1), Static(-2))


@method("array", "swapaxes")
@function(np.swapaxes)
@keeps_views
def _swapaxes(ctx: Context, a: Abstract, axis1: Abstract, axis2: Abstract) -> Abstract:
    x = array_or_view(ctx, a)
    order = list(range(len(ctx.shape(x))))
    i, j = (axis_argument(ctx, axis, len(order)) for axis in (axis1, axis2))
    order[i], order[j] = order[j], order[i]
    return permuted_view(ctx, x, tuple(order))


@function(np.moveaxis)
@keeps_views
def _moveaxis(ctx: Context, a: Abstract, source: Abstract, destination: Abstract) -> Abstract:
    x = array_or_view(ctx, a)
    ndim = len(ctx.shape(x))
    sources, places = axes_argument(ctx, source, ndim), axes_argument(ctx, destination, ndim)
    order = [i for i in range(ndim) if i not in sources]
    for place, axis in sorted(zip(places, sources)):
        order.insert(place, axis)
    return permuted_view(ctx, x, tuple(order))


# ----- Read-only views


@function(np.broadcast_to)
@keeps_views
def _broadcast_to(
    ctx: Context, array_: Abstract, shape: Abstract, subok: Abstract = FALSE
) -> Abstract:
    return _broadcast(ctx, array_or_view(ctx, array_), shape_argument(ctx, shape))


def _broadcast(ctx: Context, x: Abstract, shape: Shape) -> Abstract:
    if not broadcasts_to(ctx.shape(x), shape):
        message = f"an array of shape {ctx.shape(x)} cannot be broadcast to {shape}"
        ctx.fail(BadValue, message=message)
    value = broadcast_to(value_of(ctx, x), shape)
    if not isinstance(x, Ref):
        return ctx.new(ArrayObject(value, BROADCAST)) if shape else ctx.array(value)
    return readonly_snapshot(ctx, x, value, BROADCAST)


@function(np.broadcast_arrays)
@keeps_views
def _broadcast_arrays(ctx: Context, *args: Abstract) -> Abstract:
    xs = [array_or_view(ctx, a) for a in args]
    shape = np.broadcast_shapes(*(ctx.shape(x) for x in xs))
    return Tuple(tuple(_broadcast(ctx, x, shape) for x in xs))


# ----- Properties of the shape


def _any_array(ctx: Context, a: Abstract) -> Abstract:
    return a if access.is_dynamic(ctx, a) else array(ctx, a)


def _property(name: str) -> Callable[..., Abstract]:
    return lambda ctx, a: ctx.getattr(_any_array(ctx, a), name)


function(np.ndim, dynamic=as_is)(_property("ndim"))
function(np.shape, dynamic=as_is)(_property("shape"))


@function(np.size, dynamic=as_is)
def _size(ctx: Context, a: Abstract, axis: Abstract = NONE) -> Abstract:
    x = _any_array(ctx, a)
    if is_none(axis):
        return ctx.getattr(x, "size")
    lengths = ctx.list_items(ctx.getattr(x, "shape"))
    return _product(ctx, [lengths[i] for i in axes_argument(ctx, axis, len(lengths))])


def _product(ctx: Context, numbers: Sequence[Abstract]) -> Abstract:
    return reduce(lambda a, b: operators.binary(ctx, "*", a, b), numbers)


# ----- Of dynamic arrays


@property_("dynamic", "T")
def _transposed(ctx: Context, self: Ref) -> Abstract:
    """A read-only copy, invalidated by a write to the array that it shows."""
    x = access.read(ctx, self)
    order = tuple(reversed(range(x.value.aval.ndim)))
    if len(order) == 1:
        return self
    value = shaping.transpose(x.value, permutation=order)
    made = ctx.new(DynamicArray(value, x.dynamic_axes[::-1], "the transpose of a part"))
    ctx.heap.add_copy(self.id, made.id)
    return made


def _lengths(ctx: Context, x: Ref) -> tuple[Abstract, ...]:
    dynamic_axes = access.dynamic_axes_of(ctx, x)
    shape = access.bounding_aval(ctx, x).shape
    return tuple(
        Static(n) if e is None else e.length.abstract() for n, e in zip(shape, dynamic_axes)
    )


@property_("dynamic", "shape")
def _dynamic_shape(ctx: Context, self: Ref) -> Abstract:
    return Tuple(_lengths(ctx, self))


@property_("dynamic", "size")
def _dynamic_size(ctx: Context, self: Ref) -> Abstract:
    return _product(ctx, _lengths(ctx, self))


@property_("dynamic", "ndim")
def _dynamic_ndim(ctx: Context, self: Ref) -> Abstract:
    return Static(access.bounding_aval(ctx, self).ndim)


@property_("dynamic", "dtype")
def _dtype(ctx: Context, self: Ref) -> Abstract:
    return Static(access.dtype_of(ctx, self))
