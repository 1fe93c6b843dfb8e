"""Ranges: `arange`, `linspace`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    broadcast_to,
    convert,
    is_number,
    is_weak,
    kind_of,
    number_dtype,
    promote,
)
from myia.infer.domain.dynamic_axes import pad_masked, prefix_axis
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.lengths import I64, at_least, ceil_divided, difference, length_of
from myia.infer.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Abstract,
    Scalar,
    Static,
    Tuple,
    is_none,
    is_static_int,
)
from myia.infer.domain.views import reshape
from myia.infer.dynamic.access import new_array
from myia.infer.dynamic.unbounded import with_capacity
from myia.infer.numeric.integer_elements import static_element
from myia.infer.numeric.promotion import broadcast_shapes, operand_dtype
from myia.infer.registry import function
from myia.ir.core import Value
from myia.library.support.arguments import (
    cast,
    dtype_argument,
    integer,
    numeric,
    static_flag,
    static_value,
    value_of,
)
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, transcendental

F64 = np.dtype(np.float64)
ZERO, ONE = Static(0), Static(1)


@function(np.arange)
def _arange(
    ctx: Context,
    start: Abstract = NONE,
    stop: Abstract = NONE,
    step: Abstract = NONE,
    dtype: Abstract = NONE,
) -> Abstract:
    """`np.arange`, of compile-time numbers, or of ints whose greatest distance is known."""
    if is_none(stop):
        start, stop = NONE, start
    if any(isinstance(x, Scalar) for x in (start, stop)):
        found = _dynamic_range(ctx, start, stop, step, dtype_argument(ctx, dtype))
        if found is not None:
            return found
    given = {"start": start, "stop": stop, "step": step}
    first, end, by = (static_value(ctx, x, f"the {n} of `np.arange`") for n, x in given.items())
    first, by = 0 if first is None else first, 1 if by is None else by
    return ctx.array(_counted(ctx, first, end, by, dtype_argument(ctx, dtype)))


def _dynamic_range(
    ctx: Context, start: Abstract, stop: Abstract, step: Abstract, dtype: np.dtype | None
) -> Abstract | None:
    """A range of Python ints known at run time; None if they are no such."""
    start, step = (default if is_none(x) else x for x, default in ((start, ZERO), (step, ONE)))
    ints = all(
        is_number(x) and (kind_of(x) in "iu" if is_weak(x) else number_dtype(x) == I64)
        for x in (start, stop)
    )
    if not ints or not is_static_int(step) or step.value == 0 or dtype not in (None, I64, F64):
        return None
    first, end, by = length_of(start), length_of(stop), int(step.value)
    length = at_least(difference(end, first) if by > 0 else difference(first, end), 0)
    length = length if abs(by) == 1 else ceil_divided(length, abs(by))
    length = with_capacity(ctx, length, I64.itemsize)
    assert length.hi is not None
    index = shaping.iota(shape=(length.hi,), axis=0, dtype=I64)
    items = arithmetic.add(arithmetic.mul(index, by), _repeated(first.value, length.hi))
    axes = (None if length.is_static else prefix_axis(length, length.hi),)
    return new_array(ctx, pad_masked(convert(items, dtype or I64), axes), axes)


def _repeated(x: Value, n: int) -> Value:
    return shaping.broadcast(x, shape=(n,), dims=())


def _counted(ctx: Context, start: float, stop: float, step: float, dtype: np.dtype | None) -> Value:
    """start + i * ((start + step) - start), the formula that NumPy uses."""
    if step == 0:
        ctx.fail(BadValue, message="Maximum allowed size exceeded", exception="ZeroDivisionError")
    if dtype is None:
        dtype = np.result_type(np.int64, *map(np.asarray, (start, stop, step)))
    count = max(0, math.ceil((stop - start) / step))
    # Only the items that the array has must fit into its integers.
    ends: list[Any] = [static_element(ctx, x, dtype) for x in (start, start + step)[:count]]
    first, second = [*ends, *np.asarray([start, start + step]).astype(dtype)[len(ends) :]]
    index = shaping.iota(shape=(count,), axis=0, dtype=dtype)
    with np.errstate(all="ignore"):
        delta = second - first
    steps = index if delta == 1 else arithmetic.mul(index, constant(delta, dtype, (count,)))
    return steps if first == 0 else arithmetic.add(steps, constant(first, dtype, (count,)))


@function(np.linspace)
def _linspace(
    ctx: Context,
    start: Abstract,
    stop: Abstract,
    num: Abstract = Static(50),
    endpoint: Abstract = TRUE,
    retstep: Abstract = FALSE,
    dtype: Abstract = NONE,
    axis: Abstract = ZERO,
) -> Abstract:
    n = integer(ctx, num, "the number of samples")
    if n < 0:
        message = f"Number of samples, {n}, must be non-negative."
        ctx.fail(BadValue, message=message)
    ends = [numeric(ctx, x) for x in (start, stop)]
    computed, _ = promote(*(operand_dtype(ctx, x) for x in ends), (F64, True))
    shape = broadcast_shapes(ctx, *ends)
    first, last = (broadcast_to(value_of(ctx, cast(ctx, x, computed)), shape) for x in ends)
    samples, step = _samples(first, last, n, static_flag(ctx, endpoint, "endpoint"))
    result = ctx.array(samples)
    wanted = dtype_argument(ctx, dtype)
    if wanted is not None and wanted.kind in "iu":
        if computed.kind == "c":
            ctx.fail(BadType, message="ufunc 'floor' not supported for complex numbers")
        result = ctx.array(transcendental.floor(samples))
    result = result if wanted is None else cast(ctx, result, wanted)
    if integer(ctx, axis, "an axis") != 0:
        result = ctx.call(Static(np.moveaxis), (result, ZERO, axis), {})
    return Tuple((result, ctx.array(step))) if static_flag(ctx, retstep, "retstep") else result


def _samples(first: Value, last: Value, n: int, endpoint: bool) -> tuple[Value, Value]:
    """first + i * step, the last one exact; and the step."""
    intervals = n - 1 if endpoint else n
    shape = (n, *first.shape)
    delta = last - first
    index = shaping.iota(shape=shape, axis=0, dtype=first.dtype)
    if intervals <= 0:
        step = constant(math.nan, first.dtype, first.shape)
        return index * broadcast_to(delta, shape) + broadcast_to(first, shape), step
    step = arithmetic.div(delta, constant(intervals, first.dtype, first.shape))
    samples = index * broadcast_to(step, shape) + broadcast_to(first, shape)
    if endpoint and n > 1:
        at = [constant(i, np.int64) for i in (n - 1, *[0] * len(first.shape))]
        samples = dynamic_slices.dynamic_update_slice(
            samples, reshape(last, (1, *first.shape)), *at
        )
    return samples, step
