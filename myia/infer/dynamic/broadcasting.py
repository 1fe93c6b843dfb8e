"""Arrays of run-time size brought to one shape, so that elementwise operations are done on them.

The operands become ordinary arrays of the greatest shape; what is computed from them has the
operands' extents. Where two extents are not surely equal, the counts are compared at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class _ResultAxis:
    """An axis of the result: its bound, its extent (None: all of the bound)."""

    bound: int
    extent: DynamicAxis | None = None


def apply_elementwise(
    ctx: Context, xs: Sequence[Abstract], apply: Callable[[list[Abstract]], Abstract]
) -> Abstract:
    """`apply(xs)`, an elementwise operation on numbers and arrays, some of run-time size."""
    operands = [read(ctx, x) if isinstance(x, Ref) else None for x in xs]
    arrays, along = broadcast_elements(ctx, [o for o in operands if o is not None])
    extents = tuple(a.extent for a in along)
    shape = tuple(a.bound for a in along)
    given, dtype = iter(arrays), _common_dtype(ctx, xs)
    made = [
        _guarded_number(ctx, x, dtype, shape, extents)
        if o is None
        else ctx.array(_repeat_dynamic_axes(next(given).value, shape, extents))
        for x, o in zip(xs, operands)
    ]
    return _with_dynamic_axes(ctx, apply(made), shape, extents)


def _common_dtype(ctx: Context, xs: Sequence[Abstract]) -> np.dtype:
    found = [
        (dtype_of(ctx, x), False) if isinstance(x, Ref) else operand_dtype(ctx, x)
        for x in xs
        if isinstance(x, Ref) or is_number(x)
    ]
    return promote(*found)[0]


def _guarded_number(
    ctx: Context, x: Abstract, dtype: np.dtype, shape: tuple[int, ...], extents: DynamicAxes
) -> Abstract:
    """A run-time float that meets an array: no derivative reaches it from the padding."""
    if not isinstance(x, Scalar) or x.dtype.kind not in "fc":
        return x
    dtype = dtype if x.weak else x.dtype
    return ctx.array(stop_masked_gradients(operand(ctx, x, Aval(dtype, shape)), extents))


def _repeat_dynamic_axes(x: Value, shape: tuple[int, ...], extents: DynamicAxes) -> Value:
    """`x` repeated along the axes of run-time extent that it does not have."""
    missing = len(shape) - len(x.shape)
    own = (1,) * missing + x.shape
    repeated = tuple(e if e is not None and n == 1 else None for e, n in zip(extents, own))
    if all(e is None for e in repeated):
        return x
    full = tuple(b if e is not None else n for b, e, n in zip(shape, repeated, own))
    return stop_masked_gradients(broadcast_to(x, full), repeated)


def _with_dynamic_axes(
    ctx: Context, x: Abstract, shape: tuple[int, ...], extents: DynamicAxes
) -> Abstract:
    """The result of an elementwise operation, of run-time size as its operands are."""
    if isinstance(x, Tuple):
        return x.rebuild(tuple(_with_dynamic_axes(ctx, item, shape, extents) for item in x.items))
    if not ctx.is_array(x) or ctx.shape(x) != shape:
        refuse_dynamic(ctx, "this operation")
    return new_array(ctx, ctx.read(x), extents)


# ----- One shape


def broadcast_elements(
    ctx: Context, xs: Sequence[PaddedValue]
) -> tuple[list[PaddedValue], list[_ResultAxis]]:
    """Elements of one shape (but for axes of extent 1), and that shape."""
    ndim = max(x.value.aval.ndim for x in xs)
    along: list[_ResultAxis] = []
    result = list(xs)
    for axis in range(ndim):
        here = {i: axis - ndim + x.value.aval.ndim for i, x in enumerate(result)}
        mine = {i: a for i, a in here.items() if a >= 0}
        found, result = _broadcast_axis(ctx, result, mine)
        along.append(found)
    return result, along


def _broadcast_axis(
    ctx: Context, xs: list[PaddedValue], axes: dict[int, int]
) -> tuple[_ResultAxis, list[PaddedValue]]:
    """One axis: `axes[i]` is that of operand i."""
    sized = {i: a for i, a in axes.items() if xs[i].dynamic_axes[a] is not None}
    sizes = {xs[i].value.shape[a] for i, a in axes.items() if i not in sized} - {1}
    if len(sizes) > 1:
        ctx.fail(BadValue, message="operands could not be broadcast together")
    if not sized:
        return _ResultAxis(next(iter(sizes), 1)), xs
    forms = {xs[i].dynamic_axes[a].layout_key for i, a in sized.items()}
    xs = list(xs)
    if len(forms) > 1 or sizes:
        single = [i for i, a in sized.items() if xs[i].dynamic_axes[a].length.nominal == 1]
        if single and (sizes or len(single) < len(sized)):
            for i in single:
                xs[i] = _as_single_element(ctx, xs[i], axes[i])
            return _broadcast_axis(ctx, xs, axes)
        # In their order from the first.
        for i, a in sized.items():
            xs[i] = _pack_axis(xs[i], a)
    extents = [xs[i].dynamic_axes[a] for i, a in sized.items()]
    if sizes:
        (n,) = sizes
        for e in extents:
            check_equal_lengths(ctx, e.length, static_length(n), ValueError, MISMATCH)
        target = _ResultAxis(n)
    else:
        least = min(extents, key=lambda e: e.bound)
        for e in extents:
            check_equal_lengths(ctx, e.length, least.length, ValueError, MISMATCH)
        target = _ResultAxis(least.bound, least)
    for i, a in sized.items():
        xs[i] = _resize_axis(xs[i], a, target)
    return target, xs


def _as_single_element(ctx: Context, x: PaddedValue, axis: int) -> PaddedValue:
    """`x[i : i + 1]` has one element, which is repeated; or none, where `i` leaves the axis."""
    check_equal_lengths(ctx, x.dynamic_axes[axis].length, static_length(1), ValueError, MISMATCH)
    x = _pack_axis(x, axis)
    return _replace_axis(x, axis, resized(x.value, axis, 1), None)


def _pack_axis(x: PaddedValue, axis: int) -> PaddedValue:
    value, extent = packed(x.value, axis, x.dynamic_axes[axis])
    return _replace_axis(x, axis, value, extent)


def _resize_axis(x: PaddedValue, axis: int, target: _ResultAxis) -> PaddedValue:
    return _replace_axis(x, axis, resized(x.value, axis, target.bound), target.extent)


def _replace_axis(
    x: PaddedValue, axis: int, value: Value, extent: DynamicAxis | None
) -> PaddedValue:
    return PaddedValue(value, (*x.dynamic_axes[:axis], extent, *x.dynamic_axes[axis + 1 :]))


def align_axes(
    ctx: Context, x: PaddedValue, y: PaddedValue, i: int, j: int, message: str
) -> tuple[PaddedValue, PaddedValue, DynamicAxis | None]:
    """Axis `i` of x and `j` of y with the same elements in the same places, and what is there."""
    a, b = x.dynamic_axes[i], y.dynamic_axes[j]
    n, m = x.value.shape[i], y.value.shape[j]
    if a is None and b is None and n != m:
        ctx.fail(BadValue, message=message)
    if a is None or b is None or a.layout_key != b.layout_key:
        x = x if a is None else _pack_axis(x, i)
        y = y if b is None else _pack_axis(y, j)
        check_equal_lengths(ctx, x.lengths[i], y.lengths[j], ValueError, message)
    found = [e for e in (x.dynamic_axes[i], y.dynamic_axes[j]) if e is not None]
    if len(found) == 1:
        target = _ResultAxis(n if a is None else m)
    else:
        least = min(found, key=lambda e: e.bound, default=None)
        target = _ResultAxis(n if least is None else least.bound, least)
    return _resize_axis(x, i, target), _resize_axis(y, j, target), target.extent


def check_equal_lengths(
    ctx: Context, a: Length, b: Length, error: type[Exception], message: str
) -> None:
    """Two counts must be one number: known, or checked at run time."""
    if a.equals(b):
        return
    if a.hi < b.lo or b.hi < a.lo:
        ctx.fail(BadValue, error=NeedsStatic, message=message)
    ctx.check(logic.ne(a.value, b.value), error, message)


# ----- Storing


def assign(ctx: Context, x: Ref, value: Abstract, casting: str = "same_kind") -> None:
    """`x[...] = value`, where both may have the same extents, as after `x op= y`."""
    dtype = dtype_of(ctx, x)
    given = dtype_of(ctx, value) if isinstance(value, Ref) else operand_dtype(ctx, value)[0]
    if not np.can_cast(given, dtype, casting):
        message = f"cannot cast ufunc output from {given} to {dtype} in place"
        ctx.fail(BadType, message=message)
    aval = bounding_aval(ctx, x)
    store(ctx, x, broadcast_for_store(ctx, value, dtype, aval.shape, dynamic_axes_of(ctx, x)))


def broadcast_for_store(
    ctx: Context, value: Abstract, dtype: np.dtype, shape, extents: DynamicAxes
) -> Value:
    """The value to be stored where `dynamic_axes` say, its elements in these places.

    Elsewhere there may be anything.
    """
    if not isinstance(value, Ref):
        return broadcast_for_assignment(ctx, value, Aval(dtype, shape))
    xs = read(ctx, value)
    while (
        len(xs.value.shape) > len(shape) and xs.value.shape[0] == 1 and xs.dynamic_axes[0] is None
    ):
        xs = PaddedValue(ctx.reshape(xs.value, xs.value.shape[1:]), xs.dynamic_axes[1:])
    message = "could not broadcast input array into the part of an array: they differ in size"
    if len(xs.value.shape) > len(shape):
        ctx.fail(BadValue, message=message)
    found = xs.value
    for axis in range(-len(xs.value.shape), 0):
        here, there = xs.dynamic_axes[axis], extents[axis]
        found = _align_axis_for_store(
            ctx, found, axis % len(found.shape), here, shape[axis], there, message
        )
    return broadcast_to(convert(found, dtype), shape)


def _align_axis_for_store(
    ctx: Context,
    x: Value,
    axis: int,
    here: DynamicAxis | None,
    bound: int,
    there: DynamicAxis | None,
    message: str,
) -> Value:
    """The elements along one axis moved from where they are, `here`, to where they go, `there`."""
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
    check_equal_lengths(
        ctx, static_length(n) if here is None else here.length, wanted, ValueError, message
    )
    x = resized(x, axis, bound)
    return x if there is None else unpacked(x, axis, there)
