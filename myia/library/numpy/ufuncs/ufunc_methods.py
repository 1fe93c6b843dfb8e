"""Methods of ufuncs with a primitive: `np.maximum.accumulate`, `np.add.at`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.values import NONE, Abstract, Static
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing.indexing import getitem, setitem
from myia.infer.registry import function
from myia.library.source.ufunc_reductions import ONE_BY_ONE
from myia.library.support.arguments import (
    broadcasts_to,
    cast,
    dtype_of,
    numeric,
    strong,
    value_of,
)
from myia.library.support.from_source import call_source
from myia.primitives.arrays import shaping
from myia.primitives.arrays.gather import index_dims, scatter_add
from myia.primitives.pointwise import arithmetic

ZERO = Static(0)

# ----- at


def _adding_at(ufunc: np.ufunc) -> Callable[..., Abstract]:
    """`np.add.at(a, indices, b)`: a repeated index adds repeatedly."""

    def handler(ctx: Context, a: Abstract, indices: Abstract, b: Abstract = NONE) -> Abstract:
        if not ctx.is_array(a):
            ctx.fail(BadType, message="first operand must be array")
        dtype, shape = dtype_of(ctx, a), ctx.shape(a)
        places = getitem(ctx, _flat_indices(ctx, shape), indices)
        added = strong(numeric(ctx, b))
        if dtype.kind == "b" or not np.can_cast(dtype_of(ctx, added), dtype, "same_kind"):
            return call_source(ctx, ONE_BY_ONE[ufunc], (a, indices, b), {})  # each sum is rounded
        if is_dynamic(ctx, places):  # by a mask: no element is named twice
            setitem(ctx, a, indices, ctx.call(Static(ufunc), (getitem(ctx, a, indices), b), {}))
            return NONE
        where = value_of(ctx, places)
        if not broadcasts_to(ctx.shape(added), where.shape):
            message = f"array is not broadcastable to correct shape {where.shape}"
            ctx.fail(BadValue, message=message)
        if not where.aval.size:
            return NONE
        value = broadcast_to(value_of(ctx, cast(ctx, added, dtype)), where.shape)
        value = arithmetic.neg(value) if ufunc is np.subtract else value
        flat = ctx.reshape(ctx.read(a), (math.prod(shape),))
        n = where.aval.size
        total = scatter_add(
            flat,
            ctx.reshape(where, (n, 1)),
            ctx.reshape(value, (n,)),
            dims=index_dims((), (0,), (0,)),
            mode="clip",
        )
        ctx.store(a, ctx.reshape(total, shape))
        return NONE

    return handler


def _flat_indices(ctx: Context, shape: tuple[int, ...]) -> Abstract:
    """An array of this shape that holds the flat index of each element."""
    count = shaping.iota(shape=(math.prod(shape),), axis=0, dtype=np.dtype(np.int64))
    return ctx.array(ctx.reshape(count, shape))


function(np.add.at)(_adding_at(np.add))
function(np.subtract.at)(_adding_at(np.subtract))
