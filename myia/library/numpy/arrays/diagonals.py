"""Diagonals: `eye`, `tri`, `diag`, `diagonal`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
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
from myia.primitives.arrays import reductions, shaping
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
    """The diagonal of the last two axes, by a sum over each row with the others masked."""
    *batch, rows, columns = x.shape
    start, n = max(-offset, 0), max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    low = (*[0] * len(batch), start if n else 0, 0)
    part = shaping.slice(
        x, start=low, limit=(*batch, low[-2] + n, columns), stride=(1,) * x.aval.ndim
    )
    here = broadcast_to(on_diagonal((n, columns), max(offset, 0)), part.shape)
    if x.dtype.kind == "b":
        return reductions.reduce_or(logic.and_(here, part), axes=(len(batch) + 1,))
    kept = logic.select(here, part, constant(0, x.dtype, part.shape))
    return reductions.reduce_sum(kept, axes=(len(batch) + 1,))


def _last_two(ctx: Context, x: Abstract, axis1: Abstract, axis2: Abstract) -> Value:
    """The value with the two axes last."""
    ndim = len(ctx.shape(x))
    if ndim < 2:
        ctx.fail(BadValue, message="diag requires an array of at least two dimensions")
    axes = [axis_argument(ctx, axis, ndim) for axis in (axis1, axis2)]
    if axes[0] == axes[1]:
        ctx.fail(BadValue, message="axis1 and axis2 cannot be the same")
    order = (*(i for i in range(ndim) if i not in axes), *axes)
    value = value_of(ctx, x)
    in_place = order == tuple(range(ndim))
    return value if in_place else shaping.transpose(value, permutation=order)


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
    value = _last_two(ctx, x, axis1, axis2)
    found = _diagonal_value(value, integer(ctx, offset, "the index of a diagonal"))
    if not isinstance(a, Ref):
        return ctx.array(found)
    return readonly_snapshot(ctx, a, found, "a diagonal")
