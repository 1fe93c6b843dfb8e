"""Scatters that multiply by what they write, or keep the extremum. (`scatter`: see indexing.)

An element may be written to several times, unless `unique` says (unchecked) that none is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jax import lax

from myia.ir.avals import I64
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import Explicit
from myia.primitives.arithmetic import add, mul
from myia.primitives.cumulative import shift
from myia.primitives.define import CallablePrimitive, constant, require_kind, zeros
from myia.primitives.indexing import (
    IndexDims,
    evaluate_scatter,
    gather_updates,
    scatter_add,
    scatter_avals,
    take,
)
from myia.primitives.logic import convert, eq, select
from myia.primitives.ordering import argsort, sort_p
from myia.primitives.shaping import iota, reshape


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
    places, order = emit(
        sort_p,
        reshape(places, shape=(count,)),
        iota(shape=(count,), axis=0, dtype=I64.dtype),
        axis=0,
        keys=1,
    )
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
