"""Reductions and cumulative operations along axes (`reduce_sum` stands with its transpose)."""

from __future__ import annotations

import math

import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Explicit
from myia.primitives.define import CallablePrimitive, constant, linear, require, require_kind
from myia.primitives.logic import convert, eq, select
from myia.primitives.shaping import (
    check_axes,
    expand,
    pad,
    reduce_sum,
    reduced,
    reshape,
    transpose,
)

__all__ = [
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_xor",
]


def _reduction(name, lower, evaluate, derivative, kinds) -> CallablePrimitive:
    def avals(x: Aval, *, axes) -> tuple[Aval]:
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


def _of_bits(name: str, lower, ufunc: np.ufunc) -> CallablePrimitive:
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

# ----- The largest and the smallest element: NaN if there is one; ties share evenly


def _extremal(x: Value, y: Value, axes) -> tuple[Value, Value]:
    """Which elements of `x` equal its extremum `y`, and one over their number."""
    hits = eq(x, expand(y, x.aval, axes))
    return hits, 1 / reduce_sum(convert(hits, dtype=x.dtype), axes=axes)


def _extremum_jvp(ys, xs, ts, *, axes):
    (y,), (x,), (t,) = ys, xs, ts
    hits, share = _extremal(x, y, axes)
    return (reduce_sum(select(hits, t, 0), axes=axes) * share,)


def _extremum_vjp(op, cts, acc):
    (x,), (y,), (ct,), axes = op.operands, op.results, cts, op.params["axes"]
    hits, share = _extremal(x, y, axes)
    acc.add(x, select(hits, expand(ct * share, x.aval, axes), 0))


def _least(dtype: np.dtype):
    if dtype.kind == "f":
        return -math.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def _greatest(dtype: np.dtype):
    if dtype.kind == "f":
        return math.inf
    return True if dtype.kind == "b" else np.iinfo(dtype).max


_EXTREMUM = Explicit(_extremum_jvp, _extremum_vjp)
reduce_max = _reduction(
    "reduce_max",
    lax.reduce_max,
    lambda x, axes: np.max(x, axes, initial=_least(x.dtype)),
    _EXTREMUM,
    kinds="biuf",
)
reduce_min = _reduction(
    "reduce_min",
    lax.reduce_min,
    lambda x, axes: np.min(x, axes, initial=_greatest(x.dtype)),
    _EXTREMUM,
    kinds="biuf",
)


def _position(name, lower, evaluate) -> CallablePrimitive:
    """The index of the first extremum along one axis; of the first NaN, if there is one."""

    def avals(x: Aval, *, axis) -> tuple[Aval]:
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

# ----- Cumulative operations; `reverse` starts from the end


def _cumulative_avals(x: Aval, *, axis, reverse) -> tuple[Aval]:
    require_kind("cumulative operation", x, "iufc")
    check_axes("cumulative operation", x, (axis,))
    return (x,)


def cumulative(ufunc: np.ufunc):
    """The evaluation of a cumulative operation."""

    def evaluate(x, *, axis, reverse):
        x = np.flip(x, axis) if reverse else x
        y = ufunc.accumulate(x, axis, dtype=x.dtype)
        return np.flip(y, axis) if reverse else y

    return evaluate


cumsum = linear(
    "cumsum",
    _cumulative_avals,
    lambda x, *, axis, reverse: lax.cumsum(x, axis, reverse),
    cumulative(np.add),
    transpose=(lambda ct, x, *, axis, reverse: cumsum(ct, axis=axis, reverse=not reverse),),
)


def _shift(x: Value, distance: int, fill: float, axis: int, reverse: bool) -> Value:
    """`x` moved towards its end along `axis` (its start, if reverse), `fill` where nothing came."""
    by = tuple(distance if i == axis else 0 for i in range(x.aval.ndim))
    by_less = tuple(-n for n in by)
    low, high = (by_less, by) if reverse else (by, by_less)
    return pad(x, constant(fill, x.dtype), low=low, high=high, interior=(0,) * len(by))


def _recurrence(a: Value, b: Value, axis: int, reverse: bool) -> Value:
    """y_k = a_k y_{k-1} + b_k, y_{-1} = 0, in log2(n) steps that each double the reach."""
    distance = 1
    while distance < a.shape[axis]:
        b = b + a * _shift(b, distance, 0, axis, reverse)
        a = a * _shift(a, distance, 1, axis, reverse)
        distance *= 2
    return b


# y_k = x_k y_{k-1}, hence t_k = x_k t_{k-1} + y_{k-1} dx_k: no division, zeros are harmless.
def _cumprod_jvp(ys, xs, ts, *, axis, reverse):
    (y,), (x,), (t,) = ys, xs, ts
    return (_recurrence(x, _shift(y, 1, 1, axis, reverse) * t, axis, reverse),)


def _cumprod_vjp(op, cts, acc):
    (x,), (y,), (ct,) = op.operands, op.results, cts
    axis, reverse = op.params["axis"], op.params["reverse"]
    following = _shift(x, 1, 1, axis, not reverse)
    adjoint = _recurrence(following, ct, axis, not reverse)
    acc.add(x, _shift(y, 1, 1, axis, reverse) * adjoint)


cumprod = CallablePrimitive(
    name="cumprod",
    avals=_cumulative_avals,
    lower=lambda x, *, axis, reverse: lax.cumprod(x, axis, reverse),
    evaluate=cumulative(np.multiply),
    derivative=Explicit(_cumprod_jvp, _cumprod_vjp),
)

# ----- Products


def _product_of_others(x: Value, axes) -> Value:
    """For each element, the product of all others along `axes`: those before times those after."""
    kept = tuple(axis for axis in range(x.aval.ndim) if axis not in axes)
    permutation = (*axes, *kept)
    front = transpose(x, permutation=permutation)
    rows = math.prod(x.shape[axis] for axis in axes)
    columns = math.prod(x.shape[axis] for axis in kept)
    flat = reshape(front, shape=(rows, columns))
    before = cumprod(_shift(flat, 1, 1, 0, False), axis=0, reverse=False)
    after = cumprod(_shift(flat, 1, 1, 0, True), axis=0, reverse=True)
    others = reshape(before * after, shape=front.shape)
    inverse = tuple(permutation.index(axis) for axis in range(len(permutation)))
    return transpose(others, permutation=inverse)


def _prod_jvp(ys, xs, ts, *, axes):
    (x,), (t,) = xs, ts
    return (reduce_sum(t * _product_of_others(x, axes), axes=axes),)


def _prod_vjp(op, cts, acc):
    (x,), (ct,), axes = op.operands, cts, op.params["axes"]
    acc.add(x, expand(ct, x.aval, axes) * _product_of_others(x, axes))


reduce_prod = _reduction(
    "reduce_prod",
    lax.reduce_prod,
    lambda x, axes: np.prod(x, axes, dtype=x.dtype),
    Explicit(_prod_jvp, _prod_vjp),
    kinds="iufc",
)
