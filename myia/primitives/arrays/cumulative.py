"""Cumulative sums, products and log-sum-exps along an axis; `reverse` starts at its end.

cumsum([1, 2, 3])      ->      [1, 3, 6]

Their derivatives are linear recurrences, and so are the derivatives of these.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Derivative, Explicit, Formula, Linear
from myia.primitives.arrays.shaping import along_axis, check_axes, pad
from myia.primitives.core.define import CallablePrimitive, constant, require_kind
from myia.primitives.pointwise.arithmetic import abs, add
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

# ----- Linear recurrences, forwards: y_0 = b_0, y_k = a_{k-1} y_{k-1} + b_k


def _recurrence_aval(a: Aval, b: Aval, *, axis: int, reverse: bool) -> tuple[Aval]:
    require_kind("linear_recurrence", b, "fc")
    check_axes("linear_recurrence", b, (axis,))
    assert a == b.with_shape(tuple(max(n - (i == axis), 0) for i, n in enumerate(b.shape)))
    return (b,)


def _lower_recurrence(a: Any, b: Any, *, axis: int, reverse: bool) -> Any:
    """A parallel prefix scan over the functions y -> a y + b: log(n) steps."""

    def composed(first: Any, then: Any) -> Any:
        return first[0] * then[0], then[0] * first[1] + then[1]

    if b.shape[axis] < 2:
        return b
    one = lax.full_like(lax.slice_in_dim(b, 0, 1, axis=axis), 1)
    a = lax.concatenate((a, one) if reverse else (one, a), axis)
    return lax.associative_scan(composed, (a, b), reverse=reverse, axis=axis)[1]


def _evaluate_recurrence(a: np.ndarray, b: np.ndarray, *, axis: int, reverse: bool) -> np.ndarray:
    a, y = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0).copy()
    rows, factors = (y[::-1], a[::-1]) if reverse else (y, a)
    for k in range(1, len(y)):
        rows[k] += factors[k - 1] * rows[k - 1]
    return np.moveaxis(y, 0, axis)


def _preceding(y: Value, axis: int, reverse: bool) -> Value:
    """All elements that another one follows."""
    n = y.shape[axis]
    return along_axis(y, axis, min(n, 1), n) if reverse else along_axis(y, axis, 0, max(n - 1, 0))


def _following(y: Value, axis: int, reverse: bool) -> Value:
    return _preceding(y, axis, not reverse)


def _recurrence_jvp(ys: Values, xs: Values, ts: Tangents, *, axis: int, reverse: bool) -> Tangents:
    (y,), (a, _), (ta, tb) = ys, xs, ts
    terms = [] if tb is None else [tb]
    if ta is not None:
        none = (0,) * y.aval.ndim
        first = tuple(min(n, 1) if i == axis else 0 for i, n in enumerate(y.shape))
        low, high = (none, first) if reverse else (first, none)
        products, zero = ta * _preceding(y, axis, reverse), constant(0, y.dtype)
        terms.append(pad(products, zero, low=low, high=high, interior=none))
    return (linear_recurrence(a, functools.reduce(add, terms), axis=axis, reverse=reverse),)


def _recurrence_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    """The transposed recurrence runs the other way, with the same factors between neighbours."""
    (a, b), (y,), (ct,) = op.operands, op.results, cts
    axis, reverse = op.params["axis"], op.params["reverse"]
    total = linear_recurrence(a, ct, axis=axis, reverse=not reverse)
    acc.add(b, total)
    acc.add(a, _following(total, axis, reverse) * _preceding(y, axis, reverse))


linear_recurrence = CallablePrimitive(
    name="linear_recurrence",
    avals=_recurrence_aval,
    lower=_lower_recurrence,
    evaluate=_evaluate_recurrence,
    derivative=Explicit(_recurrence_jvp, _recurrence_vjp),
)

# ----- Recurrences y_k = f(y_{k-1}, x_k), with tangents t_k = a_k t_{k-1} + b_k dx_k


def shift(x: Value, distance: int, fill: float, axis: int, reverse: bool) -> Value:
    """`x` shifted by `distance` along `axis` (backwards if `reverse`), padded with `fill`."""
    by = tuple(distance if i == axis else 0 for i in range(x.aval.ndim))
    by_less = tuple(-n for n in by)
    low, high = (by_less, by) if reverse else (by, by_less)
    return pad(x, constant(fill, x.dtype), low=low, high=high, interior=(0,) * len(by))


def _recurrent(weights: Formula) -> Explicit:
    """The derivative of a recurrence with partials (a, b) = `weights(y, x, axis, reverse)`.

    `a` begins with the second element: the first has nothing before it.
    """

    def jvp(ys: Values, xs: Values, ts: Values, *, axis: int, reverse: bool) -> Tangents:
        (y,), (x,), (t,) = ys, xs, ts
        a, b = weights(y, x, axis, reverse)
        return (linear_recurrence(a, b * t, axis=axis, reverse=reverse),)

    def vjp(op: Op, cts: Values, acc: Cotangents) -> None:
        (x,), (y,), (ct,) = op.operands, op.results, cts
        axis, reverse = op.params["axis"], op.params["reverse"]
        a, b = weights(y, x, axis, reverse)
        acc.add(x, b * linear_recurrence(a, ct, axis=axis, reverse=not reverse))

    return Explicit(jvp, vjp)


def _weights_of_cumprod(y: Value, x: Value, axis: int, reverse: bool) -> tuple[Value, ...]:
    """y_k = x_k y_{k-1}: without division, so that zeros do no harm."""
    return _following(x, axis, reverse), shift(y, 1, 1, axis, reverse)


_PRODUCT = _recurrent(_weights_of_cumprod)
cumprod = cumulative("cumprod", lax.cumprod, np.multiply, _PRODUCT, "iufc")


def _share(x: Value, y: Value) -> Value:
    """exp(x - y) for x <= y; 1 where x and y are the same infinity."""
    unordered = select(eq(x, y), 0, constant(-math.inf, x.dtype, x.shape))
    return exp(select(eq(abs(y), math.inf), unordered, x - y))


def _weights_of_cumlogsumexp(y: Value, x: Value, axis: int, reverse: bool) -> tuple[Value, ...]:
    """y_k = log(exp y_{k-1} + exp x_k): each term has as weight its share of the sum."""
    before, after = _preceding(y, axis, reverse), _following(y, axis, reverse)
    return _share(before, after), _share(x, y)


_LOG_SUM = _recurrent(_weights_of_cumlogsumexp)
cumlogsumexp = cumulative("cumlogsumexp", lax.cumlogsumexp, np.logaddexp, _LOG_SUM, "f")
