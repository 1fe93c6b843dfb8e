"""Repeating, rolling and padding of arrays: traced from JAX but for what it computes otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.values import NONE, Abstract, Scalar, Static, Tuple, is_none
from myia.infer.numeric.constant_methods import constant_or_none
from myia.infer.registry import for_dynamic_arrays, function, method
from myia.infer.unsupported import UnsupportedFunction
from myia.library.numpy.reductions import operand_and_axis
from myia.library.numpy.run_time_sizes import by_source
from myia.library.source import padding
from myia.library.support.arguments import (
    array,
    dtype_of,
    element_of,
    integers,
    static_value,
    strong,
)
from myia.library.support.from_source import call_source
from myia.library.support.traced import (
    TracedFunction,
    each_own,
    in_c_order,
    in_order_of_first,
    python_value,
)

_repeated = TracedFunction(np.repeat, "numpy.repeat", ("a",), each_own, result=in_c_order)
_rolled = TracedFunction(np.roll, "numpy.roll", ("a",), each_own, result=in_order_of_first)


def _parameters_of_pad(ctx: Context, bound: dict[str, Any]) -> None:
    """One pair of widths for each axis, as NumPy broadcasts what it is given; constants that fit
    into the array.
    """
    x = array(ctx, bound["array"])
    for name in bound.keys() & {"pad_width", "stat_length"}:
        if not is_none(bound[name]):
            given = python_value(ctx, bound[name], f"`{name}` of `numpy.pad`")
            pairs = np.broadcast_to(given, (max(1, len(ctx.shape(x))), 2)).tolist()
            bound[name] = Static(tuple(map(tuple, pairs)))
    if "constant_values" in bound:
        bound["constant_values"] = _elements(ctx, bound["constant_values"], dtype_of(ctx, x))


def _elements(ctx: Context, x: Abstract, dtype: np.dtype) -> Abstract:
    """A number, or those of a nested sequence, as elements of an array of `dtype`."""
    if is_number(x):
        return Scalar(element_of(ctx, strong(x), dtype), weak=False)
    return Tuple(tuple(_elements(ctx, item, dtype) for item in ctx.list_items(x)))


_padded = TracedFunction(
    np.pad,
    "numpy.pad",
    ("array", "~constant_values"),
    each_own,
    result=in_order_of_first,
    like=lambda array, pad_width, mode, constant_values=0, stat_length=None, reflect_type="": ...,
    convert=_parameters_of_pad,
)


@method("array", "repeat")
@method("number", "repeat")
@function(np.repeat)
def _repeat(ctx: Context, a: Abstract, repeats: Abstract, axis: Abstract = NONE) -> Abstract:
    if ctx.is_array(repeats) and constant_or_none(ctx, repeats) is not None:
        repeats = ctx.call(Static(np.ndarray.tolist), (repeats,), {})
    if not _is_known(ctx, repeats):
        return call_source(ctx, padding.repeated, (a, repeats, axis), {})
    x, i = operand_and_axis(ctx, array(ctx, a), axis)
    counts = integers(ctx, repeats, "how often elements are repeated")
    if len(counts) == 1:
        return _repeated(ctx, x, Static(counts[0]), Static(i))
    return call_source(ctx, padding.repeat_unevenly, (x, Static(counts), Static(i)), {})


def _is_known(ctx: Context, counts: Abstract) -> bool:
    if is_number(counts):
        return isinstance(counts, Static)
    return not ctx.is_array(counts) and all(isinstance(n, Static) for n in ctx.list_items(counts))


@function(np.roll)
def _roll(ctx: Context, a: Abstract, shift: Abstract, axis: Abstract = NONE) -> Abstract:
    """JAX rolls by numbers of 32 bits at run time."""
    shifts = (shift,) if is_number(shift) else ctx.list_items(shift)
    if all(isinstance(n, Static) for n in shifts):
        return _rolled(ctx, a, shift, axis)
    return call_source(ctx, padding.roll_at_run_time, (a, shift, axis), {})


@function(np.pad)
def _pad(
    ctx: Context,
    array: Abstract,
    pad_width: Abstract,
    mode: Abstract = Static("constant"),
    **options: Abstract,
) -> Abstract:
    """JAX rounds ramps otherwise."""
    name = static_value(ctx, mode, "the mode of `np.pad`")
    if not isinstance(name, str):
        ctx.fail(UnsupportedFunction, what=f"`mode={name!r}` of `numpy.pad`")
    if name == "linear_ramp":
        return call_source(ctx, padding.linear_ramp, (array, pad_width), options)
    return _padded(ctx, array, pad_width, mode, **options)


for_dynamic_arrays(_repeat)(by_source(padding.repeated))
for_dynamic_arrays(_roll)(by_source(padding.rolled))
