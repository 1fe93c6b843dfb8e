"""Broadcasting of dynamically sized arrays, for elementwise operations and for stores.

    x[:i] + y[:i]    ->    %s = add %x %y on the whole padded arrays; the sum has i valid elements

The operands become ordinary arrays padded to one shape; the result has the operands' dynamic axes.
Where two lengths are not proved equal, a run-time check compares them. An axis whose length is 1
only at run time is not broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, convert, is_number, promote
from myia.infer.domain.dynamic_axes import (
    DynamicAxes,
    DynamicAxis,
    packed,
    resized,
    stop_masked_gradients,
    unpacked,
)
from myia.infer.domain.errors import BadType, BadValue, NeedsStatic
from myia.infer.domain.lengths import Length, static_length
from myia.infer.domain.values import Abstract, Ref, Scalar, Tuple
from myia.infer.dynamic.access import (
    PaddedValue,
    bounding_aval,
    dtype_of,
    dynamic_axes_of,
    new_array,
    read,
    refuse_dynamic,
    store,
)
from myia.infer.numeric.promotion import broadcast_for_assignment, operand, operand_dtype
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.pointwise import logic

MISMATCH = (
    "operands could not be broadcast together: they differ in size "
    "(an axis that has one element only at run time is not repeated)"
)
NOT_STORED = "could not broadcast input array into the part of an array: they differ in size"


@dataclass(frozen=True)
class _ResultAxis:
    """An axis of the result: its bound, and its dynamic axis (None: it has a static length)."""

    bound: int
    dynamic_axis: DynamicAxis | None = None


def apply_elementwise(
    ctx: Context, xs: Sequence[Abstract], apply: Callable[[list[Abstract]], Abstract]
) -> Abstract:
    """`apply(xs)` for an elementwise operation on numbers and arrays, some of them dynamic."""
    operands = [read(ctx, x) if isinstance(x, Ref) else None for x in xs]
    arrays, result_axes = broadcast_elements(ctx, [o for o in operands if o is not None])
    dynamic_axes = tuple(a.dynamic_axis for a in result_axes)
    shape = tuple(a.bound for a in result_axes)
    given, dtype = iter(arrays), _common_dtype(ctx, xs)
    made = [
        _guarded_number(ctx, x, dtype, shape, dynamic_axes)
        if o is None
        else ctx.array(_repeat_dynamic_axes(next(given).value, shape, dynamic_axes))
        for x, o in zip(xs, operands)
    ]
    return _with_dynamic_axes(ctx, apply(made), shape, dynamic_axes)


def _common_dtype(ctx: Context, xs: Sequence[Abstract]) -> np.dtype:
    found = [
        (dtype_of(ctx, x), False) if isinstance(x, Ref) else operand_dtype(ctx, x)
        for x in xs
        if isinstance(x, Ref) or is_number(x)
    ]
    return promote(*found)[0]


def _guarded_number(
    ctx: Context, x: Abstract, dtype: np.dtype, shape: tuple[int, ...], dynamic_axes: DynamicAxes
) -> Abstract:
    """A run-time float as an array, with no derivative from the masked elements."""
    if not isinstance(x, Scalar) or x.dtype.kind not in "fc":
        return x
    dtype = dtype if x.weak else x.dtype
    return ctx.array(stop_masked_gradients(operand(ctx, x, Aval(dtype, shape)), dynamic_axes))


def _repeat_dynamic_axes(x: Value, shape: tuple[int, ...], dynamic_axes: DynamicAxes) -> Value:
    """`x` repeated along the dynamic axes that it lacks."""
    missing = len(shape) - len(x.shape)
    own = (1,) * missing + x.shape
    repeated = tuple(e if e is not None and n == 1 else None for e, n in zip(dynamic_axes, own))
    if all(e is None for e in repeated):
        return x
    full = tuple(b if e is not None else n for b, e, n in zip(shape, repeated, own))
    return stop_masked_gradients(broadcast_to(x, full), repeated)


def _with_dynamic_axes(
    ctx: Context, x: Abstract, shape: tuple[int, ...], dynamic_axes: DynamicAxes
) -> Abstract:
    """The result of an elementwise operation, with the dynamic axes of its operands."""
    if isinstance(x, Tuple):
        return x.rebuild(
            tuple(_with_dynamic_axes(ctx, item, shape, dynamic_axes) for item in x.items)
        )
    if not ctx.is_array(x) or ctx.shape(x) != shape:
        refuse_dynamic(ctx, "this operation")
    return new_array(ctx, ctx.read(x), dynamic_axes)


# ----- One shape


def broadcast_elements(
    ctx: Context, xs: Sequence[PaddedValue]
) -> tuple[list[PaddedValue], list[_ResultAxis]]:
    """Operands brought to one padded shape (axes of length 1 stay), and the axes of the result."""
    ndim = max(x.value.aval.ndim for x in xs)
    result_axes: list[_ResultAxis] = []
    result = list(xs)
    for axis in range(ndim):
        starts = {i: x.value.aval.ndim - ndim for i, x in enumerate(result)}
        mine = {i: axis + start for i, start in starts.items() if axis + start >= 0}
        found, result = _broadcast_axis(ctx, result, mine)
        result_axes.append(found)
    return result, result_axes


def _broadcast_axis(
    ctx: Context, xs: list[PaddedValue], axes: dict[int, int]
) -> tuple[_ResultAxis, list[PaddedValue]]:
    """Broadcast along one axis of the result; `axes[i]` is the axis of operand i."""
    dynamic = {i: e for i, a in axes.items() if (e := xs[i].dynamic_axes[a]) is not None}
    sizes = {xs[i].value.shape[a] for i, a in axes.items() if i not in dynamic} - {1}
    if len(sizes) > 1:
        ctx.fail(BadValue, message="operands could not be broadcast together")
    if not dynamic:
        return _ResultAxis(next(iter(sizes), 1)), xs
    forms = {e.layout_key for e in dynamic.values()}
    xs = list(xs)
    if len(forms) > 1 or sizes:
        single = [i for i, e in dynamic.items() if e.length.nominal == 1]
        if single and (sizes or len(single) < len(dynamic)):
            for i in single:
                xs[i] = _as_single_element(ctx, xs[i], axes[i])
            return _broadcast_axis(ctx, xs, axes)
        # The operands have their valid elements at different indices: pack them to prefixes.
        for i in dynamic:
            xs[i] = _pack_axis(xs[i], axes[i])
    dynamic_axes = [e for i in dynamic if (e := xs[i].dynamic_axes[axes[i]]) is not None]
    if sizes:
        (n,) = sizes
        for e in dynamic_axes:
            check_equal_lengths(ctx, e.length, static_length(n), ValueError, MISMATCH)
        target = _ResultAxis(n)
    else:
        least = min(dynamic_axes, key=lambda e: e.bound)
        for e in dynamic_axes:
            check_equal_lengths(ctx, e.length, least.length, ValueError, MISMATCH)
        target = _ResultAxis(least.bound, least)
    for i in dynamic:
        xs[i] = _resize_axis(xs[i], axes[i], target)
    return target, xs


def _as_single_element(ctx: Context, x: PaddedValue, axis: int) -> PaddedValue:
    """`x[i : i + 1]` as one element to repeat; a run-time check that `i` is inside the axis."""
    check_equal_lengths(ctx, x.lengths[axis], static_length(1), ValueError, MISMATCH)
    x = _pack_axis(x, axis)
    return _replace_axis(x, axis, resized(x.value, axis, 1), None)


def _pack_axis(x: PaddedValue, axis: int) -> PaddedValue:
    if (dynamic_axis := x.dynamic_axes[axis]) is None:
        return x
    value, dynamic_axis = packed(x.value, axis, dynamic_axis)
    return _replace_axis(x, axis, value, dynamic_axis)


def _resize_axis(x: PaddedValue, axis: int, target: _ResultAxis) -> PaddedValue:
    return _replace_axis(x, axis, resized(x.value, axis, target.bound), target.dynamic_axis)


def _replace_axis(
    x: PaddedValue, axis: int, value: Value, dynamic_axis: DynamicAxis | None
) -> PaddedValue:
    return PaddedValue(value, (*x.dynamic_axes[:axis], dynamic_axis, *x.dynamic_axes[axis + 1 :]))


def align_axes(
    ctx: Context, x: PaddedValue, y: PaddedValue, i: int, j: int, message: str
) -> tuple[PaddedValue, PaddedValue, DynamicAxis | None]:
    """Axis `i` of x and `j` of y with valid elements at the same indices, and that dynamic axis."""
    a, b = x.dynamic_axes[i], y.dynamic_axes[j]
    n, m = x.value.shape[i], y.value.shape[j]
    if a is None and b is None and n != m:
        ctx.fail(BadValue, message=message)
    if a is None or b is None or a.layout_key != b.layout_key:
        x, y = _pack_axis(x, i), _pack_axis(y, j)
        check_equal_lengths(ctx, x.lengths[i], y.lengths[j], ValueError, message)
    found = [e for e in (x.dynamic_axes[i], y.dynamic_axes[j]) if e is not None]
    if len(found) == 1:
        target = _ResultAxis(n if a is None else m)
    else:
        least = min(found, key=lambda e: e.bound, default=None)
        target = _ResultAxis(n if least is None else least.bound, least)
    return _resize_axis(x, i, target), _resize_axis(y, j, target), target.dynamic_axis


def check_equal_lengths(
    ctx: Context, a: Length, b: Length, error: type[Exception], message: str
) -> None:
    """Require equal lengths: proved, or checked at run time."""
    if a.equals(b):
        return
    if any(x.hi is not None and y.lo is not None and x.hi < y.lo for x, y in ((a, b), (b, a))):
        ctx.fail(BadValue, error=NeedsStatic, message=message)
    if ctx.resizing_loops:
        refuse_dynamic(ctx, "an operation on sizes that may differ")
    ctx.check(logic.ne(a.value, b.value), error, message)


# ----- Storing


def assign(ctx: Context, x: Ref, value: Abstract, casting: Any = "same_kind") -> None:
    """`x[...] = value`; both may have the same dynamic axes, as after `x op= y`."""
    dtype = dtype_of(ctx, x)
    given = dtype_of(ctx, value) if isinstance(value, Ref) else operand_dtype(ctx, value)[0]
    if not np.can_cast(given, dtype, casting):
        message = f"cannot cast ufunc output from {given} to {dtype} in place"
        ctx.fail(BadType, message=message)
    aval = bounding_aval(ctx, x)
    store(ctx, x, broadcast_for_store(ctx, value, dtype, aval.shape, dynamic_axes_of(ctx, x)))


def broadcast_for_store(
    ctx: Context,
    value: Abstract,
    dtype: np.dtype,
    shape: tuple[int, ...],
    dynamic_axes: DynamicAxes,
) -> Value:
    """The value to store, with its elements at the indices where `dynamic_axes` are valid.

    The masked elements of the result are unspecified.
    """
    if not isinstance(value, Ref):
        return broadcast_for_assignment(ctx, value, Aval(dtype, shape))
    xs = read(ctx, value)
    while (
        len(xs.value.shape) > len(shape) and xs.value.shape[0] == 1 and xs.dynamic_axes[0] is None
    ):
        xs = PaddedValue(ctx.reshape(xs.value, xs.value.shape[1:]), xs.dynamic_axes[1:])
    if len(xs.value.shape) > len(shape):
        ctx.fail(BadValue, message=NOT_STORED)
    found, ndim = xs.value, len(xs.value.shape)
    for i, (here, bound, there) in enumerate(
        zip(xs.dynamic_axes, shape[-ndim:], dynamic_axes[-ndim:])
    ):
        found = _align_axis_for_store(ctx, found, i, here, bound, there)
    return broadcast_to(convert(found, dtype), shape)


def _align_axis_for_store(
    ctx: Context,
    x: Value,
    axis: int,
    here: DynamicAxis | None,
    bound: int,
    there: DynamicAxis | None,
) -> Value:
    """Move the valid elements along one axis from the indices of `here` to those of `there`."""
    n = x.shape[axis]
    if here is None and n == 1:
        return x
    wanted = static_length(bound) if there is None else there.length
    if here is not None and here.length.nominal == 1 and not here.length.equals(wanted):
        return _as_single_element(ctx, PaddedValue(x, (None,) * axis + (here,)), axis).value
    if here is not None and there is not None and here.layout_key == there.layout_key:
        return resized(x, axis, bound)
    if here is not None:
        x, _ = packed(x, axis, here)
    length = static_length(n) if here is None else here.length
    check_equal_lengths(ctx, length, wanted, ValueError, NOT_STORED)
    x = resized(x, axis, bound)
    return x if there is None else unpacked(x, axis, there)
