"""Sorting, top-k and running extrema: every result is an element of the operand."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval
from myia.ir.builder import emit
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit, Primitive
from myia.primitives.arrays.cumulative import cumulative, shift
from myia.primitives.arrays.gather import add_along_axis, take_along_axis
from myia.primitives.arrays.shaping import check_axes, iota
from myia.primitives.core.define import constant, require, require_kind
from myia.primitives.pointwise.logic import eq, ne, select

# ----- Sorting: stable, NaN last


def _sort_avals(*xs: Aval, axis: int, keys: int) -> tuple[Aval, ...]:
    require(1 <= keys <= len(xs), f"sort: {len(xs)} operands, {keys} keys")
    check_axes("sort", xs[0], (axis,))
    require(all(x.shape == xs[0].shape for x in xs), "sort: operands differ in shape")
    return xs


def _evaluate_sort(*xs: np.ndarray, axis: int, keys: int) -> Any:
    order = np.lexsort(xs[:keys][::-1], axis)
    return tuple(np.take_along_axis(x, order, axis) for x in xs)


def _order(xs: Values, axis: int, keys: int) -> Value:
    """The former position of each sorted element."""
    positions = iota(shape=xs[0].shape, axis=axis, dtype=I64.dtype)
    return emit(sort_p, *xs[:keys], positions, axis=axis, keys=keys)[-1]


def _sort_jvp(ys: Values, xs: Values, ts: Tangents, *, axis: int, keys: int) -> Tangents:
    order = _order(xs, axis, keys)
    return tuple(None if t is None else take_along_axis(t, order, axis) for t in ts)


def _sort_vjp(op: Op, cts: Tangents, acc: Cotangents) -> None:
    axis = op.params["axis"]
    order = _order(op.operands, axis, op.params["keys"])
    for x, ct in zip(op.operands, cts):
        if ct is not None and acc.wants(x):
            acc.update(x, partial(add_along_axis, indices=order, u=ct, axis=axis))


# All operands, sorted lexicographically by the first `keys` operands.
sort_p = Primitive(
    name="sort",
    avals=_sort_avals,
    lower=lambda *xs, axis, keys: lax.sort(xs, dimension=axis, is_stable=True, num_keys=keys),
    evaluate=_evaluate_sort,
    derivative=Explicit(_sort_jvp, _sort_vjp),
)


def sort(x: Value, axis: int) -> Value:
    return emit(sort_p, x, axis=axis, keys=1)[0]


def argsort(x: Value, axis: int) -> Value:
    """The positions in `x` of the elements of `sort(x, axis)`; the sort is stable."""
    return _order((x,), axis, 1)


# ----- Top-k: the largest elements along an axis (NaN first, 0.0 before -0.0) and their positions


def _top_k_avals(x: Aval, *, k: int, axis: int) -> tuple[Aval, Aval]:
    require_kind("top_k", x, "iuf")
    check_axes("top_k", x, (axis,))
    require(0 <= k <= x.shape[axis], f"top_k: {k} elements of {x} along axis {axis}")
    result = x.with_shape((*x.shape[:axis], k, *x.shape[axis + 1 :]))
    return result, result.with_dtype(I64.dtype)


def _lower_top_k(x: jax.Array, *, k: int, axis: int) -> tuple[jax.Array, ...]:
    y, positions = lax.top_k(x, k, axis=axis)
    return y, lax.convert_element_type(positions, I64.dtype)


def _evaluate_top_k(x: np.ndarray, *, k: int, axis: int) -> tuple[np.ndarray, ...]:
    descending = (np.signbit(x), -x, ~np.isnan(x)) if x.dtype.kind == "f" else (~x,)
    positions = np.take(np.lexsort(descending, axis), range(k), axis)
    return np.take_along_axis(x, positions, axis), positions


def _top_k_jvp(ys: Values, xs: Values, ts: Values, *, k: int, axis: int) -> Tangents:
    (_, positions), (t,) = ys, ts
    return take_along_axis(t, positions, axis), None


def _top_k_vjp(op: Op, cts: Tangents, acc: Cotangents) -> None:
    (x,), (_, positions), (ct, _) = op.operands, op.results, cts
    if ct is not None:
        acc.update(x, lambda buffer: add_along_axis(buffer, positions, ct, op.params["axis"]))


top_k_p = Primitive(
    name="top_k",
    avals=_top_k_avals,
    lower=_lower_top_k,
    evaluate=_evaluate_top_k,
    derivative=Explicit(_top_k_jvp, _top_k_vjp),
)

# ----- Running extrema; `reverse` starts from the end
#
# Of the elements equal to an extremum so far, the first and the last have a half each: the first
# where the extremum changed, the last by hits. So each result moves two elements, and an infinite
# derivative of one result reaches no others than its own. A result that is NaN has derivative 0.


def _first_and_last(y: Value, x: Value, axis: int, reverse: bool) -> tuple[Value, Value]:
    """The positions along `axis` of the first and the last element equal to the extremum so far."""
    positions = iota(shape=x.shape, axis=axis, dtype=I64.dtype)
    latest, never = (cummin, x.shape[axis]) if reverse else (cummax, -1)

    def last(hits: Value) -> Value:
        found = select(hits, positions, constant(never, I64.dtype, x.shape))
        return latest(found, axis=axis, reverse=reverse)

    before = shift(y, 1, math.nan, axis, reverse)
    return last(ne(y, before)), last(eq(x, y))


def _running_jvp(ys: Values, xs: Values, ts: Values, *, axis: int, reverse: bool) -> Tangents:
    (y,), (x,), (t,) = ys, xs, ts
    positions = _first_and_last(y, x, axis, reverse)
    first, last = (take_along_axis(t, found, axis) for found in positions)
    return (select(eq(y, y), 0.5 * first + 0.5 * last, 0),)


def _running_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (x,), (y,), (ct,) = op.operands, op.results, cts
    axis, reverse = op.params["axis"], op.params["reverse"]
    half = select(eq(y, y), 0.5 * ct, 0)
    for found in _first_and_last(y, x, axis, reverse):
        acc.update(x, partial(add_along_axis, indices=found, u=half, axis=axis))


_EXTREMUM = Explicit(_running_jvp, _running_vjp)
cummax = cumulative("cummax", lax.cummax, np.maximum, _EXTREMUM, "iuf")
cummin = cumulative("cummin", lax.cummin, np.minimum, _EXTREMUM, "iuf")
