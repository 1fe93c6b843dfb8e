"""Methods of ufuncs with a primitive: `np.maximum.accumulate`, `np.add.at`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to, convert
from myia.infer.domain.dynamic_axes import valid_mask
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.values import NONE, Abstract, Ref, Static, Tuple, as_ref
from myia.infer.dynamic.access import (
    bounding_aval,
    is_dynamic,
    pack_to_prefixes,
    read,
    refuse_dynamic,
    store,
)
from myia.infer.dynamic.broadcasting import apply_elementwise
from myia.infer.indexing.indexing import getitem, setitem
from myia.infer.indexing.integer_arrays import checked_indices
from myia.infer.registry import for_dynamic_arrays, function
from myia.ir.core import Value
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
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

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
        flat = ctx.reshape(ctx.read(a), (math.prod(shape),))
        ctx.store(a, ctx.reshape(_scattered(ctx, ufunc, flat, where, value), shape))
        return NONE

    return handler


def _adding_at_dynamic(ufunc: np.ufunc) -> Callable[..., Abstract]:
    """Along one axis, of which the masked elements are added nowhere."""

    def variant(ctx: Context, a: Abstract, indices: Abstract, b: Abstract = NONE) -> Abstract:
        if not isinstance(a, Ref) or not isinstance(indices, Ref):
            refuse_dynamic(ctx, f"`np.{ufunc.__name__}.at`")
        if bounding_aval(ctx, indices).dtype.kind == "b":
            setitem(ctx, a, indices, ctx.call(Static(ufunc), (getitem(ctx, a, indices), b), {}))
            return NONE
        pack_to_prefixes(ctx, a)
        target, dtype = read(ctx, a), bounding_aval(ctx, a).dtype
        added = b if is_dynamic(ctx, b) else strong(numeric(ctx, b))
        given = bounding_aval(ctx, added).dtype if isinstance(added, Ref) else dtype_of(ctx, added)
        is_one_axis = target.value.aval.ndim == 1 == bounding_aval(ctx, indices).ndim
        if not is_one_axis or dtype.kind == "b" or not np.can_cast(given, dtype, "same_kind"):
            refuse_dynamic(ctx, f"`np.{ufunc.__name__}.at` of several axes or dtypes")

        def both(xs: list[Abstract]) -> Abstract:
            shape = ctx.shape(xs[0])
            value = broadcast_to(value_of(ctx, cast(ctx, xs[1], dtype)), shape)
            return Tuple((xs[0], ctx.array(value)))

        found = apply_elementwise(ctx, [indices, added], both)
        assert isinstance(found, Tuple)
        places, values = (read(ctx, as_ref(x)) for x in found.items)
        valid = valid_mask(places.value.shape, places.dynamic_axes)
        where, value = convert(places.value, np.dtype(np.int64)), values.value
        size = target.lengths[0].value
        where = checked_indices(ctx, where, size, valid=valid)
        if valid is not None:
            value = logic.select(valid, value, constant(0, dtype, value.shape))
            where = logic.select(valid, where, constant(0, where.dtype, where.shape))
        store(ctx, a, _scattered(ctx, ufunc, target.value, where, value))
        return NONE

    return variant


def _scattered(ctx: Context, ufunc: np.ufunc, flat: Value, where: Value, value: Value) -> Value:
    """The sums, or differences, at these places of one axis."""
    if not flat.aval.size:
        return flat
    n = where.aval.size
    return scatter_add(
        flat,
        ctx.reshape(where, (n, 1)),
        ctx.reshape(arithmetic.neg(value) if ufunc is np.subtract else value, (n,)),
        dims=index_dims((), (0,), (0,)),
        mode="clip",
    )


def _flat_indices(ctx: Context, shape: tuple[int, ...]) -> Abstract:
    """An array of this shape that holds the flat index of each element."""
    count = shaping.iota(shape=(math.prod(shape),), axis=0, dtype=np.dtype(np.int64))
    return ctx.array(ctx.reshape(count, shape))


for _ufunc in (np.add, np.subtract):
    _handler = _adding_at(_ufunc)
    function(_ufunc.at)(_handler)
    for_dynamic_arrays(_handler)(_adding_at_dynamic(_ufunc))
