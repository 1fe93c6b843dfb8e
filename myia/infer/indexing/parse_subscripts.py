"""Parsed subscripts of arrays: one entry for each axis; static slices and indices.

x[1, ..., None]    entries (1, :, :), a new axis after the last
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from myia.infer.boundary.exceptions import raise_with_numbers
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, is_number, kind_of, number_value
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.lengths import Length, length_of, wrap_negative
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Range,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    is_none,
    is_static_int,
)
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic
from myia.source.value_texts import value_text

I64 = np.dtype(np.int64)
WHOLE = SliceValue(NONE, NONE, NONE)


# What NumPy says to other subscripts.
NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)


def with_slices(ctx: Context, key: Abstract) -> Abstract:
    """The key with the slices among its compile-time objects taken apart, and what may be absent
    in it read."""
    if isinstance(key, Static) and isinstance(key.value, slice):
        k = key.value
        return SliceValue(*(Static(_end(x)) for x in (k.start, k.stop, k.step)))
    if isinstance(key, Static) and isinstance(key.value, tuple):
        parts = tuple(with_slices(ctx, Static(k)) for k in key.value)
        return Tuple(parts) if any(isinstance(k, SliceValue) for k in parts) else key
    if isinstance(key, Tuple):
        return Tuple(tuple(with_slices(ctx, k) for k in key.items), key.cls)
    return ctx.force(key)


def _end(x: Any) -> Any:
    return operator.index(x) if isinstance(x, np.integer) else x


def slice_of_range(ctx: Context, x: Abstract, key: Abstract) -> SliceValue | None:
    """`range(i, j)` of run-time ends, not negative, as the slice `i:j`, checked to be inside.

    None for other subscripts: an array of integers stands for them.
    """
    if not isinstance(key, Range) or not ctx.is_array(x) or not ctx.shape(x):
        return None
    start, stop, step = key.start, key.stop, key.step
    lo, _ = bounds(start)
    known = is_static_int(start) and is_static_int(stop)
    if known or lo is None or lo < 0 or not (is_static_int(step) and step.value == 1):
        return None
    n = ctx.shape(x)[0]
    end = ctx.call(Static(max), (stop, start), {})
    first, last = number_value(start, I64), number_value(end, I64)
    outside = logic.and_(logic.gt(last, constant(n, I64)), logic.gt(last, first))
    index = arithmetic.max(first, constant(n, I64))
    message = f"index {{}} is out of bounds for axis 0 with size {n}"
    ctx.check(outside, IndexError, message, index)
    return SliceValue(start, end, NONE)


def checked_index(
    ctx: Context, key: Abstract, n: Length, axis: int = 0, message: str | None = None
) -> Length:
    """An index into an axis of `n` elements, made non-negative; checked unless proved in range.

    `message`: of the IndexError, where it is not NumPy's.
    """
    require_integer(ctx, key)
    index, size = length_of(key), n.number if isinstance(n.number, int) else n.hi
    known = index.number if isinstance(index.number, int) else None  # also of one iteration's range
    if known is not None and size is not None and not -size <= known < size:
        most = size if n.is_static else f"at most {size}"
        at = value_text(known)
        found = message or f"index {at} is out of bounds for axis {axis} with size {most}"
        ctx.fail(BadValue, message=found, exception="IndexError")
    if size == 0:
        if message is not None:
            ctx.fail(BadValue, message=message, exception="IndexError")
        found = f"index {{}} is out of bounds for axis {axis} with size 0"
        raise_with_numbers(ctx, IndexError, found, index.value)
    least, outside = n.lo or 0, []
    if index.lo is None or index.lo < -least:
        low = constant(-n.number, I64) if isinstance(n.number, int) else arithmetic.neg(n.value)
        outside.append(logic.lt(index.value, low))
    if index.hi is None or index.hi >= least:
        outside.append(logic.ge(index.value, n.value))
    if outside:
        shown = size if n.is_static else "{}"
        found = message or f"index {{}} is out of bounds for axis {axis} with size {shown}"
        ctx.check(reduce(logic.or_, outside), IndexError, found, index.value, n.value)
    return wrap_negative(index, n)


def require_integer(ctx: Context, key: Abstract) -> None:
    if not is_number(key) or kind_of(key) not in "iub":
        message = f"{NOT_AN_INDEX}, not {ctx.describe(key)}"
        ctx.fail(BadValue, message=message, exception="IndexError")


@dataclass(frozen=True)
class Subscript:
    """A subscript of an array, one entry for each of its axes, and the axes that `None` adds."""

    entries: tuple[Abstract, ...]
    new_axes: tuple[int, ...]  # positions among the entries before which an axis is added


def subscript_of(ctx: Context, key: Abstract, ndim: int) -> Subscript:
    """The parsed subscript: ellipsis expanded, missing axes taken whole."""
    keys = key.items if isinstance(key, Tuple) else (key,)
    if isinstance(key, Static) and isinstance(key.value, tuple):
        keys = tuple(map(Static, key.value))
    entries: list[Abstract] = []
    new_axes: list[int] = []
    given = sum(_axes_of(ctx, k) for k in keys)
    for k in keys:
        if is_none(k):
            new_axes.append(len(entries))
        elif isinstance(k, Static) and k.value is Ellipsis:
            entries += [WHOLE] * (ndim - given)
        else:
            entries.append(k)
    missing = ndim - sum(_axes_of(ctx, k) for k in entries)
    if missing < 0:
        message = f"too many indices for array: array is {ndim}-dimensional"
        ctx.fail(BadValue, message=message, exception="IndexError")
    return Subscript((*entries, *[WHOLE] * missing), tuple(new_axes))


def has_ellipsis(key: Abstract) -> bool:
    """True for `x[..., 0]`, which is an array without dimensions where `x[0]` is a number."""
    keys = key.items if isinstance(key, Tuple) else (key,)
    if isinstance(key, Static) and isinstance(key.value, tuple):
        keys = tuple(map(Static, key.value))
    return any(isinstance(k, Static) and k.value is Ellipsis for k in keys)


def _axes_of(ctx: Context, k: Abstract) -> int:
    """How many axes an entry indexes."""
    if is_none(k) or (isinstance(k, Static) and k.value is Ellipsis):
        return 0
    if ctx.is_array(k) and array_aval(ctx.heap, k.id).dtype.kind == "b":
        return len(ctx.shape(k))
    return 1


def slice_range(ctx: Context, entry: SliceValue, n: int) -> tuple[int | Value, int, int]:
    """Start index, length and stride of a static slice, or of `x[i : i + 3]`."""
    known = [p.value for p in entry.children() if isinstance(p, Static)]
    if len(known) == 3:
        try:
            taken = range(n)[slice(*known)]
        except (TypeError, ValueError) as e:
            ctx.fail(BadValue, message=str(e), exception=type(e).__name__)
        return (taken.start if len(taken) else 0), len(taken), taken.step
    size = constant_length(entry)
    if not is_within_axis(entry, n):
        ctx.needs_static("the length of a slice")
    return (number_value(entry.start, I64), size, 1) if size else (0, 0, 1)


def is_static_slice(entry: SliceValue) -> bool:
    return all(isinstance(p, Static) for p in entry.children())


def is_within_axis(entry: SliceValue, n: int) -> bool:
    """True for `x[i : i + c]` that is proved to lie inside an axis of `n` elements."""
    size = constant_length(entry)
    if size is None or size == 0:
        return size == 0
    lo, hi = bounds(entry.start)
    return lo is not None and lo >= 0 and hi is not None and hi + size <= n


def constant_length(entry: SliceValue) -> int | None:
    """`c` of `x[i : i + c]`, else None. None for `x[i : i - 2]`, which is `x[1:-1]` for i = 1."""
    start, stop, step = entry.children()
    one = is_none(step) or (is_static_int(step) and step.value == 1)
    if not one or not isinstance(start, Scalar) or not isinstance(stop, Scalar):
        return None
    (base, scale, a), (other, scale_too, b) = start.linear_form, stop.linear_form
    return b - a if base is other and scale == scale_too and b >= a else None
