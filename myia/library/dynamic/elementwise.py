"""Selection, new arrays, and attributes of dynamic arrays."""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import DynamicArray
from myia.infer.domain.values import NONE, Abstract, Ref, Static, Tuple, is_none
from myia.infer.dynamic import access
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise, assign
from myia.infer.indexing.masks import nonzero_indices
from myia.infer.operators import operators
from myia.infer.operators.truth import truth
from myia.infer.registry import FUNCTIONS, METHODS, for_dynamic_arrays, function, method, property_
from myia.library.numpy import selecting
from myia.library.numpy.arrays import array_methods, creation
from myia.library.numpy.arrays import shaping as shaping_
from myia.library.support.arguments import dtype_argument
from myia.library.support.dynamic_variants import operand
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant

MODULES_EXTENDED = (array_methods, creation, selecting, shaping_)


@for_dynamic_arrays(FUNCTIONS[np.where])
def _where(ctx: Context, condition: Abstract, *choices: Abstract) -> Abstract:
    xs = [operand(ctx, x) for x in (condition, *choices)]
    return apply_elementwise(ctx, xs, lambda xs: FUNCTIONS[np.where](ctx, *xs))


def _cast(ctx: Context, x: Ref, dtype: np.dtype) -> Abstract:
    astype = METHODS["array", "astype"]
    return apply_elementwise(ctx, [x], lambda xs: astype(ctx, *xs, Static(dtype)))


# ----- New arrays like another


def _like_rule(number: int | None):
    """A handler of `zeros_like` and its kin: filled with `number`, or with the second argument."""

    def rule(
        ctx: Context, a: Abstract, *args: Abstract, dtype: Abstract = NONE, **options: Abstract
    ) -> Abstract:
        value, *rest = (*args, NONE) if number is None else (Static(number), *args, NONE)
        if options or len(rest) > 2:
            refuse_dynamic(ctx, "an option")
        wanted = dtype_argument(ctx, rest[0] if is_none(dtype) else dtype)
        x = access.read(ctx, a)
        zeros = constant(0, wanted or x.value.dtype, x.value.shape)
        made = access.new_array(ctx, zeros, x.dynamic_axes)
        assign(ctx, made, value, casting="unsafe")
        return made

    return rule


for _function, _number in {
    np.zeros_like: 0,
    np.ones_like: 1,
    np.empty_like: 0,
    np.full_like: None,
}.items():
    for_dynamic_arrays(FUNCTIONS[_function])(_like_rule(_number))


@for_dynamic_arrays(METHODS["array", "fill"])
def _fill(ctx: Context, self: Abstract, value: Abstract) -> Abstract:
    assign(ctx, self, value, casting="unsafe")
    return NONE


def _converted(copy: bool):
    def rule(ctx: Context, a: Abstract, dtype: Abstract = NONE, **options: Abstract) -> Abstract:
        if not is_dynamic(ctx, a) or options:
            refuse_dynamic(ctx, "a sequence or an option")
        found = access.dtype_of(ctx, a)
        wanted = dtype_argument(ctx, dtype) or found
        return a if wanted == found and not copy else _cast(ctx, a, wanted)

    return rule


for_dynamic_arrays(FUNCTIONS[np.array])(_converted(copy=True))
for_dynamic_arrays(FUNCTIONS[np.asarray])(_converted(copy=False))

# ----- Indices of true elements


@method("array", "nonzero")
@function(np.nonzero)
def _nonzero(ctx: Context, a: Abstract) -> Abstract:
    """The indices along each axis, as dynamic arrays."""
    x = operand(ctx, a)
    if not isinstance(x, Ref):
        refuse_dynamic(ctx, "`numpy.nonzero` of a number")
    return Tuple(tuple(nonzero_indices(ctx, x)))


@function(np.flatnonzero)
def _flatnonzero(ctx: Context, a: Abstract) -> Abstract:
    x = operand(ctx, a)
    if not is_dynamic(ctx, x):
        x = ctx.call(Static(np.ravel), (x,), {})
    (indices,) = _nonzero(ctx, x).items
    return indices


for_dynamic_arrays(_nonzero)(_nonzero)
for_dynamic_arrays(_flatnonzero)(_flatnonzero)

# ----- Shapes and dtypes


@for_dynamic_arrays(FUNCTIONS[np.allclose])
def _allclose(ctx: Context, *args: Abstract, **options: Abstract) -> Abstract:
    close = ctx.call(Static(np.isclose), args, options)
    return truth(ctx, ctx.call(Static(np.all), (close,), {}))


@property_("dynamic", "T")
def _transposed(ctx: Context, self: Abstract) -> Abstract:
    """A read-only copy, invalidated by a write to the array that it shows."""
    x = access.read(ctx, self)
    order = tuple(reversed(range(x.value.aval.ndim)))
    if len(order) == 1:
        return self
    value = shaping.transpose(x.value, permutation=order)
    made = ctx.new(DynamicArray(value, x.dynamic_axes[::-1], "the transpose of a part"))
    ctx.heap.add_copy(self.id, made.id)
    return made


def _lengths(ctx: Context, x: Abstract) -> tuple[Abstract, ...]:
    dynamic_axes = access.dynamic_axes_of(ctx, x)
    shape = access.bounding_aval(ctx, x).shape
    return tuple(
        Static(n) if e is None else e.length.abstract() for n, e in zip(shape, dynamic_axes)
    )


@property_("dynamic", "shape")
def _shape(ctx: Context, self: Abstract) -> Abstract:
    return Tuple(_lengths(ctx, self))


@property_("dynamic", "size")
def _size(ctx: Context, self: Abstract) -> Abstract:
    total, *rest = _lengths(ctx, self)
    for count in rest:
        total = operators.binary(ctx, "*", total, count)
    return total


@property_("dynamic", "ndim")
def _ndim(ctx: Context, self: Abstract) -> Abstract:
    return Static(access.bounding_aval(ctx, self).ndim)


@property_("dynamic", "dtype")
def _dtype(ctx: Context, self: Abstract) -> Abstract:
    return Static(access.dtype_of(ctx, self))


@for_dynamic_arrays(FUNCTIONS[np.size])
def _size_of(ctx: Context, a: Abstract) -> Abstract:
    return _size(ctx, a)


@for_dynamic_arrays(FUNCTIONS[np.shape])
def _shape_of(ctx: Context, a: Abstract) -> Abstract:
    return _shape(ctx, a)
