"""Scatters that store, multiply, or keep the maximum or minimum.

    scatter(x, [[2], [0]], [a, b])      ->      x with a at 2 and b at 0

An element may be written several times; `unique` promises (unchecked) that no element is.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval
from myia.ir.builder import emit
from myia.ir.core import Tangents, Value, Values
from myia.ir.primitive import Explicit, Formula
from myia.primitives.arrays.cumulative import shift
from myia.primitives.arrays.gather import (
    IndexDims,
    evaluate_scatter,
    gather_updates,
    index_dims,
    scatter_add,
    scatter_avals,
    take,
    update_slice_sizes,
)
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.shaping import broadcast, iota, reshape, slice
from myia.primitives.arrays.sorting import argsort, sort_p
from myia.primitives.core.define import CallablePrimitive, constant, linear, require_kind, zeros
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import and_, convert, eq, gt, ne, not_, select

# ----- Stores: the last one to an element wins

# With so few slices, the comparison of all pairs takes no longer than the stores.
MAX_PAIRWISE_SLICES = 32
# In an array so much larger than the updates, sorting them costs less than an array of writers.
MIN_ELEMENTS_PER_UPDATE = 256


def _last_written(x: Value, indices: Value, u: Value, dims: Any, mode: str) -> Value:
    """True for the elements of `u` that no later element overwrites.

    The cost grows with `u`, not with `x`, if each slice has one element along the indexed axes, as
    with NumPy's subscripts. Other slices may overlap partially: they need `_is_writer`.
    """
    axes = IndexDims(*dims)
    sizes, batch = update_slice_sizes(x.shape, u.shape, axes), indices.shape[:-1]
    count = math.prod(batch)
    single = all(sizes[axis] == 1 for axis in axes.start_index_map)
    is_large = count > MAX_PAIRWISE_SLICES
    is_dense = x.aval.size < MIN_ELEMENTS_PER_UPDATE * u.aval.size
    if not single or count == 0 or (is_large and is_dense):
        return _is_writer(x, indices, u, dims, mode)
    numbers = reshape(_slice_numbers(x, indices, axes, mode), shape=(count,))
    last = (_last_of_sorted if is_large else _last_of_pairs)(numbers)
    others = tuple(axis for axis in range(u.aval.ndim) if axis not in axes.offset_dims)
    return broadcast(reshape(last, shape=batch), shape=u.shape, dims=others)


def _is_writer(x: Value, indices: Value, u: Value, dims: Any, mode: str) -> Value:
    """The same, by an array like `x` that holds the number of the last writer of each element."""
    ids = reshape(iota(shape=(u.aval.size,), axis=0, dtype=I64.dtype), shape=u.shape)
    no_writer = constant(-1, I64.dtype, x.shape)
    owner = scatter(no_writer, indices, ids, dims=dims, mode=mode, unique=False)
    return eq(gather_updates(owner, x, indices, u, dims, mode, outside=-1), ids)


def _slice_numbers(x: Value, indices: Value, dims: IndexDims, mode: str) -> Value:
    """A number for each slice, of shape (batch...): equal for equal start indices.

    All slices that are out of range and not written have the number -1.
    """
    batch = indices.shape[:-1]
    number, inside = constant(0, I64.dtype, batch), constant(True, np.dtype(bool), batch)
    count = 1
    for k, axis in enumerate(dims.start_index_map):
        index = convert(_column(indices, k), dtype=I64.dtype)
        within = minimum(maximum(index, 0), x.shape[axis] - 1)
        inside = and_(inside, eq(index, within))
        number, count = add(number, mul(within, count)), count * x.shape[axis]
    for axis, along in zip(dims.operand_batching_dims, dims.start_indices_batching_dims):
        row = iota(shape=batch, axis=along, dtype=I64.dtype)
        number, count = add(number, mul(row, count)), count * x.shape[axis]
    return select(inside, number, -1) if mode == "fill" else number


def _column(indices: Value, k: int) -> Value:
    batch = indices.shape[:-1]
    start, stride = (0,) * len(batch), (1,) * indices.aval.ndim
    column = slice(indices, start=(*start, k), limit=(*batch, k + 1), stride=stride)
    return reshape(column, shape=batch)


def _last_of_pairs(numbers: Value) -> Value:
    """True for the numbers that no later number equals."""
    pairs = 2 * numbers.shape
    one, other = (broadcast(numbers, shape=pairs, dims=(axis,)) for axis in (0, 1))
    later = gt(*(iota(shape=pairs, axis=axis, dtype=I64.dtype) for axis in (1, 0)))
    return not_(reduce_or(and_(eq(one, other), later), axes=(1,)))


def _last_of_sorted(numbers: Value) -> Value:
    """The same by sorting, which makes equal numbers adjacent."""
    numbers, order = _sorted_with_order(numbers)
    last = ne(numbers, shift(numbers, 1, -2, 0, reverse=True))
    at = reshape(order, shape=(*order.shape, 1))
    dims = index_dims((), (0,), (0,))
    no_writer = constant(False, last.dtype, last.shape)
    return scatter(no_writer, at, last, dims=dims, mode="clip", unique=True)


def _sorted_with_order(numbers: Value) -> Values:
    """The sorted numbers, and their former positions."""
    where = iota(shape=numbers.shape, axis=0, dtype=I64.dtype)
    return emit(sort_p, numbers, where, axis=0, keys=1)


def _transpose_scatter(
    i: int, ct: Value, x: Value, indices: Value, u: Value, *, dims: Any, mode: str, unique: bool
) -> Value:
    if i == 0:
        return scatter(ct, indices, zeros(u.aval), dims=dims, mode=mode, unique=unique)
    read = gather_updates(ct, x, indices, u, dims, mode)
    return read if unique else select(_last_written(x, indices, u, dims, mode), read, 0)


def _lower_scatter(
    x: jax.Array, indices: jax.Array, u: jax.Array, *, dims: Any, mode: str, unique: bool
) -> jax.Array:
    numbers = IndexDims(*dims).for_scatter()
    options: dict[str, Any] = dict(mode=mode, unique_indices=unique)
    if unique:
        return lax.scatter(x, indices, u, numbers, **options)
    return lax.platform_dependent(
        x,
        indices,
        u,
        cpu=lambda x, indices, u: lax.scatter(x, indices, u, numbers, **options),
        default=lambda x, indices, u: scatter_last_write(x, indices, u, dims, mode),
    )


def scatter_last_write(
    x: jax.Array, indices: jax.Array, u: jax.Array, dims: Any, mode: str
) -> jax.Array:
    """A scatter whose last write wins, on devices that write in any order.

    Each writer of an element writes the value of the element's last writer.
    """
    dims = IndexDims(*dims)
    ids = lax.reshape(lax.iota(np.int64, u.size), u.shape)
    last = lax.full(x.shape, -1, np.int64)
    last = lax.scatter_max(last, indices, ids, dims.for_scatter(), mode=mode)
    sizes = update_slice_sizes(x.shape, u.shape, dims)
    writer = lax.gather(last, indices, dims.for_gather(), sizes, mode=mode, fill_value=0)
    values = lax.reshape(u, (u.size,))[lax.reshape(writer, (u.size,))]
    return lax.scatter(x, indices, lax.reshape(values, u.shape), dims.for_scatter(), mode=mode)


# `unique`: no element is written twice (not checked). Otherwise the last write wins.
scatter = linear(
    "scatter",
    scatter_avals,
    _lower_scatter,
    evaluate_scatter(np.ndarray.__setitem__),
    groups=((0, 2),),
    transpose=_transpose_scatter,
)


# ----- Scatters by an operation


def _scattering(
    name: str, lower: Formula, ufunc: np.ufunc, jvp: Formula, kinds: str
) -> CallablePrimitive:
    def avals(
        x: Aval, indices: Aval, u: Aval, *, dims: Any, mode: str, unique: bool
    ) -> tuple[Aval, ...]:
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


# ----- Extrema: equal elements (the old one included) share the derivative evenly


def _extremum_jvp(
    ys: Values, xs: Values, ts: Tangents, *, dims: Any, mode: str, unique: bool
) -> Tangents:
    (y,), (x, indices, u), (tx, _, tu) = ys, xs, ts
    kept = eq(x, y)
    taken = eq(u, gather_updates(y, x, indices, u, dims, mode))
    ties = scatter_add(
        convert(kept, dtype=x.dtype), indices, convert(taken, dtype=x.dtype), dims=dims, mode=mode
    )
    t = zeros(x.aval) if tx is None else select(kept, tx, 0)
    if tu is not None:
        t = scatter_add(t, indices, select(taken, tu, 0), dims=dims, mode=mode)
    return (t * (1 / ties),)


scatter_max = _scattering("scatter_max", lax.scatter_max, np.maximum, _extremum_jvp, "biuf")
scatter_min = _scattering("scatter_min", lax.scatter_min, np.minimum, _extremum_jvp, "biuf")

# ----- Products


def _mul_jvp(
    ys: Values, xs: Values, ts: Tangents, *, dims: Any, mode: str, unique: bool
) -> Tangents:
    (x, indices, u), (tx, _, tu) = xs, ts
    terms: list[Value] = []
    if tx is not None:
        ones = constant(1, x.dtype, x.shape)
        terms.append(tx * scatter_mul(ones, indices, u, dims=dims, mode=mode, unique=unique))
    if tu is not None:
        weight = gather_updates(x, x, indices, u, dims, mode)
        if not unique:
            weight = weight * _others(x, indices, u, dims, mode)
        terms.append(scatter_add(zeros(x.aval), indices, weight * tu, dims=dims, mode=mode))
    return (functools.reduce(add, terms),)


def _others(x: Value, indices: Value, u: Value, dims: Any, mode: str) -> Value:
    """For each element of `u`, the product of the other updates of the same element of `x`."""
    n, count = x.aval.size, u.aval.size
    numbers = reshape(iota(shape=(n,), axis=0, dtype=I64.dtype), shape=x.shape)
    numbers = gather_updates(numbers, x, indices, u, dims, mode, outside=-1)
    numbers, order = _sorted_with_order(reshape(numbers, shape=(count,)))
    factors = take(reshape(u, shape=(count,)), order, axis=0)
    others = mul(*(_product_before(factors, numbers, reverse) for reverse in (False, True)))
    return reshape(take(others, argsort(order, axis=0), axis=0), shape=u.shape)


def _product_before(factors: Value, numbers: Value, reverse: bool) -> Value:
    """The product of the factors before each one that have the same number (and are adjacent).

    A prefix scan: each step doubles the number of factors in the product.
    """

    def shifted(x: Value, distance: int) -> Value:
        """`x` shifted by `distance`; 1 where the factor has another number."""
        same = eq(shift(numbers, distance, -2, 0, reverse), numbers)
        return select(same, shift(x, distance, 1, 0, reverse), 1)

    product, distance = shifted(factors, 1), 1
    while distance < factors.shape[0]:
        product = product * shifted(product, distance)
        distance *= 2
    return product


scatter_mul = _scattering("scatter_mul", lax.scatter_mul, np.multiply, _mul_jvp, "iufc")
