"""Pooling: sums, maxima, minima and their positions over sliding windows.

    reduce_window_sum(x) of windows of two      ->      [x0 + x1, x1 + x2, x2 + x3]

The parameter `window` holds the fields of `Sliding`. Padding and holes count as neutral elements.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

from myia.ir.avals import I64, Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import NONDIFFERENTIABLE, Cotangents, Explicit, Formula
from myia.primitives.arrays.gather import index_dims, scatter_add, take
from myia.primitives.arrays.reductions import greatest, least
from myia.primitives.arrays.shaping import reshape
from myia.primitives.arrays.window_geometry import Sliding
from myia.primitives.core.define import CallablePrimitive, linear, require_kind, zeros

Window = tuple[tuple[Any, ...], ...]


def _lower(x: Any, init: Any, computation: Formula, window: Window) -> Any:
    sizes, strides, padding, base_dilation, window_dilation = window
    return lax.reduce_window(
        x, init, computation, sizes, strides, padding, base_dilation, window_dilation
    )


def _avals(name: str, kinds: str) -> Formula:
    """The shape rule of an operation with one result for each window."""

    def avals(x: Aval, *, window: Any) -> tuple[Aval]:
        require_kind(name, x, kinds)
        return (x.with_shape(Sliding(*window).output_shape(x.shape)),)

    return avals


def _inner_axes(x: np.ndarray) -> tuple[int, ...]:
    """The axes inside the windows, in the array that `Sliding.windows` returns."""
    return tuple(range(x.ndim // 2, x.ndim))


# ----- Sums


def _evaluate_sum(x: np.ndarray, *, window: Any) -> Any:
    read = Sliding(*window).windows(x, 0)
    return np.sum(read, _inner_axes(read)).astype(x.dtype)


def _transpose_sum(ct: Value, x: Value, *, window: Any) -> Value:
    if 0 in (*ct.shape, *x.shape):
        return zeros(x.aval)
    return reduce_window_sum(ct, window=tuple(Sliding(*window).transposed(x.shape)))


reduce_window_sum = linear(
    "reduce_window_sum",
    _avals("reduce_window_sum", "iufc"),
    lambda x, *, window: _lower(x, np.zeros((), x.dtype), lax.add, window),
    _evaluate_sum,
    transpose=(_transpose_sum,),
)

# ----- Positions of the extrema


def _position(name: str, beats: Formula, choose: np.ufunc, neutral: Formula) -> CallablePrimitive:
    """The flat index into `x` of the first extremum (or NaN) of each window.

    It is `x.size` where a window contains only padding.
    """

    def avals(x: Aval, *, window: Any) -> tuple[Aval]:
        require_kind(name, x, "iuf")
        return (Aval(I64.dtype, Sliding(*window).output_shape(x.shape)),)

    def earlier(a: jax.Array, b: jax.Array) -> tuple[jax.Array, ...]:
        """The winner of two elements and its position: commutative and associative."""
        (x, i), (y, j) = a, b
        x_nan, y_nan = lax.ne(x, x), lax.ne(y, y)
        equal = lax.eq(x, y) | (x_nan & y_nan)
        first = lax.select(equal, lax.lt(i, j), x_nan | (beats(x, y) & ~y_nan))
        return lax.select(first, x, y), lax.select(first, i, j)

    def lower(x: jax.Array, *, window: Any) -> jax.Array:
        positions = lax.reshape(lax.iota(I64.dtype, x.size), x.shape)
        inits = (np.array(neutral(x.dtype), x.dtype), I64.dtype.type(x.size))
        return _lower((x, positions), inits, earlier, window)[1]

    def evaluate(x: np.ndarray, *, window: Any) -> np.ndarray:
        values = Sliding(*window).windows(x, neutral(x.dtype))
        positions = Sliding(*window).windows(np.arange(x.size).reshape(x.shape), x.size)
        inner = _inner_axes(values)
        y = choose.reduce(values, inner, keepdims=True, initial=neutral(x.dtype))
        hits = (values == y) | (np.isnan(values) & np.isnan(y))
        return np.min(np.where(hits, positions, x.size), inner, initial=x.size).astype(I64.dtype)

    return CallablePrimitive(
        name=name, avals=avals, lower=lower, evaluate=evaluate, derivative=NONDIFFERENTIABLE
    )


window_argmax = _position("window_argmax", lax.gt, np.maximum, least)
window_argmin = _position("window_argmin", lax.lt, np.minimum, greatest)

# ----- Extrema: among equal elements of a window, the first has the derivative


def _extremal(
    name: str, lower: Formula, choose: np.ufunc, neutral: Formula, position: Formula
) -> CallablePrimitive:
    def evaluate(x: np.ndarray, *, window: Any) -> np.ndarray:
        read = Sliding(*window).windows(x, neutral(x.dtype))
        return choose.reduce(read, _inner_axes(read), initial=neutral(x.dtype)).astype(x.dtype)

    def jvp(ys: Values, xs: Values, ts: Values, *, window: Any) -> Tangents:
        (x,), (t,) = xs, ts
        return (read_positions(t, position(x, window=window)),)

    def vjp(op: Op, cts: Values, acc: Cotangents) -> None:
        (x,), (ct,) = op.operands, cts
        positions = position(x, **op.params)
        acc.update(x, lambda buffer: add_at_positions(buffer, positions, ct))

    return CallablePrimitive(
        name=name,
        avals=_avals(name, "iuf"),
        lower=lambda x, *, window: _lower(x, np.array(neutral(x.dtype), x.dtype), lower, window),
        evaluate=evaluate,
        derivative=Explicit(jvp, vjp),
    )


def read_positions(x: Value, positions: Value) -> Value:
    """The elements of `x` at flat `positions`; 0 where a position is out of range."""
    return take(reshape(x, shape=(x.aval.size,)), positions, axis=0, mode="fill", fill=0)


def add_at_positions(x: Value, positions: Value, u: Value) -> Value:
    """`x` with `u` added at flat `positions`: the transpose of `read_positions`."""
    flat = reshape(x, shape=(x.aval.size,))
    at = reshape(positions, shape=(*positions.shape, 1))
    dims = index_dims((), (0,), (0,))
    return reshape(scatter_add(flat, at, u, dims=dims, mode="fill"), shape=x.shape)


reduce_window_max = _extremal("reduce_window_max", lax.max, np.maximum, least, window_argmax)
reduce_window_min = _extremal("reduce_window_min", lax.min, np.minimum, greatest, window_argmin)
