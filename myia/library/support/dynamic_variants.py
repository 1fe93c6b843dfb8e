"""Variants of handlers for dynamic arrays, declared where a function is registered.

    @function(np.exp, dynamic=elementwise(1))
    @function(np.sum, dynamic=masked_with(0))

    np.exp(x[:i])    ->    %y = exp %x on the padded array; y has the dynamic axis of x[:i]
    np.sum(x[:i])    ->    %z = select %valid %x 0.0;  %y = reduce_sum %z

The handler is given the padded arrays. The masked elements of a reduction become its neutral
element; those of an elementwise result are masked again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.dynamic_axes import DynamicAxes, fill_masked, pad_masked
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import FALSE, NONE, Abstract, Ref, Static, Tuple, is_none
from myia.infer.dynamic.access import PaddedValue, is_dynamic, new_array, read, refuse_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise, assign
from myia.infer.numeric.promotion import is_numeric
from myia.infer.registry import Variant, is_given
from myia.library.support.arguments import (
    axes_argument,
    axis_argument,
    numeric,
    selects_all,
    static_flag,
)

# ----- Elementwise


def elementwise(inputs: int) -> Variant:
    """`inputs`: how many of the positional arguments are arrays."""

    def make(handler: Callable) -> Callable:
        def variant(
            ctx: Context, *args: Abstract, out: Abstract = NONE, **options: Abstract
        ) -> Abstract:
            given, rest = args[:inputs], args[inputs:]
            if rest and isinstance(rest[0], Ref):
                out, rest = rest[0], rest[1:]
            arrays = {k: x for k, x in options.items() if is_number(x) or _is_array(ctx, x)}
            others = {k: x for k, x in options.items() if k not in arrays}
            xs = [dynamic_operand(ctx, x) for x in given]

            def apply(made: list[Abstract]) -> Abstract:
                named = dict(zip(arrays, made[len(xs) :]))
                return handler(ctx, *made[: len(xs)], *rest, **named, **others)

            return store_dynamic_out(
                ctx, apply_elementwise(ctx, [*xs, *arrays.values()], apply), out
            )

        return variant

    return make


def dynamic_operand(ctx: Context, x: Abstract) -> Abstract:
    return x if is_none(x) or is_dynamic(ctx, x) else numeric(ctx, x)


def _is_array(ctx: Context, x: Abstract) -> bool:
    return is_dynamic(ctx, x) or is_numeric(ctx, x)


def store_dynamic_out(ctx: Context, result: Abstract, out: Abstract) -> Abstract:
    """`out=`"""
    if isinstance(out, Tuple) and len(out.items) == 1:
        (out,) = out.items
    if is_none(out):
        return result
    if not isinstance(out, Ref):
        ctx.fail(BadType, message="return arrays must be of ArrayType")
    assign(ctx, out, result)
    return out


# ----- Reductions

Axes = tuple[int, ...]
Neutral = float | Callable[[np.dtype], float]


def masked_with(neutral: Neutral, empty: str | None = None, *, ordered: bool = False) -> Variant:
    """A reduction to whose result elements that are `neutral` add nothing.

    `empty`: the error where there is no valid element; `ordered`: the result is a position.
    """

    def make(handler: Callable) -> Callable:
        def variant(
            ctx: Context, a: Ref, axis: Abstract = NONE, *rest: Abstract, **options: Abstract
        ) -> Abstract:
            if not is_dynamic(ctx, a) or any(is_dynamic(ctx, x) for x in options.values()):
                refuse_dynamic(ctx, "an option")
            if not selects_all(options.get("where", NONE)):
                refuse_dynamic(ctx, "`where=`")
            x = read(ctx, a)
            x = x.packed() if ordered else x
            ndim = x.value.aval.ndim
            if ordered and is_none(axis) and ndim > 1:
                refuse_dynamic(ctx, "the position of an extremum in several axes")
            axes = axes_argument(ctx, axis, ndim)
            if empty is not None and not is_given(options.get("initial", NONE)):
                check_not_empty(ctx, x, axes, empty)
            found = handler(ctx, filled(ctx, x, axes, neutral), axis, *rest, **options)
            keepdims = static_flag(ctx, options.get("keepdims", FALSE), "keepdims")
            return with_remaining_axes(ctx, found, x, axes, keepdims)

        return variant

    return make


def accumulated_with(neutral: Neutral) -> Variant:
    """A cumulative operation in which elements that are `neutral` add nothing."""

    def make(handler: Callable) -> Callable:
        def variant(
            ctx: Context, a: Ref, axis: Abstract = NONE, *rest: Abstract, **options: Abstract
        ) -> Abstract:
            x = read(ctx, a).packed()
            if is_none(axis) and x.value.aval.ndim > 1:
                refuse_dynamic(ctx, "a running fold over several axes")
            i = 0 if is_none(axis) else axis_argument(ctx, axis, x.value.aval.ndim)
            found = handler(ctx, filled(ctx, x, (i,), neutral), Static(i), *rest, **options)
            return new_array(ctx, pad_masked(ctx.read(found), x.dynamic_axes), x.dynamic_axes)

        return variant

    return make


def filled(ctx: Context, x: PaddedValue, axes: Axes, neutral: Neutral) -> Abstract:
    """The padded array with `neutral` in place of the elements masked along `axes`."""
    masked: DynamicAxes = tuple(e if i in axes else None for i, e in enumerate(x.dynamic_axes))
    number = neutral(x.value.dtype) if callable(neutral) else neutral
    return ctx.array(fill_masked(x.value, masked, number))


def with_remaining_axes(
    ctx: Context, found: Abstract, x: PaddedValue, axes: Axes, keepdims: bool
) -> Abstract:
    """The result of a reduction of `x` with its dynamic axes."""
    if not isinstance(found, Ref):
        return found
    left = [None if i in axes else e for i, e in enumerate(x.dynamic_axes)]
    kept = left if keepdims else [e for i, e in enumerate(left) if i not in axes]
    return new_array(ctx, ctx.read(found), tuple(kept))


def check_not_empty(ctx: Context, x: PaddedValue, axes: Axes, message: str) -> None:
    for axis in axes:
        dynamic_axis = x.dynamic_axes[axis]
        if dynamic_axis is not None and dynamic_axis.length.lo == 0:
            ctx.check(dynamic_axis.is_empty(), ValueError, message)
