"""Constructors of primitives: one call declares everything about one operation.

A block reads like its formula:

    tanh = pointwise("tanh", lax.tanh, np.tanh, partials=[lambda y, x: 1 - y * y])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import DTypeLike

from myia.ir.avals import Aval, Shape
from myia.ir.builder import emit1
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Derivative, Formula, Linear, Partials, Primitive
from myia.source.diagnostics import InternalError

Number = complex | np.generic


def pointwise(
    name: str,
    lower: Formula,
    evaluate: Formula,
    *,
    partials: Sequence[Formula | None] | None = None,
    derivative: Derivative | None = None,
    result: Callable[[np.dtype], np.dtype] | None = None,
    kinds: str = "biufc",
) -> PointwisePrimitive:
    """An elementwise primitive: its operands have one shape and dtype.

    The result has the same shape and dtype (or `result(dtype)`).

    Give `partials` (one callable, or None, per operand) or another `derivative`. `kinds` are the
    kinds of dtype (`np.dtype.kind`) on which the operation is defined.
    """

    def avals(*operands: Aval, **params: Any) -> tuple[Aval]:
        first = operands[0]
        require_kind(name, first, kinds)
        for other in operands[1:]:
            if other != first:
                raise InternalError(f"{name}: operands differ: {', '.join(map(str, operands))}")
        return (first if result is None else first.with_dtype(result(first.dtype)),)

    if partials is not None:
        derivative = Partials(tuple(partials))
    return PointwisePrimitive(
        name=name, avals=avals, lower=lower, evaluate=evaluate, derivative=derivative
    )


def nondifferentiable(
    name: str,
    lower: Formula,
    evaluate: Formula,
    kinds: str,
    result: DTypeLike | None = None,
) -> PointwisePrimitive:
    """An elementwise primitive without a derivative; `result` is the dtype of the results."""
    dtype = None if result is None else np.dtype(result)
    return pointwise(
        name,
        lower,
        evaluate,
        derivative=NONDIFFERENTIABLE,
        result=None if dtype is None else lambda _: dtype,
        kinds=kinds,
    )


def linear(
    name: str,
    avals: Formula,
    lower: Formula,
    evaluate: Formula,
    *,
    transpose: Sequence[Formula | None] | Formula,
    groups: tuple[tuple[int, ...], ...] | None = ((0,),),
    accumulate: Formula | None = None,
) -> CallablePrimitive:
    """A primitive that is linear in the operands of `groups` (see `Linear`)."""
    fns = transpose if callable(transpose) else tuple(transpose)
    derivative = Linear(groups, fns, accumulate)
    return CallablePrimitive(
        name=name, avals=avals, lower=lower, evaluate=evaluate, derivative=derivative
    )


def require(condition: bool, message: str) -> None:
    """A precondition of a shape rule."""
    if not condition:
        raise InternalError(message)


def require_kind(name: str, x: Aval, kinds: str) -> None:
    if x.dtype.kind not in kinds:
        raise InternalError(f"{name}: not defined on {x}")


class CallablePrimitive(Primitive):
    """A primitive with one result; a call emits it: `dot(x, y, axes=...)`."""

    def __call__(self, *operands: Value, **params: Any) -> Value:
        return emit1(self, *operands, **params)


class PointwisePrimitive(CallablePrimitive):
    """A `CallablePrimitive` that turns Python numbers among its operands into constants."""

    def __call__(self, *operands: Value | Number, **params: Any) -> Value:
        # The last value: the first operand of `select` is its predicate.
        like = next(x.aval for x in reversed(operands) if isinstance(x, Value))
        return emit1(self, *(lift(x, like) for x in operands), **params)


def lift(x: Value | Number, like: Aval) -> Value:
    """`x` if it is a value; else a constant of aval `like`, filled with the number `x`."""
    if isinstance(x, Value):
        return x
    return constant(x, like.dtype, like.shape)


def constant(value: Number, dtype: DTypeLike, shape: Shape = ()) -> Value:
    """An array of `shape` and `dtype` filled with one number known at compile time."""
    of: np.dtype[Any] = np.dtype(dtype)
    return emit1(constant_p, value=of.type(value).item(), dtype=of, shape=tuple(shape))


def array_constant(x: np.ndarray) -> Value:
    """An array known at compile time; a `constant` if all its elements are equal."""
    first = x.ravel()[:1].tobytes() if x.size else np.zeros(1, x.dtype).tobytes()
    data = x.tobytes()
    if data == first * x.size:
        return constant(np.frombuffer(first, x.dtype)[0], x.dtype, x.shape)
    return emit1(literal_p, data=data, dtype=x.dtype, shape=x.shape)


def zeros(aval: Aval) -> Value:
    return constant(0, aval.dtype, aval.shape)


def empty(aval: Aval) -> Value:
    """An uninitialized array: each element is written before it is read."""
    return emit1(empty_p, dtype=aval.dtype, shape=aval.shape)


# It is in this file, not in a family, because `lift` needs it.
constant_p = Primitive(
    name="constant",
    avals=lambda *, value, dtype, shape: (Aval(dtype, shape),),
    lower=lambda *, value, dtype, shape: lax.full(shape, value, dtype),
    evaluate=lambda *, value, dtype, shape: np.full(shape, value, dtype),
    derivative=NONDIFFERENTIABLE,
)


# These backends fill it with zeros; another one need not.
empty_p = Primitive(
    name="empty",
    avals=lambda *, dtype, shape: (Aval(dtype, shape),),
    lower=lambda *, dtype, shape: lax.full(shape, 0, dtype),
    evaluate=lambda *, dtype, shape: np.zeros(shape, dtype),
    derivative=NONDIFFERENTIABLE,
)


def _literal(*, data: bytes, dtype: np.dtype, shape: Shape) -> np.ndarray:
    return np.frombuffer(data, dtype).reshape(shape)


def _literal_avals(*, data: bytes, dtype: np.dtype, shape: Shape) -> tuple[Aval]:
    result = Aval(dtype, shape)
    require(len(data) == result.nbytes, f"literal: {len(data)} bytes for {result}")
    return (result,)


# A table known at compile time: its elements in C order, as bytes that can be hashed.
literal_p = Primitive(
    name="literal",
    avals=_literal_avals,
    lower=lambda **params: jnp.asarray(_literal(**params)),
    evaluate=_literal,
    derivative=NONDIFFERENTIABLE,
)
