"""Attributes and methods of arrays and NumPy's scalars that are no functions of NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import PYTHON_TYPES, broadcast_to, is_number
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import ArrayObject, FlatView, ViewObject
from myia.infer.domain.heap_arrays import type_of_array
from myia.infer.domain.memory_order import is_contiguous, ravel, readonly_snapshot
from myia.infer.domain.values import (
    NONE,
    TRUE,
    Abstract,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_ref,
    is_none,
    is_static_number,
)
from myia.infer.domain.views import Reshape
from myia.infer.dynamic.broadcasting import assign
from myia.infer.indexing.indexing import getitem, setitem
from myia.infer.numeric.constant_methods import evaluated
from myia.infer.numeric.integer_checks import as_python_int
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.parameters import keeps_views
from myia.infer.registry import (
    METHODS,
    PROPERTIES,
    as_is,
    for_dynamic_arrays,
    function,
    method,
    property_,
    setter,
)
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.library.numpy.arrays.shaping import permuted_view, resolve_shape
from myia.library.source.python.integers import bit_count, bit_length
from myia.library.support.arguments import (
    array_or_view,
    cast,
    copy_array,
    dtype_argument,
    dtype_of,
    integers,
    numeric,
    require_c_order,
    static_flag,
    static_value,
    value_of,
)
from myia.library.support.dynamic_variants import elementwise
from myia.library.support.from_source import call_source
from myia.library.support.value_formulas import conjugate
from myia.primitives.core.define import zeros
from myia.primitives.pointwise import logic, transcendental

K = Static("K")
C = Static("C")


# ----- Attributes evaluated at compile time


def _static_attribute(name: str, fact: Callable[[Aval], Abstract]) -> None:
    """Register an attribute that depends on the dtype and the shape only."""

    def handler(ctx: Context, self: Abstract) -> Abstract:
        return fact(Aval(dtype_of(ctx, self), ctx.shape(self)))

    for kind in ("array", "number"):
        property_(kind, name)(handler)


_static_attribute("shape", lambda x: Tuple(tuple(map(Static, x.shape))))
_static_attribute("ndim", lambda x: Static(x.ndim))
_static_attribute("size", lambda x: Static(x.size))
_static_attribute("dtype", lambda x: Static(x.dtype))
_static_attribute("itemsize", lambda x: Static(x.dtype.itemsize))
_static_attribute("nbytes", lambda x: Static(x.nbytes))


# ----- Views


@property_("array", "T")
@property_("number", "T")
@keeps_views
def _t(ctx: Context, self: Abstract) -> Abstract:
    return permuted_view(ctx, self, tuple(reversed(range(len(ctx.shape(self))))))


@property_("array", "mT")
def _mt(ctx: Context, self: Abstract) -> Abstract:
    ndim = len(ctx.shape(self))
    if ndim < 2:
        message = "matrix transpose with ndim < 2 is undefined"
        ctx.fail(BadValue, message=message)
    return permuted_view(ctx, self, (*range(ndim - 2), ndim - 1, ndim - 2))


@dataclass(frozen=True, eq=False)
class ComplexPart:
    """The view `x.real` or `x.imag` of a complex array."""

    imaginary: bool

    def aval(self, x: Aval) -> Aval:
        return x.with_dtype(transcendental.real_dtype(x.dtype))

    def read(self, x: Value) -> Value:
        return (transcendental.imag if self.imaginary else transcendental.real)(x)

    def write(self, x: Value, v: Value) -> Value:
        if self.imaginary:
            return transcendental.complex(transcendental.real(x), v)
        return transcendental.complex(v, transcendental.imag(x))


def _complex_part_attribute(name: str, imaginary: bool) -> None:
    def handler(ctx: Context, self: Abstract) -> Abstract:
        if is_static_number(self):
            return Static(getattr(self.value, name))
        if dtype_of(ctx, self).kind == "c":
            return _complex_part(ctx, self, ComplexPart(imaginary))
        if not imaginary:
            return self
        if not isinstance(self, Ref):
            return Scalar(zeros(value_of(ctx, self).aval), operand_dtype(ctx, self)[1])
        return readonly_snapshot(ctx, self, zeros(value_of(ctx, self).aval), "the imaginary part")

    for kind in ("array", "number", "python"):
        property_(kind, name)(keeps_views(handler))

    @keeps_views
    def of_anything(ctx: Context, val: Abstract) -> Abstract:
        x = val if isinstance(val, (Static, Scalar)) else array_or_view(ctx, val)
        return handler(ctx, x)

    function(getattr(np, name), dynamic=elementwise(1))(of_anything)


def _complex_part(ctx: Context, x: Abstract, part: ComplexPart) -> Abstract:
    if isinstance(x, Ref):
        return ctx.view(x, part, boxed=True)
    return Scalar(part.read(value_of(ctx, x)), operand_dtype(ctx, x)[1])


_complex_part_attribute("real", imaginary=False)
_complex_part_attribute("imag", imaginary=True)


@property_("array", "flat")
def _flat(ctx: Context, self: Ref) -> Abstract:
    """The elements in C order; read-only for an array that is not contiguous."""
    if is_contiguous(ctx, self):
        found = as_ref(ravel(ctx, self))
        view = ctx.contents_as(found, ViewObject)
        ctx.heap.objects[found.id] = FlatView(view.base, view.step)
        return found
    value = ctx.read(self)
    flat = ctx.reshape(value, (value.aval.size,))
    return readonly_snapshot(ctx, self, flat, "the elements of an array that is not contiguous")


def _set_by(name: str) -> Callable[..., None]:
    """Assigning to the attribute writes into the array."""
    return lambda ctx, self, value: setitem(
        ctx, PROPERTIES["array", name](ctx, self), Static(...), value
    )


setter("array", "real")(_set_by("real"))
setter("array", "imag")(_set_by("imag"))


@setter("array", "flat")
def _set_flat(ctx: Context, self: Ref, value: Abstract) -> None:
    """`x.flat = value`, whose elements are repeated, or left out, as it needs."""
    size = Static(math.prod(ctx.shape(self)))
    if not is_number(value):
        value = ctx.call(Static(np.resize), (value, size), {})
    _set_by("flat")(ctx, self, value)


@setter("array", "shape")
def _set_shape(ctx: Context, self: Ref, shape: Abstract) -> None:
    """`x.shape = ...`: the same array is a view, in another shape, of a new one with its elements.

    So is what views of it are views of.
    """
    new, heap = resolve_shape(ctx, self, shape), ctx.heap
    if not is_contiguous(ctx, self):
        message = (
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with "
            "the desired shape."
        )
        ctx.fail(BadValue, message=message, exception="AttributeError")
    contents = ctx.contents(self)
    linked = any(self.id in (id, *others) for id, others in heap.alias_edges.items())
    is_one = isinstance(contents, ViewObject) or (
        isinstance(contents, ArrayObject) and contents.points_to is None
    )
    if self.id < 0 or linked or not is_one or new == ():
        what = "`x.shape = ...` of an argument, or of an array that may have another name,"
        ctx.fail(UnsupportedFunction, what=what, help_text="write `x = x.reshape(...)`")
    base = ctx.new(contents)
    for id, other in list(heap.objects.items()):
        if isinstance(other, ViewObject) and other.base == self.id:
            heap.objects[id] = replace(other, base=base.id)
    found, step = ctx.composed_view(base, Reshape(new))
    ctx.write(self, ViewObject(found.id, step))


@method("array", "partition")
def _partition(ctx: Context, self: Ref, kth: Abstract, axis: Abstract = Static(-1)) -> Abstract:
    """A sort: NumPy does not specify the order within the partitions."""
    return METHODS["array", "sort"](ctx, self, axis)


# ----- Copies and conversions


@method("array", "astype", dynamic=elementwise(1))
@method("number", "astype")
@keeps_views
def _astype(
    ctx: Context,
    self: Abstract,
    dtype: Abstract,
    order: Abstract = K,
    casting: Abstract = NONE,
    subok: Abstract = TRUE,
    copy: Abstract = TRUE,
) -> Abstract:
    require_c_order(ctx, "astype", order)
    wanted = dtype_argument(ctx, dtype) or np.dtype(np.float64)
    rule: Any = "unsafe" if is_none(casting) else static_value(ctx, casting, "the casting rule")
    if not np.can_cast(dtype_of(ctx, self), wanted, rule):
        message = f"Cannot cast array data from {dtype_of(ctx, self)} to {wanted} by '{rule}'"
        ctx.fail(BadType, message=message)
    if wanted == dtype_of(ctx, self) and not static_flag(ctx, copy, "copy"):
        return self
    return cast(ctx, ctx.number(self), wanted)


@method("array", "view", dynamic=as_is)
def _view(ctx: Context, self: Ref, dtype: Abstract = NONE) -> Abstract:
    """Of the same elements, not of their bytes."""
    wanted = dtype_argument(ctx, dtype)
    if wanted is not None and wanted != type_of_array(ctx.heap, self.id)[0].dtype:
        ctx.fail(UnsupportedFunction, what="`view` of an array as one of another dtype")
    return getitem(ctx, self, Static(...))


@method("array", "copy", dynamic=elementwise(1))
@method("number", "copy")
def _copy(ctx: Context, self: Abstract, order: Abstract = C) -> Abstract:
    require_c_order(ctx, "copy", order)
    if not isinstance(self, Ref):
        return self
    in_c_order = static_value(ctx, order, "the order") == "C"
    return ctx.array(ctx.read(self)) if in_c_order else copy_array(ctx, self)


@method("array", "__copy__", "__deepcopy__")
def _copy_protocol(ctx: Context, self: Abstract, *memo: Abstract) -> Abstract:
    return copy_array(ctx, self)


@method("array", "item")
@method("number", "item")
def _item(ctx: Context, self: Abstract, *args: Abstract) -> Abstract:
    """The one element, or the element at an index, as a Python number."""
    if args:
        found = _element(ctx, self, args[0] if len(args) == 1 else Tuple(args))
        return _item(ctx, found)
    if is_static_number(self):
        return Static(np.asarray(self.value).item())
    value = value_of(ctx, self)
    if value.aval.size != 1:
        message = "can only convert an array of size 1 to a Python scalar"
        ctx.fail(BadValue, message=message)
    return _python_number(ctx, ctx.reshape(value, ()))


def _element(ctx: Context, x: Abstract, index: Abstract) -> Abstract:
    shape = ctx.shape(x)
    indices = integers(ctx, index, "the index of an element")
    try:
        multi_index = indices if len(indices) == len(shape) else np.unravel_index(indices[0], shape)
    except (TypeError, ValueError) as e:
        ctx.fail(BadValue, message=str(e), exception="IndexError")
    key = Tuple(tuple(Static(int(i)) for i in multi_index))
    return getitem(ctx, x, key)


def _python_number(ctx: Context, value: Value) -> Abstract:
    """A NumPy scalar as a Python number, which has 64 bits."""
    wide = {"b": bool, "i": np.int64, "u": np.int64, "f": np.float64, "c": np.complex128}
    kind = value.dtype.kind
    if value.dtype == np.uint64:
        return Scalar(as_python_int(ctx, value), True, 0)
    info = np.iinfo(value.dtype) if kind in "iu" and value.dtype != np.int64 else None
    bounds = (None, None) if info is None else (int(info.min), int(info.max))
    return Scalar(value_of(ctx, Scalar(value, False), np.dtype(wide[kind])), True, *bounds)


@method("array", "fill")
@keeps_views
def _fill(ctx: Context, self: Ref, value: Abstract) -> Abstract:
    dtype = dtype_of(ctx, self)
    filled = element(ctx, numeric(ctx, value), dtype)
    ctx.store(self, broadcast_to(value_of(ctx, filled, dtype), ctx.shape(self)))
    return NONE


@for_dynamic_arrays(_fill)
def _fill_dynamic(ctx: Context, self: Ref, value: Abstract) -> Abstract:
    assign(ctx, self, value, casting="unsafe")
    return NONE


@method("array", "conj", "conjugate", dynamic=elementwise(1))
@method("number", "conj", "conjugate")
@keeps_views
def _conjugate(ctx: Context, self: Abstract) -> Abstract:
    """Real arrays stay themselves; the function `np.conjugate` copies them."""
    if dtype_of(ctx, self).kind != "c":
        return self
    return ctx.call(Static(np.conjugate), (self,), {})


@method("python", "conjugate")
def _conjugate_number(ctx: Context, self: Abstract) -> Abstract:
    if is_static_number(self):
        return Static(self.value.conjugate())
    return Scalar(conjugate(value_of(ctx, self)), weak=True)


@method("python", "is_integer")
@method("number", "is_integer")
def _is_integer(ctx: Context, self: Abstract) -> Abstract:
    if is_static_number(self):
        return Static(float(self.value).is_integer())
    x = value_of(ctx, self)
    if x.dtype.kind in "biu":
        return TRUE
    return Scalar(logic.eq(transcendental.floor(x), x), weak=True)


def _of_bits(name: str, count: Callable[[Any], Any]) -> Callable[[Context, Abstract], Abstract]:
    def method_of_int(ctx: Context, self: Abstract) -> Abstract:
        if (known := evaluated(ctx, getattr(int, name), self)) is not None:
            return known
        if (cls := PYTHON_TYPES[value_of(ctx, self).dtype.kind]) not in (int, bool):
            message = f"{cls.__name__!r} object has no attribute {name!r}"
            ctx.fail(BadValue, message=message, exception="AttributeError")
        found = call_source(ctx, count, (self,), {})
        return Scalar(value_of(ctx, found), True, 0, 64)

    return method_of_int


for _count in (bit_count, bit_length):
    method("python", _count.__name__)(_of_bits(_count.__name__, _count))


@method("array", "tolist")
def _tolist(ctx: Context, self: Abstract) -> Abstract:
    items = ctx.list_items(self)
    made = [_tolist(ctx, x) if isinstance(x, Ref) else _item(ctx, x) for x in items]
    return ctx.call(Static(list), (Tuple(tuple(made)),), {})


def nested_lists(x: Any) -> Any:
    return [row.tolist() for row in x] if x.ndim > 1 else [number.item() for number in x]


@for_dynamic_arrays(_tolist)
def _dynamic_tolist(ctx: Context, self: Abstract) -> Abstract:
    return call_source(ctx, nested_lists, (self,), {})
