"""Diagonals: `eye`, `tri`, `diag`, `diagonal`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.memory_order import readonly_snapshot
from myia.infer.domain.values import NONE, Abstract, Ref, Static, is_none
from myia.infer.registry import function, method
from myia.ir.core import Value
from myia.library.support.arguments import (
    array,
    axis_argument,
    dtype_argument,
    integer,
    require_c_order,
    value_of,
)
from myia.primitives.arrays import shaping
from myia.primitives.core.define import PointwisePrimitive, constant
from myia.primitives.pointwise import logic

F64 = np.dtype(np.float64)
C = Static("C")
ZERO = Static(0)
ONE = Static(1)


def on_diagonal(shape: tuple[int, int], k: int, compare: PointwisePrimitive = logic.eq) -> Value:
    """A mask of the matrix elements for which `compare(column - row, k)` holds."""
    rows, columns = (shaping.iota(shape=shape, axis=i, dtype=np.dtype(np.int64)) for i in (0, 1))
    return compare(columns - rows, constant(k, np.int64, shape))


def _ones_where(name: str, compare: PointwisePrimitive) -> Callable[..., Abstract]:
    """A matrix of ones where `compare(column - row, k)` holds, of zeros elsewhere."""

    def handler(
        ctx: Context,
        N: Abstract,
        M: Abstract = NONE,
        k: Abstract = ZERO,
        dtype: Abstract = NONE,
        order: Abstract = C,
    ) -> Abstract:
        require_c_order(ctx, name, order)
        rows = max(0, integer(ctx, N, "the number of rows"))
        columns = rows if is_none(M) else max(0, integer(ctx, M, "the number of columns"))
        found = on_diagonal((rows, columns), integer(ctx, k, "the index of a diagonal"), compare)
        return ctx.array(logic.convert(found, dtype=dtype_argument(ctx, dtype) or F64))

    return handler


function(np.eye)(_ones_where("numpy.eye", logic.eq))
function(np.tri)(_ones_where("numpy.tri", logic.le))


@function(np.diag)
def _diag(ctx: Context, v: Abstract, k: Abstract = ZERO) -> Abstract:
    x = array(ctx, v)
    offset = integer(ctx, k, "the index of a diagonal")
    if len(ctx.shape(x)) == 2:
        return _diagonal(ctx, x, Static(offset))
    if len(ctx.shape(x)) != 1:
        ctx.fail(BadValue, message="Input must be 1- or 2-d.")
    value = value_of(ctx, x)
    n = value.shape[0] + abs(offset)
    low, high = max(-offset, 0), max(offset, 0)
    column = shaping.pad(value, constant(0, value.dtype), low=(low,), high=(high,), interior=(0,))
    spread = shaping.broadcast(column, shape=(n, n), dims=(0,))
    return ctx.array(
        logic.select(on_diagonal((n, n), offset), spread, constant(0, value.dtype, (n, n)))
    )


# ----- Diagonals of matrices


def _diagonal_value(x: Value, offset: int) -> Value:
    """The diagonal of the last two axes: elements of the flat matrix, one row and one column apart.

    So no other element is read.
    """
    *batch, rows, columns = x.shape
    n = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    first = max(-offset, 0) * columns + max(offset, 0) if n else 0
    end = first + (n - 1) * (columns + 1) + 1 if n else 0
    return shaping.slice(
        shaping.reshape(x, shape=(*batch, rows * columns)),
        start=(*[0] * len(batch), first),
        limit=(*batch, end),
        stride=(*[1] * len(batch), columns + 1),
    )


def diagonal_of_axes(x: Value, axis1: int, axis2: int, offset: int = 0) -> Value:
    """The diagonal of two axes, as the last one; `offset` counts along the second."""
    if axis1 > axis2:
        axis1, axis2, offset = axis2, axis1, -offset
    order = (*(i for i in range(x.aval.ndim) if i not in (axis1, axis2)), axis1, axis2)
    in_place = order == tuple(range(x.aval.ndim))
    return _diagonal_value(x if in_place else shaping.transpose(x, permutation=order), offset)


def _two_axes(ctx: Context, x: Abstract, axis1: Abstract, axis2: Abstract) -> tuple[int, int]:
    ndim = len(ctx.shape(x))
    if ndim < 2:
        ctx.fail(BadValue, message="diag requires an array of at least two dimensions")
    i, j = (axis_argument(ctx, axis, ndim) for axis in (axis1, axis2))
    if i == j:
        ctx.fail(BadValue, message="axis1 and axis2 cannot be the same")
    return i, j


@method("array", "diagonal")
@function(np.diagonal)
def _diagonal(
    ctx: Context,
    a: Abstract,
    offset: Abstract = ZERO,
    axis1: Abstract = ZERO,
    axis2: Abstract = ONE,
) -> Abstract:
    x = array(ctx, a)
    axes = _two_axes(ctx, x, axis1, axis2)
    k = integer(ctx, offset, "the index of a diagonal")
    found = diagonal_of_axes(value_of(ctx, x), *axes, k)
    if not isinstance(a, Ref):
        return ctx.array(found)
    return readonly_snapshot(ctx, a, found, "a diagonal")
