"""New arrays: filled with a number, like another array, from arrays and sequences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.dynamic_axes import pad_masked
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.memory_order import copy_of, is_contiguous, result_like, strided_model
from myia.infer.domain.values import FALSE, NONE, TRUE, Abstract, Ref, Scalar, Static, is_none
from myia.infer.dynamic import access
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise, assign
from myia.infer.lists.nested_sequences import as_array, common_dtype
from myia.infer.parameters import keeps_views
from myia.infer.paths.branches import on_each
from myia.infer.registry import (
    for_dynamic_arrays,
    function,
)
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.core import Value
from myia.library.numpy.arrays.shaping import view_with_shape
from myia.library.support.arguments import (
    WITHOUT_AXES,
    array,
    boxed,
    broadcasts_to,
    cast,
    copy_array,
    dtype_argument,
    dtype_of,
    dynamic_shape,
    integer,
    mask_argument,
    numeric,
    require_c_order,
    shape_argument,
    static_value,
    value_of,
)
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

F64 = np.dtype(np.float64)
K = Static("K")
C = Static("C")
ZERO = Static(0)
# NumPy's message.
UNAVOIDABLE_COPY = (
    "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, "
    "copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed (no behavior "
    "change in NumPy 1.x)."
)

# ----- Filled with one number


def _filled(name: str, number: int) -> Callable[..., Abstract]:
    def handler(
        ctx: Context, shape: Abstract, dtype: Abstract = NONE, order: Abstract = C
    ) -> Abstract:
        require_c_order(ctx, f"numpy.{name}", order)
        wanted = dtype_argument(ctx, dtype) or F64
        sizes = dynamic_shape(ctx, shape, wanted.itemsize)
        if sizes is not None:
            bounds, axes = sizes
            return access.new_array(ctx, pad_masked(constant(number, wanted, bounds), axes), axes)
        return boxed(ctx, ctx.array(constant(number, wanted, shape_argument(ctx, shape))))

    return handler


def _filled_like(name: str, number: int) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        dtype: Abstract = NONE,
        order: Abstract = K,
        subok: Abstract = TRUE,
        shape: Abstract = NONE,
    ) -> Abstract:
        return _like(ctx, name, array(ctx, a), Static(number), dtype, order, shape)

    return handler


def _like(
    ctx: Context,
    name: str,
    x: Abstract,
    fill: Abstract,
    dtype: Abstract,
    order: Abstract,
    shape: Abstract,
) -> Abstract:
    require_c_order(ctx, f"numpy.{name}", order)
    wanted = dtype_argument(ctx, dtype) or dtype_of(ctx, x)
    new_shape = ctx.shape(x) if is_none(shape) else shape_argument(ctx, shape)
    value = _spread(ctx, cast(ctx, fill, wanted), new_shape)
    return boxed(ctx, result_like(ctx, value, x) if is_none(shape) else ctx.array(value))


def _like_dynamic(number: int | None) -> Callable[..., Abstract]:
    """`zeros_like` of dynamic arrays: filled with `number`, or with the second argument."""

    def rule(
        ctx: Context, a: Ref, *args: Abstract, dtype: Abstract = NONE, **options: Abstract
    ) -> Abstract:
        value, *rest = (*args, NONE) if number is None else (Static(number), *args, NONE)
        if options or len(rest) > 2:
            refuse_dynamic(ctx, "an option")
        wanted = dtype_argument(ctx, rest[0] if is_none(dtype) else dtype)
        x = access.read(ctx, a)
        zeros = constant(0, wanted or x.value.dtype, x.value.shape)
        made = access.new_array(ctx, zeros, x.dynamic_axes)
        assert isinstance(made, Ref)
        assign(ctx, made, value, casting="unsafe")
        return made

    return rule


@function(np.ndarray)
def _ndarray(
    ctx: Context,
    shape: Abstract,
    dtype: Abstract = NONE,
    buffer: Abstract = NONE,
    offset: Abstract = ZERO,
    strides: Abstract = NONE,
    order: Abstract = NONE,
) -> Abstract:
    """A new array, as of `np.empty`."""
    if not (is_none(buffer) and is_none(strides)) or offset != ZERO:
        help_text = "make an array by NumPy's functions: `np.frombuffer`, `np.reshape`"
        ctx.fail(UnsupportedFunction, what="`np.ndarray` of a buffer", help_text=help_text)
    return _filled("ndarray", 0)(ctx, shape, dtype, C if is_none(order) else order)


# The elements of `np.empty` are unspecified: they are zeros here.
for _name, _number in {"zeros": 0, "ones": 1, "empty": 0}.items():
    function(getattr(np, _name))(_filled(_name, _number))
    _name = f"{_name}_like"
    _handler = function(getattr(np, _name))(_filled_like(_name, _number))
    for_dynamic_arrays(_handler)(_like_dynamic(_number))


@function(np.full)
def _full(
    ctx: Context,
    shape: Abstract,
    fill_value: Abstract,
    dtype: Abstract = NONE,
    order: Abstract = C,
) -> Abstract:
    require_c_order(ctx, "numpy.full", order)
    fill = numeric(ctx, fill_value)
    wanted = dtype_argument(ctx, dtype) or dtype_of(ctx, fill)
    if not ctx.shape(fill) and (sizes := dynamic_shape(ctx, shape, wanted.itemsize)) is not None:
        return access.new_array(ctx, _spread(ctx, cast(ctx, fill, wanted), sizes[0]), sizes[1])
    new_shape = shape_argument(ctx, shape)
    return boxed(ctx, ctx.array(_spread(ctx, cast(ctx, fill, wanted), new_shape)))


def _spread(ctx: Context, x: Abstract, shape: tuple[int, ...]) -> Value:
    """`x` broadcast to exactly `shape`."""
    if not broadcasts_to(ctx.shape(x), shape):
        message = f"could not broadcast input array from shape {ctx.shape(x)} into shape {shape}"
        ctx.fail(BadValue, message=message)
    return broadcast_to(value_of(ctx, x), shape)


@function(np.full_like)
def _full_like(
    ctx: Context,
    a: Abstract,
    fill_value: Abstract,
    dtype: Abstract = NONE,
    order: Abstract = K,
    subok: Abstract = TRUE,
    shape: Abstract = NONE,
) -> Abstract:
    fill = numeric(ctx, fill_value)
    return _like(ctx, "full_like", array(ctx, a), fill, dtype, order, shape)


# ----- From arrays and sequences


@function(np.array)
@keeps_views
def _array(
    ctx: Context,
    object: Abstract,
    dtype: Abstract = NONE,
    *,
    copy: Abstract = TRUE,
    order: Abstract = K,
    ndmin: Abstract = ZERO,
) -> Abstract:
    require_c_order(ctx, "numpy.array", order)
    result = _converted(ctx, object, dtype_argument(ctx, dtype))
    wanted = static_value(ctx, copy, "copy")
    if result is not object and wanted is False:
        ctx.fail(BadValue, message=UNAVOIDABLE_COPY)
    if result is object and wanted:
        result = copy_array(ctx, ctx.number(result))
    least = integer(ctx, ndmin, "ndmin")

    def with_axes(x: Abstract) -> Abstract:
        missing = least - len(ctx.shape(x))
        if missing > 0:
            x = view_with_shape(ctx, x, (1,) * missing + ctx.shape(x))
        return boxed(ctx, x)

    # Numbers of two kinds make arrays of two dtypes.
    return on_each(ctx, [result], lambda found: with_axes(found[0]))


@function(np.asarray, np.asanyarray)
@keeps_views
def _asarray(
    ctx: Context,
    a: Abstract,
    dtype: Abstract = NONE,
    order: Abstract = NONE,
    *,
    copy: Abstract = NONE,
) -> Abstract:
    return _array(ctx, a, dtype, copy=copy, order=order)


def _converted(ctx: Context, x: Abstract, dtype: np.dtype | None) -> Abstract:
    """`x` as an array of `dtype`; only an array may lose its imaginary part."""
    real = dtype is not None and dtype.kind not in "cb"
    if real and not ctx.is_array(x) and common_dtype(ctx, x).kind == "c":
        ctx.fail(BadType, message="float() argument must be a real number, not 'complex'")
    if ctx.is_array(x) and (dtype is None or dtype == dtype_of(ctx, x)):
        return x
    return as_array(ctx, x, dtype)


@function(np.ascontiguousarray)
@keeps_views
def _ascontiguousarray(ctx: Context, a: Abstract, dtype: Abstract = NONE) -> Abstract:
    x = _asarray(ctx, a, dtype)
    if not ctx.shape(x):
        return view_with_shape(ctx, x, (1,))
    assert isinstance(x, Ref)
    if is_contiguous(ctx, x):
        return x
    return copy_of(ctx, x, ctx.shape(x), may_be_view=strided_model(ctx, x) is None)


@function(np.copy)
def _copy(ctx: Context, a: Abstract, order: Abstract = K, subok: Abstract = FALSE) -> Abstract:
    require_c_order(ctx, "numpy.copy", order)
    return boxed(ctx, copy_array(ctx, array(ctx, a)))


@function(np.copyto)
@keeps_views
def _copyto(
    ctx: Context, dst: Ref, src: Abstract, casting: Abstract = NONE, where: Abstract = TRUE
) -> Abstract:
    if isinstance(dst, Scalar) and dst.boxed:
        ctx.fail(UnsupportedFunction, what=WITHOUT_AXES)
    if not ctx.is_array(dst):
        ctx.fail(BadType, message=f"copyto() argument 1 must be an array, not {ctx.describe(dst)}")
    dtype, shape = dtype_of(ctx, dst), ctx.shape(dst)
    new = _spread(ctx, as_array(ctx, numeric(ctx, src), dtype), shape)
    mask = mask_argument(ctx, where, shape)
    ctx.store(dst, new if mask is None else logic.select(mask, new, ctx.read(dst)))
    return NONE


# ----- Dynamic arrays


for_dynamic_arrays(_full_like)(_like_dynamic(None))


def _converted_dynamic(copy: bool) -> Callable[..., Abstract]:
    def rule(ctx: Context, a: Ref, dtype: Abstract = NONE, **options: Abstract) -> Abstract:
        if not is_dynamic(ctx, a) and not options:
            return ctx.call(Static(np.stack), (a,), {} if is_none(dtype) else {"dtype": dtype})
        if not is_dynamic(ctx, a) or options:
            refuse_dynamic(ctx, "a sequence or an option")
        found = access.dtype_of(ctx, a)
        wanted = dtype_argument(ctx, dtype) or found
        if wanted == found and not copy:
            return a
        return apply_elementwise(ctx, [a], lambda xs: cast(ctx, xs[0], wanted))

    return rule


for_dynamic_arrays(_array)(_converted_dynamic(copy=True))
for_dynamic_arrays(_asarray)(_converted_dynamic(copy=False))
