"""Scatters that store, multiply by what they write, or keep the extremum.

An element may be written to several times, unless `unique` says (unchecked) that none is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from jax import lax

from myia.ir.avals import I64
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import Explicit
from myia.primitives.arrays.cumulative import shift
from myia.primitives.arrays.gather import (
    IndexDims,
    evaluate_scatter,
    gather_updates,
    index_dims,
    scatter_add,
    scatter_avals,
    take,
    window_sizes,
)
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.shaping import broadcast, iota, reshape, slice
from myia.primitives.arrays.sorting import argsort, sort_p
from myia.primitives.core.define import CallablePrimitive, constant, linear, require_kind, zeros
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import and_, convert, eq, gt, ne, not_, select

# ----- Stores: the last one to an element stays

PAIRS = 32  # windows, so few that all pairs of them take no longer than the stores
SPARSE = 256  # elements of the array to each written: they are filled while it is sorted


def _last_written(x: Value, indices: Value, u: Value, dims, mode) -> Value:
    """True for the elements of `u` that no later one overwrites.

    What it takes grows with `u`, not with `x`, if the windows are single elements along the axes
    that are indexed, as those of NumPy are: others may overlap in part.
    """
    axes = IndexDims(*dims)
    sizes, batch = window_sizes(x.shape, u.shape, axes), indices.shape[:-1]
    count = math.prod(batch)
    single = all(sizes[axis] == 1 for axis in axes.start_index_map)
    if not single or count == 0 or (count > PAIRS and x.aval.size < SPARSE * u.aval.size):
        return _is_writer(x, indices, u, dims, mode)
    places = reshape(_places(x, indices, axes, mode), shape=(count,))
    last = (_last_of_pairs if count <= PAIRS else _last_of_sorted)(places)
    others = tuple(axis for axis in range(u.aval.ndim) if axis not in axes.offset_dims)
    return broadcast(reshape(last, shape=batch), shape=u.shape, dims=others)


def _is_writer(x: Value, indices: Value, u: Value, dims, mode) -> Value:
    """The same by an array like `x` of who wrote last."""
    ids = reshape(iota(shape=(u.aval.size,), axis=0, dtype=I64.dtype), shape=u.shape)
    nobody = constant(-1, I64.dtype, x.shape)
    owner = scatter(nobody, indices, ids, dims=dims, mode=mode, unique=False)
    return eq(gather_updates(owner, x, indices, u, dims, mode, outside=-1), ids)


def _places(x: Value, indices: Value, dims: IndexDims, mode: str) -> Value:
    """A number for each window, of shape (batch...): equal where they are at the same place.

    All that are outside and not written have one number, too.
    """
    batch = indices.shape[:-1]
    place, inside = constant(0, I64.dtype, batch), constant(True, np.dtype(bool), batch)
    count = 1
    for k, axis in enumerate(dims.start_index_map):
        index = convert(_column(indices, k), dtype=I64.dtype)
        within = minimum(maximum(index, 0), x.shape[axis] - 1)
        inside = and_(inside, eq(index, within))
        place, count = add(place, mul(within, count)), count * x.shape[axis]
    for axis, along in zip(dims.operand_batching_dims, dims.start_indices_batching_dims):
        row = iota(shape=batch, axis=along, dtype=I64.dtype)
        place, count = add(place, mul(row, count)), count * x.shape[axis]
    return select(inside, place, -1) if mode == "fill" else place


def _column(indices: Value, k: int) -> Value:
    batch = indices.shape[:-1]
    start, stride = (0,) * len(batch), (1,) * indices.aval.ndim
    column = slice(indices, start=(*start, k), limit=(*batch, k + 1), stride=stride)
    return reshape(column, shape=batch)


def _last_of_pairs(places: Value) -> Value:
    """True for those that no later one equals."""
    pairs = 2 * places.shape
    one, other = (broadcast(places, shape=pairs, dims=(axis,)) for axis in (0, 1))
    later = gt(*(iota(shape=pairs, axis=axis, dtype=I64.dtype) for axis in (1, 0)))
    return not_(reduce_or(and_(eq(one, other), later), axes=(1,)))


def _last_of_sorted(places: Value) -> Value:
    """The same in sorted order, where equal ones are adjacent."""
    places, order = _in_order(places)
    last = ne(places, shift(places, 1, -2, 0, reverse=True))
    at = reshape(order, shape=(*order.shape, 1))
    dims = index_dims((), (0,), (0,))
    nobody = constant(False, last.dtype, last.shape)
    return scatter(nobody, at, last, dims=dims, mode="clip", unique=True)


def _in_order(places: Value) -> Sequence[Value]:
    """Places sorted, so that equal ones are adjacent, and where they were."""
    where = iota(shape=places.shape, axis=0, dtype=I64.dtype)
    return emit(sort_p, places, where, axis=0, keys=1)


def _transpose_scatter(i, ct, x, indices, u, *, dims, mode, unique):
    if i == 0:
        return scatter(ct, indices, zeros(u.aval), dims=dims, mode=mode, unique=unique)
    read = gather_updates(ct, x, indices, u, dims, mode)
    return read if unique else select(_last_written(x, indices, u, dims, mode), read, 0)


def _lower_scatter(x, indices, u, *, dims, mode, unique):
    numbers, options = IndexDims(*dims).for_scatter(), dict(mode=mode, unique_indices=unique)
    if unique:
        return lax.scatter(x, indices, u, numbers, **options)
    return lax.platform_dependent(
        x,
        indices,
        u,
        cpu=lambda x, indices, u: lax.scatter(x, indices, u, numbers, **options),
        default=lambda x, indices, u: scatter_in_any_order(x, indices, u, dims, mode),
    )


def scatter_in_any_order(x, indices, u, dims, mode):
    """A scatter whose last write stays although the device writes in an order of its own.

    Whoever writes to an element writes what the last one there writes.
    """
    dims = IndexDims(*dims)
    ids = lax.reshape(lax.iota(np.int64, u.size), u.shape)
    last = lax.full(x.shape, -1, np.int64)
    last = lax.scatter_max(last, indices, ids, dims.for_scatter(), mode=mode)
    sizes = window_sizes(x.shape, u.shape, dims)
    writer = lax.gather(last, indices, dims.for_gather(), sizes, mode=mode, fill_value=0)
    values = lax.reshape(u, (u.size,))[lax.reshape(writer, (u.size,))]
    return lax.scatter(x, indices, lax.reshape(values, u.shape), dims.for_scatter(), mode=mode)


# `unique`: no element is written twice (not checked). Otherwise the last write stays.
scatter = linear(
    "scatter",
    scatter_avals,
    _lower_scatter,
    evaluate_scatter(np.ndarray.__setitem__),
    groups=((0, 2),),
    transpose=_transpose_scatter,
)


# ----- Scatters by an operation


def _scattering(name: str, lower: Callable, ufunc: np.ufunc, jvp, kinds) -> CallablePrimitive:
    def avals(x, indices, u, *, dims, mode, unique):
        require_kind(name, x, kinds)
        return scatter_avals(x, indices, u, dims=dims, mode=mode)

    return CallablePrimitive(
        name=name,
        avals=avals,
        lower=lambda x, indices, u, *, dims, mode, unique: lower(
            x, indices, u, IndexDims(*dims).for_scatter(), unique_indices=unique, mode=mode
        ),
        evaluate=evaluate_scatter(ufunc.at),
        derivative=Explicit(jvp),
    )


def _sum(a: Value | None, b: Value | None) -> Value | None:
    if a is None or b is None:
        return b if a is None else a
    return add(a, b)


# ----- Extrema: equal ones, among them the element that was there, share evenly


def _extremum_jvp(ys, xs, ts, *, dims, mode, unique):
    (y,), (x, indices, u), (tx, _, tu) = ys, xs, ts
    kept = eq(x, y)
    taken = eq(u, gather_updates(y, x, indices, u, dims, mode))
    holders = scatter_add(
        convert(kept, dtype=x.dtype), indices, convert(taken, dtype=x.dtype), dims=dims, mode=mode
    )
    t = zeros(x.aval) if tx is None else select(kept, tx, 0)
    if tu is not None:
        t = scatter_add(t, indices, select(taken, tu, 0), dims=dims, mode=mode)
    return (t * (1 / holders),)


scatter_max = _scattering("scatter_max", lax.scatter_max, np.maximum, _extremum_jvp, "biuf")
scatter_min = _scattering("scatter_min", lax.scatter_min, np.minimum, _extremum_jvp, "biuf")

# ----- Products


def _mul_jvp(ys, xs, ts, *, dims, mode, unique):
    (x, indices, u), (tx, _, tu) = xs, ts
    by_x = by_u = None
    if tx is not None:
        ones = constant(1, x.dtype, x.shape)
        by_x = tx * scatter_mul(ones, indices, u, dims=dims, mode=mode, unique=unique)
    if tu is not None:
        weight = gather_updates(x, x, indices, u, dims, mode)
        if not unique:
            weight = weight * _others(x, indices, u, dims, mode)
        by_u = scatter_add(zeros(x.aval), indices, weight * tu, dims=dims, mode=mode)
    return (_sum(by_x, by_u),)


def _others(x: Value, indices: Value, u: Value, dims, mode) -> Value:
    """For each element of `u`, the product of all others that are written to the same place."""
    n, count = x.aval.size, u.aval.size
    places = reshape(iota(shape=(n,), axis=0, dtype=I64.dtype), shape=x.shape)
    places = gather_updates(places, x, indices, u, dims, mode, outside=-1)
    places, order = _in_order(reshape(places, shape=(count,)))
    factors = take(reshape(u, shape=(count,)), order, axis=0)
    others = mul(*(_product_before(factors, places, reverse) for reverse in (False, True)))
    return reshape(take(others, argsort(order, axis=0), axis=0), shape=u.shape)


def _product_before(factors: Value, places: Value, reverse: bool) -> Value:
    """The product of the factors before each one, of those of the same place, which are adjacent.

    Each step doubles how many of them are in the product.
    """

    def moved(x: Value, distance: int) -> Value:
        """`x` moved by `distance`; 1 where it would come to another place."""
        same = eq(shift(places, distance, -2, 0, reverse), places)
        return select(same, shift(x, distance, 1, 0, reverse), 1)

    product, distance = moved(factors, 1), 1
    while distance < factors.shape[0]:
        product = product * moved(product, distance)
        distance *= 2
    return product


scatter_mul = _scattering("scatter_mul", lax.scatter_mul, np.multiply, _mul_jvp, "iufc")
