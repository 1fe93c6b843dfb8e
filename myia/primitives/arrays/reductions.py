"""Reductions along axes (`reduce_sum` is in `shaping.py`, beside its transpose)."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import (
    NONDIFFERENTIABLE,
    Cotangents,
    Derivative,
    Explicit,
    Formula,
    Primitive,
)
from myia.primitives.arrays.cumulative import cumprod, shift
from myia.primitives.arrays.shaping import (
    check_axes,
    expand,
    inverse,
    reduce_sum,
    reduced,
    reshape,
    transpose,
)
from myia.primitives.core.define import CallablePrimitive, require, require_kind, zeros
from myia.primitives.pointwise.logic import convert, eq, select


def _reduction(
    name: str, lower: Formula, evaluate: Formula, derivative: Derivative | None, kinds: str
) -> CallablePrimitive:
    def avals(x: Aval, *, axes: tuple[int, ...]) -> tuple[Aval]:
        require_kind(name, x, kinds)
        check_axes(name, x, axes)
        return (reduced(x, axes),)

    return CallablePrimitive(
        name=name,
        avals=avals,
        lower=lambda x, *, axes: lower(x, axes),
        evaluate=lambda x, *, axes: evaluate(x, axes),
        derivative=derivative,
    )


# ----- Logic (of integers: bits)


def _of_bits(name: str, lower: Formula, ufunc: np.ufunc) -> CallablePrimitive:
    return _reduction(
        name,
        lower,
        lambda x, axes: ufunc.reduce(x, axes, dtype=x.dtype),
        NONDIFFERENTIABLE,
        kinds="biu",
    )


reduce_and = _of_bits("reduce_and", lax.reduce_and, np.bitwise_and)
reduce_or = _of_bits("reduce_or", lax.reduce_or, np.bitwise_or)
reduce_xor = _of_bits("reduce_xor", lax.reduce_xor, np.bitwise_xor)

# ----- Maximum and minimum: NaN if an element is NaN, and then the derivative is NaN, too;
# ties share the derivative evenly


def _extremal(x: Value, y: Value, axes: tuple[int, ...]) -> tuple[Value, Value]:
    """A mask of the elements of `x` that equal its extremum `y`, and one over their number."""
    hits = eq(x, expand(y, x.aval, axes))
    return hits, 1 / reduce_sum(convert(hits, dtype=x.dtype), axes=axes)


def _extremum_jvp(ys: Values, xs: Values, ts: Values, *, axes: tuple[int, ...]) -> Tangents:
    (y,), (x,), (t,) = ys, xs, ts
    hits, share = _extremal(x, y, axes)
    return (reduce_sum(select(hits, t, 0), axes=axes) * share,)


def _extremum_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (x,), (y,), (ct,), axes = op.operands, op.results, cts, op.params["axes"]
    hits, share = _extremal(x, y, axes)
    rest = select(eq(share, math.inf), math.nan, zeros(share.aval))
    acc.add(x, select(hits, expand(ct * share, x.aval, axes), expand(rest, x.aval, axes)))


def least(dtype: np.dtype) -> float:
    if dtype.kind == "f":
        return -math.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def greatest(dtype: np.dtype) -> float:
    if dtype.kind == "f":
        return math.inf
    return True if dtype.kind == "b" else np.iinfo(dtype).max


_EXTREMUM = Explicit(_extremum_jvp, _extremum_vjp)
reduce_max = _reduction(
    "reduce_max",
    lax.reduce_max,
    lambda x, axes: np.max(x, axes, initial=least(x.dtype)),
    _EXTREMUM,
    kinds="biuf",
)
reduce_min = _reduction(
    "reduce_min",
    lax.reduce_min,
    lambda x, axes: np.min(x, axes, initial=greatest(x.dtype)),
    _EXTREMUM,
    kinds="biuf",
)


def _position(name: str, lower: Formula, evaluate: Formula) -> CallablePrimitive:
    """The index of the first extremum along one axis; of the first NaN, if there is one."""

    def avals(x: Aval, *, axis: int) -> tuple[Aval]:
        require_kind(name, x, "biuf")
        check_axes(name, x, (axis,))
        require(x.shape[axis] > 0, f"{name}: {x} has no element along axis {axis}")
        return (reduced(x, (axis,)).with_dtype(I64.dtype),)

    return CallablePrimitive(
        name=name,
        avals=avals,
        lower=lambda x, *, axis: lower(x, axis, I64.dtype),
        evaluate=lambda x, *, axis: evaluate(x, axis),
        derivative=NONDIFFERENTIABLE,
    )


argmax = _position("argmax", lax.argmax, np.argmax)
argmin = _position("argmin", lax.argmin, np.argmin)

# ----- An extremum that only one element has


def _lower_lone(x: jax.Array, *, axis: int, largest: bool) -> tuple[jax.Array, jax.Array]:
    better = lax.gt if largest else lax.lt
    extremum = lax.max if largest else lax.min

    def combine(a: tuple, b: tuple) -> tuple:
        tie = lax.full_like(a[1], -1)
        position = lax.select(better(a[0], b[0]), a[1], lax.select(better(b[0], a[0]), b[1], tie))
        return extremum(a[0], b[0]), position

    positions = lax.broadcasted_iota(np.int32, x.shape, axis)
    worst = (least if largest else greatest)(np.dtype(x.dtype))
    start = (np.asarray(worst, x.dtype), np.int32(-1))
    y, position = lax.reduce((x, positions), start, combine, (axis,))
    return y, lax.convert_element_type(position, I64.dtype)


def _evaluate_lone(x: np.ndarray, *, axis: int, largest: bool) -> Any:
    y = np.max(x, axis, keepdims=True) if largest else np.min(x, axis, keepdims=True)
    found = np.argmax(x, axis) if largest else np.argmin(x, axis)
    return np.squeeze(y, axis), np.where(np.sum(x == y, axis) == 1, found, -1)


def _lone_avals(x: Aval, *, axis: int, largest: bool) -> tuple[Aval, Aval]:
    require_kind("lone_extremum", x, "f")
    check_axes("lone_extremum", x, (axis,))
    y = reduced(x, (axis,))
    return y, y.with_dtype(I64.dtype)


# The extremum along an axis and its index: -1 where several elements are equal to it, or none is
# (it is NaN). Made by passes only, after derivatives.
lone_extremum_p = Primitive(
    name="lone_extremum",
    avals=_lone_avals,
    lower=_lower_lone,
    evaluate=_evaluate_lone,
    derivative=NONDIFFERENTIABLE,
)

# ----- Products


def _product_of_others(x: Value, axes: tuple[int, ...]) -> Value:
    """For each element, the product of the other elements along `axes`: no division by zero."""
    kept = tuple(axis for axis in range(x.aval.ndim) if axis not in axes)
    permutation = (*axes, *kept)
    front = transpose(x, permutation=permutation)
    rows = math.prod(x.shape[axis] for axis in axes)
    columns = math.prod(x.shape[axis] for axis in kept)
    flat = reshape(front, shape=(rows, columns))
    before = cumprod(shift(flat, 1, 1, 0, False), axis=0, reverse=False)
    after = cumprod(shift(flat, 1, 1, 0, True), axis=0, reverse=True)
    others = reshape(before * after, shape=front.shape)
    return transpose(others, permutation=inverse(permutation))


def _prod_jvp(ys: Values, xs: Values, ts: Values, *, axes: tuple[int, ...]) -> Tangents:
    (x,), (t,) = xs, ts
    return (reduce_sum(t * _product_of_others(x, axes), axes=axes),)


reduce_prod = _reduction(
    "reduce_prod",
    lax.reduce_prod,
    lambda x, axes: np.prod(x, axes, dtype=x.dtype),
    Explicit(_prod_jvp),
    kinds="iufc",
)
