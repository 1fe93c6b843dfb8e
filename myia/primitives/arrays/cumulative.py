"""Cumulative sums, products and log-sum-exps along an axis; `reverse` starts at its end.

cumsum([1, 2, 3])      ->      [1, 3, 6]
"""

from __future__ import annotations

import math

import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Derivative, Explicit, Formula, Linear
from myia.primitives.arrays.shaping import check_axes, pad
from myia.primitives.core.define import CallablePrimitive, constant, require_kind
from myia.primitives.pointwise.arithmetic import abs
from myia.primitives.pointwise.logic import eq, select
from myia.primitives.pointwise.transcendental import exp


def cumulative(
    name: str, lower: Formula, ufunc: np.ufunc, derivative: Derivative, kinds: str
) -> CallablePrimitive:
    def avals(x: Aval, *, axis: int, reverse: bool) -> tuple[Aval]:
        require_kind(name, x, kinds)
        check_axes(name, x, (axis,))
        return (x,)

    def evaluate(x: np.ndarray, *, axis: int, reverse: bool) -> np.ndarray:
        x = np.flip(x, axis) if reverse else x
        y = ufunc.accumulate(x, axis, dtype=x.dtype)
        return np.flip(y, axis) if reverse else y

    return CallablePrimitive(
        name=name,
        avals=avals,
        lower=lambda x, *, axis, reverse: lower(x, axis, reverse),
        evaluate=evaluate,
        derivative=derivative,
    )


def _transpose_cumsum(ct: Value, x: Value, *, axis: int, reverse: bool) -> Value:
    return cumsum(ct, axis=axis, reverse=not reverse)


_SUM = Linear(((0,),), (_transpose_cumsum,))
cumsum = cumulative("cumsum", lax.cumsum, np.add, _SUM, "iufc")

# ----- Recurrences y_k = f(y_{k-1}, x_k), with tangents t_k = a_k t_{k-1} + b_k dx_k


def shift(x: Value, distance: int, fill: float, axis: int, reverse: bool) -> Value:
    """`x` shifted by `distance` along `axis` (backwards if `reverse`), padded with `fill`."""
    by = tuple(distance if i == axis else 0 for i in range(x.aval.ndim))
    by_less = tuple(-n for n in by)
    low, high = (by_less, by) if reverse else (by, by_less)
    return pad(x, constant(fill, x.dtype), low=low, high=high, interior=(0,) * len(by))


def _recurrence(a: Value, b: Value, axis: int, reverse: bool) -> Value:
    """y_k = a_k y_{k-1} + b_k with y_{-1} = 0, by a parallel prefix scan of log2(n) steps."""
    distance = 1
    while distance < a.shape[axis]:
        b = b + a * shift(b, distance, 0, axis, reverse)
        a = a * shift(a, distance, 1, axis, reverse)
        distance *= 2
    return b


def _recurrent(weights: Formula) -> Explicit:
    """The derivative of a recurrence with partials (a, b) = `weights(y, x, axis, reverse)`."""

    def jvp(ys: Values, xs: Values, ts: Values, *, axis: int, reverse: bool) -> Tangents:
        (y,), (x,), (t,) = ys, xs, ts
        a, b = weights(y, x, axis, reverse)
        return (_recurrence(a, b * t, axis, reverse),)

    def vjp(op: Op, cts: Values, acc: Cotangents) -> None:
        (x,), (y,), (ct,) = op.operands, op.results, cts
        axis, reverse = op.params["axis"], op.params["reverse"]
        a, b = weights(y, x, axis, reverse)
        following = shift(a, 1, 1, axis, not reverse)
        acc.add(x, b * _recurrence(following, ct, axis, not reverse))

    return Explicit(jvp, vjp)


def _weights_of_cumprod(y: Value, x: Value, axis: int, reverse: bool) -> tuple[Value, ...]:
    """y_k = x_k y_{k-1}: without division, so that zeros do no harm."""
    return x, shift(y, 1, 1, axis, reverse)


_PRODUCT = _recurrent(_weights_of_cumprod)
cumprod = cumulative("cumprod", lax.cumprod, np.multiply, _PRODUCT, "iufc")


def _share(x: Value, y: Value) -> Value:
    """exp(x - y) for x <= y; 1 where x and y are the same infinity."""
    unordered = select(eq(x, y), 0, constant(-math.inf, x.dtype, x.shape))
    return exp(select(eq(abs(y), math.inf), unordered, x - y))


def _weights_of_cumlogsumexp(y: Value, x: Value, axis: int, reverse: bool) -> tuple[Value, ...]:
    """y_k = log(exp y_{k-1} + exp x_k): each term has as weight its share of the sum."""
    return _share(shift(y, 1, -math.inf, axis, reverse), y), _share(x, y)


_LOG_SUM = _recurrent(_weights_of_cumlogsumexp)
cumlogsumexp = cumulative("cumlogsumexp", lax.cumlogsumexp, np.logaddexp, _LOG_SUM, "f")
