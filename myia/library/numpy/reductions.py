"""Reductions along axes: sums, products, quantifiers, extrema; cumulative sums and products.

A reduction computes in NumPy's dtype: the operand is converted before it, not the result after it.
The dtype of `out=` takes part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, convert
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.memory_order import ravel, result_like
from myia.infer.domain.values import FALSE, NONE, TRUE, Abstract, Ref, Static, is_none
from myia.infer.domain.views import reshape
from myia.infer.numeric import floating_point_errors
from myia.infer.registry import Variant, function, is_given, method
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.core import Value
from myia.library.support.arguments import (
    array,
    axis_argument,
    common_with_out,
    dtype_argument,
    dtype_of,
    element_of,
    mask_argument,
    reduction_axes,
    selects_all,
    static_flag,
    store_out,
    sum_dtype,
    value_of,
)
from myia.library.support.dynamic_variants import Neutral, accumulated_with, masked_with
from myia.library.support.value_formulas import truth
from myia.primitives.arrays import cumulative, reductions, sorting
from myia.primitives.core.define import CallablePrimitive
from myia.primitives.pointwise import arithmetic, logic

Shape = tuple[int, ...]


def keep_reduced_axes(value: Value, shape: Shape, axes: Shape) -> Value:
    """`keepdims=True`: the result of a reduction with the reduced axes at length 1."""
    return reshape(value, tuple(1 if i in axes else n for i, n in enumerate(shape)))


def operand_and_axis(ctx: Context, x: Abstract, axis: Abstract) -> tuple[Abstract, int]:
    """The operand and the axis; without an axis the flattened operand and 0."""
    if is_none(axis) or (not ctx.shape(x) and axis_argument(ctx, axis, 1) == 0):
        return _flat(ctx, x), 0
    return x, axis_argument(ctx, axis, len(ctx.shape(x)))


def _flat(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Ref):
        return ravel(ctx, x)
    return ctx.array(reshape(value_of(ctx, x), (1,)))


def _both_spellings(numpy: Callable, handler: Callable, dynamic: Variant) -> None:
    """Register a function that is a method too, of arrays and of NumPy's scalars."""
    function(numpy, dynamic=dynamic)(handler)
    for kind in ("array", "number"):
        method(kind, numpy.__name__)(handler)


# ----- Reductions

NO_IDENTITY = "zero-size array to reduction operation {} which has no identity"


@dataclass(frozen=True)
class _Reduction:
    """`np.sum` and its like.

    `names`: the arguments after the axis, as they are given by position; `kinds`: of the supported
    dtypes; `computed`: the dtype in which it computes; `without_identity`: its name in NumPy's
    errors, if it needs elements or an `initial` value.
    """

    name: str
    primitive: CallablePrimitive
    combine: Callable[..., Value]
    neutral: Neutral
    names: tuple[str, ...]
    kinds: str = "biufc"
    computed: Callable[[np.dtype], np.dtype] = lambda dtype: dtype
    of_truth: bool = False
    without_identity: str = ""

    def __call__(
        self, ctx: Context, a: Abstract, axis: Abstract = NONE, *args: Abstract, **options: Abstract
    ) -> Abstract:
        given = dict(zip(self.names, args)) | options
        if len(args) > len(self.names) or not given.keys() <= {*self.names, "where"}:
            ctx.fail(BadType, message=f"`numpy.{self.name}` does not take these arguments")
        return self._reduced(ctx, array(ctx, a), axis, **given)

    def _reduced(
        self,
        ctx: Context,
        x: Abstract,
        axis: Abstract,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
        keepdims: Abstract = FALSE,
        initial: Abstract = NONE,
        where: Abstract = TRUE,
    ) -> Abstract:
        shape = ctx.shape(x)
        given = dtype_argument(ctx, dtype)
        if not (given or self.of_truth):
            given = common_with_out(ctx, dtype_of(ctx, x), out)
        computed = given or self.computed(dtype_of(ctx, x))
        if computed.kind not in self.kinds:
            ctx.fail(UnsupportedFunction, what=f"`numpy.{self.name}` of {computed}")
        axes = reduction_axes(ctx, axis, len(shape))
        if self.without_identity and not is_given(initial):
            self._check_identity(ctx, where, math.prod(shape[i] for i in axes))
        value, mask = value_of(ctx, x, computed), mask_argument(ctx, where, shape)
        value = truth(value) if self.of_truth else value
        if mask is not None:
            neutral = self.neutral(computed) if callable(self.neutral) else self.neutral
            value = logic.select(mask, value, neutral)
        elements, value = value, self.primitive(value, axes=axes) if axes else value
        if self.name in ("sum", "prod"):
            value = floating_point_errors.check_reduction(ctx, self.name, elements, axes, value)
        if is_given(initial):
            start = element_of(ctx, initial, value.dtype)
            value = self.combine(value, broadcast_to(start, value.shape))
        if static_flag(ctx, keepdims, "keepdims"):
            value = keep_reduced_axes(value, shape, axes)
        return store_out(ctx, result_like(ctx, value, x), out, unsafe=True)

    def _check_identity(self, ctx: Context, where: Abstract, count: int) -> None:
        name = self.without_identity
        if not selects_all(where):
            message = f"reduction operation '{name}' does not have an identity, so to use a where "
            ctx.fail(BadValue, message=f"{message}mask one has to specify 'initial'")
        if count == 0:
            ctx.fail(BadValue, message=NO_IDENTITY.format(name))


def _fold(name: str, primitive: CallablePrimitive, combine: Callable, neutral: int) -> None:
    names = ("dtype", "out", "keepdims", "initial", "where")
    fold = _Reduction(name, primitive, combine, neutral, names, "iufc", sum_dtype)
    _both_spellings(getattr(np, name), fold, masked_with(neutral))


_fold("sum", reductions.reduce_sum, arithmetic.add, 0)
_fold("prod", reductions.reduce_prod, arithmetic.mul, 1)


def _quantifier(name: str, primitive: CallablePrimitive, combine: Callable, neutral: bool) -> None:
    names = ("out", "keepdims")
    quantifier = _Reduction(name, primitive, combine, neutral, names, of_truth=True)
    _both_spellings(getattr(np, name), quantifier, masked_with(neutral))


_quantifier("all", reductions.reduce_and, logic.and_, True)
_quantifier("any", reductions.reduce_or, logic.or_, False)


def _extremum(
    name: str, primitive: CallablePrimitive, combine: Callable, neutral: Callable
) -> None:
    names, word = ("out", "keepdims", "initial", "where"), f"{name}imum"
    extremum = _Reduction(name, primitive, combine, neutral, names, "biuf", without_identity=word)
    dynamic = masked_with(neutral, NO_IDENTITY.format(word))
    _both_spellings(getattr(np, name), extremum, dynamic)
    function(getattr(np, f"a{name}"))(extremum)


_extremum("max", reductions.reduce_max, arithmetic.max, reductions.least)
_extremum("min", reductions.reduce_min, arithmetic.min, reductions.greatest)


# ----- Cumulative sums, products and extrema


def _cumulative_handler(
    name: str, primitive: CallablePrimitive, default_axis: Abstract = NONE
) -> Callable[..., Abstract]:
    """Sums are computed in a wide dtype; an extremum keeps that of its operand."""
    is_extremum = primitive in (sorting.cummax, sorting.cummin)

    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = default_axis,
        dtype: Abstract = NONE,
        out: Abstract = NONE,
    ) -> Abstract:
        x = array(ctx, a)
        if is_extremum:
            i, wanted = axis_argument(ctx, axis, len(ctx.shape(x))), dtype_of(ctx, x)
        else:
            x, i = operand_and_axis(ctx, x, axis)
            wanted = sum_dtype(dtype_of(ctx, x))
        given = dtype_argument(ctx, dtype) or common_with_out(ctx, dtype_of(ctx, x), out)
        wanted = given or wanted
        is_truth = wanted.kind == "b"
        if wanted.kind == "c" if is_extremum else is_truth:
            ctx.fail(UnsupportedFunction, what=f"`numpy.{name}` of {wanted}")
        value = value_of(ctx, x, np.dtype(np.uint8) if is_truth else wanted)
        value = convert(primitive(value, axis=i, reverse=False), wanted)
        return store_out(ctx, result_like(ctx, value, x), out, unsafe=True)

    return handler


def _running(name: str, ufunc: np.ufunc, primitive: CallablePrimitive, neutral: int) -> None:
    dynamic = accumulated_with(neutral)
    _both_spellings(getattr(np, name), _cumulative_handler(name, primitive), dynamic)
    function(ufunc.accumulate, dynamic=dynamic)(_cumulative_handler(name, primitive, Static(0)))


_running("cumsum", np.add, cumulative.cumsum, 0)
_running("cumprod", np.multiply, cumulative.cumprod, 1)

for _ufunc, _primitive in {np.maximum: sorting.cummax, np.minimum: sorting.cummin}.items():
    _name = f"{_ufunc.__name__}.accumulate"
    function(_ufunc.accumulate)(_cumulative_handler(_name, _primitive, Static(0)))


# ----- Positions of extrema

NO_INDEX = "attempt to get {} of an empty sequence"


def _arg_extremum_handler(name: str, primitive: CallablePrimitive) -> Callable[..., Abstract]:
    def handler(
        ctx: Context,
        a: Abstract,
        axis: Abstract = NONE,
        out: Abstract = NONE,
        *,
        keepdims: Abstract = FALSE,
    ) -> Abstract:
        whole = array(ctx, a)
        if dtype_of(ctx, whole).kind == "c":
            ctx.fail(UnsupportedFunction, what=f"`numpy.{name}` of complex numbers")
        x, i = operand_and_axis(ctx, whole, axis)
        if ctx.shape(x)[i] == 0:
            ctx.fail(BadValue, message=NO_INDEX.format(name))
        value = primitive(value_of(ctx, x), axis=i)
        if static_flag(ctx, keepdims, "keepdims"):
            shape = ctx.shape(whole)
            axes = tuple(range(len(shape))) if is_none(axis) else (i,)
            value = keep_reduced_axes(value, shape, axes)
        return store_out(ctx, ctx.array(value), out)

    return handler


for _name, _neutral in {"argmax": reductions.least, "argmin": reductions.greatest}.items():
    _both_spellings(
        getattr(np, _name),
        _arg_extremum_handler(_name, getattr(reductions, _name)),
        masked_with(_neutral, NO_INDEX.format(_name), ordered=True),
    )
