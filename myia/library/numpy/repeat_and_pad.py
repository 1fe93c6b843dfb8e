"""Repeating, rolling and padding of arrays."""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.errors import BadValue, Unsupported
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import NONE, Abstract, Scalar, Static, is_none
from myia.infer.domain.views import reshape
from myia.infer.registry import function, method
from myia.ir.core import Value
from myia.library.numpy.reductions import operand_and_axis
from myia.library.source import padding
from myia.library.support.arguments import (
    array,
    axes_argument,
    copy_array,
    element_of,
    integer,
    integers,
    is_given,
    refuse_options,
    static_value,
    strong,
    value_of,
)
from myia.library.support.from_source import call_source
from myia.library.support.traced import apply_traced, python_value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic

Shape = tuple[int, ...]


def slice_value(x: Value, axis: int, start: int, stop: int) -> Value:
    """`x[..., start:stop, ...]` along an axis."""
    low, high = [0] * x.aval.ndim, list(x.shape)
    low[axis], high[axis] = start, stop
    return shaping.slice(x, start=tuple(low), limit=tuple(high), stride=(1,) * x.aval.ndim)


def _concatenate_parts(parts: list[Value], axis: int) -> Value:
    parts = [p for p in parts if p.shape[axis]] or parts[:1]
    return parts[0] if len(parts) == 1 else shaping.concatenate(*parts, axis=axis)


# ----- Repeated


def _repeat_each(x: Value, count: int, axis: int) -> Value:
    """Each element repeated `count` times along an axis."""
    shape = (*x.shape[: axis + 1], count, *x.shape[axis + 1 :])
    dims = tuple(i for i in range(len(shape)) if i != axis + 1)
    merged = (*x.shape[:axis], x.shape[axis] * count, *x.shape[axis + 1 :])
    return reshape(shaping.broadcast(x, shape=shape, dims=dims), merged)


@method("array", "repeat")
@method("number", "repeat")
@function(np.repeat)
def _repeat(ctx: Context, a: Abstract, repeats: Abstract, axis: Abstract = NONE) -> Abstract:
    x, i = operand_and_axis(ctx, array(ctx, a), axis)
    value = value_of(ctx, x)
    n = value.shape[i]
    counts = integers(ctx, repeats, "how often elements are repeated")
    if len(counts) not in (1, n):
        message = f"operands could not be broadcast together with shape ({n},) ({len(counts)},)"
        ctx.fail(BadValue, message=message)
    if any(count < 0 for count in counts):
        ctx.fail(BadValue, message="repeats may not contain negative values.")
    if len(counts) == 1:
        return ctx.array(_repeat_each(value, counts[0], i))
    parts = [
        _repeat_each(slice_value(value, i, k, k + 1), count, i) for k, count in enumerate(counts)
    ]
    return ctx.array(_concatenate_parts(parts, i))


@function(np.tile)
def _tile(ctx: Context, A: Abstract, reps: Abstract) -> Abstract:
    value = value_of(ctx, array(ctx, A))
    counts = integers(ctx, reps, "how often an array is repeated")
    ndim = max(len(counts), value.aval.ndim)
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - value.aval.ndim) + value.shape
    spread = tuple(n for pair in zip(counts, shape) for n in pair)
    repeated = shaping.broadcast(
        reshape(value, shape), shape=spread, dims=tuple(range(1, 2 * ndim, 2))
    )
    return ctx.array(reshape(repeated, tuple(k * n for k, n in zip(counts, shape))))


# ----- Rolled


@function(np.roll)
def _roll(ctx: Context, a: Abstract, shift: Abstract, axis: Abstract = NONE) -> Abstract:
    x = array(ctx, a)
    value = value_of(ctx, x)
    if is_none(axis):
        flat = reshape(value, (value.aval.size,))
        return result_like(ctx, reshape(_rolled(ctx, flat, shift, 0), value.shape), x)
    axes = axes_argument(ctx, axis, value.aval.ndim)
    shifts = [shift] * len(axes) if is_number(shift) else list(ctx.list_items(shift))
    if len(shifts) != len(axes):
        ctx.fail(Unsupported, what="`numpy.roll` by several shifts along one axis")
    for i, by in zip(axes, shifts):
        value = _rolled(ctx, value, by, i)
    return result_like(ctx, value, x)


def _rolled(ctx: Context, x: Value, shift: Abstract, axis: int) -> Value:
    """The array with its last `shift` elements first."""
    n = x.shape[axis]
    if n == 0:
        return x
    if isinstance(shift, Scalar):
        return _rolled_at_run_time(ctx, x, shift, axis)
    k = integer(ctx, shift, "how far elements are moved") % n
    return _concatenate_parts(
        [slice_value(x, axis, n - k, n), slice_value(x, axis, 0, n - k)], axis
    )


def _rolled_at_run_time(ctx: Context, x: Value, shift: Scalar, axis: int) -> Value:
    """A dynamic slice of the array concatenated with itself."""
    n = x.shape[axis]
    by = value_of(ctx, shift, np.dtype(np.int64))
    start = arithmetic.mod(arithmetic.neg(by), constant(n, np.int64))
    twice = shaping.concatenate(x, x, axis=axis)
    starts = [start if i == axis else constant(0, np.int64) for i in range(x.aval.ndim)]
    return dynamic_slices.dynamic_slice(twice, *starts, sizes=x.shape)


# ----- Padded


@function(np.pad)
def _pad(
    ctx: Context,
    array_: Abstract,
    pad_width: Abstract,
    mode: Abstract = Static("constant"),
    **options: Abstract,
) -> Abstract:
    x = array(ctx, array_)
    value = value_of(ctx, x)
    widths = _pairs_of_integers(ctx, pad_width, value.aval.ndim)
    if any(n < 0 for pair in widths for n in pair):
        ctx.fail(BadValue, message="index can't contain negative values")
    name = static_value(ctx, mode, "the mode of `np.pad`")
    if name == "constant":
        fill = options.pop("constant_values", Static(0))
        refuse_options(ctx, "numpy.pad", options)
        return result_like(ctx, _pad_with_constants(ctx, value, widths, fill), x)
    if name == "linear_ramp":
        return call_source(ctx, padding.linear_ramp, (x, Static(widths)), options)
    if not isinstance(name, str):
        ctx.fail(Unsupported, what=f"`mode={name!r}` of `numpy.pad`")
    if not widths:
        return copy_array(ctx, x)
    how = {"pad_width": widths, "mode": name}
    if is_given(options.get("stat_length", NONE)):
        how["stat_length"] = _pairs_of_integers(ctx, options.pop("stat_length"), len(widths))
    how |= {key: python_value(ctx, i, f"`{key}` of `numpy.pad`") for key, i in options.items()}
    (padded,) = apply_traced(ctx, "numpy.pad", ((None, None),), [value], how)
    return result_like(ctx, padded, x)


def _pairs_of_integers(ctx: Context, x: Abstract, ndim: int) -> tuple[tuple[int, int], ...]:
    pairs = _widths_of_axes(ctx, x, ndim)
    return tuple(
        (integer(ctx, low, "a width"), integer(ctx, high, "a width")) for low, high in pairs
    )


def _widths_of_axes(ctx: Context, x: Abstract, ndim: int) -> list[tuple[Abstract, Abstract]]:
    """The pad widths as one pair for each axis; given as `n`, `(before, after)`, or pairs."""
    if is_number(x):
        return [(x, x)] * ndim
    items = ctx.list_items(x)
    rows = [items] if all(map(is_number, items)) else [ctx.list_items(i) for i in items]
    if len(rows) not in (1, ndim) or any(len(row) not in (1, 2) for row in rows):
        ctx.fail(BadValue, message="`pad_width` does not fit the number of axes")
    pairs = [(row[0], row[-1]) for row in rows]
    return pairs * ndim if len(pairs) == 1 else pairs


def _pad_with_constants(
    ctx: Context, x: Value, widths: tuple[tuple[int, int], ...], fill: Abstract
) -> Value:
    """Pad with constants, axis by axis, since each side may have its own constant."""
    if is_number(fill):
        by = element_of(ctx, strong(fill), x.dtype)
        lows, highs = (tuple(pair[side] for pair in widths) for side in (0, 1))
        return shaping.pad(x, by, low=lows, high=highs, interior=(0,) * x.aval.ndim)
    for axis, (pair, numbers) in enumerate(zip(widths, _widths_of_axes(ctx, fill, x.aval.ndim))):
        for side, (width, number) in enumerate(zip(pair, numbers)):
            low, high = [0] * x.aval.ndim, [0] * x.aval.ndim
            (high if side else low)[axis] = width
            by = element_of(ctx, strong(number), x.dtype)
            x = shaping.pad(x, by, low=tuple(low), high=tuple(high), interior=(0,) * len(low))
    return x
