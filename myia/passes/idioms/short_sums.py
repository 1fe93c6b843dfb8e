"""Sums along a short axis of an array that broadcasts span: terms added one by one.

    %1 = broadcast %p {dims=(0, 2), shape=(900, 50, 2)}      %3 = slice %p at 0 of its axis 1
    %2 = broadcast %c {dims=(1, 2), shape=(900, 50, 2)}      %4 = slice %c at 0 of its axis 1
    %d = sub %1, %2                                     ->   %5 = sub (broadcast %3), (broadcast %4)
    %s = mul %d, %d                                          %6 = ... the same at 1
    %y = reduce_sum %s {axes=(2,)}                           %y = add (mul %5, %5), (mul %6, %6)

XLA stores the terms and gives them to a library, or adds those of one result in a loop of few
iterations. Unrolled, they are one loop over the results, several of which are computed at once, and
there is no array of terms.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from myia.ir.builder import emit1
from myia.ir.core import Function, Op, Value
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, slice
from myia.primitives.core.define import constant, constant_p
from myia.primitives.pointwise import arithmetic
from myia.rewriting.walk import Walk, rewrite

MIN_ELEMENTS = 32_768
# From 9 on, the loop that a reduction of the results becomes is scalar: 3 times slower.
MAX_TERMS = 8
MIN_VECTOR_LENGTH = 32  # of the results: XLA's loop over their last axis works on several at once
MAX_OPS = 8  # of one term
MIN_GROWTH = 4  # an array that is there as it is, not spanned, is better read in order

# Cheap enough to be computed again where the array of terms has other readers.
CHEAP = {
    getattr(arithmetic, name)
    for name in ("add", "sub", "mul", "neg", "abs", "max", "min", "sign", "square")
}


def short_sums(function: Function) -> Function:
    """`function` with sums along short axes unrolled."""
    return rewrite(function, _rule)


def _rule(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not reduce_sum or len(op.params["axes"]) != 1:
        return None
    (x,), (axis,) = op.operands, op.params["axes"]
    length = x.shape[axis]
    if x.aval.size < MIN_ELEMENTS or not 1 < length <= MAX_TERMS or x.dtype.kind != "f":
        return None
    (y,) = op.results
    made_by = _made_by(x, walk) if y.aval.ndim and y.shape[-1] >= MIN_VECTOR_LENGTH else None
    if made_by is None:
        return None
    terms = [_term(x, axis, i, made_by, {}) for i in range(length)]
    return [functools.reduce(arithmetic.add, terms)]


def _made_by(x: Value, walk: Walk) -> dict[Value, Op] | None:
    """The ops that span and compute `x`, from arrays much smaller than it."""
    found, todo, computing = dict[Value, Op](), [x], 0
    while todo:
        y = todo.pop()
        op = walk.definition(y)
        if op is None:
            return None
        if y in found:
            continue
        found[y] = op
        if op.primitive in CHEAP:
            computing += 1
            todo += op.operands
        elif op.primitive is broadcast:
            if op.operands[0].aval.size * MIN_GROWTH > x.aval.size:
                return None
        elif op.primitive is not constant_p:
            return None
    return found if 0 < computing <= MAX_OPS else None


def _term(
    x: Value, axis: int, i: int, made_by: dict[Value, Op], found: dict[Value, Value]
) -> Value:
    """The elements of `x` at index `i` of the axis, which the result lacks."""
    if x not in found:
        op, shape = made_by[x], (*x.shape[:axis], *x.shape[axis + 1 :])
        if op.primitive is constant_p:
            found[x] = constant(op.params["value"], x.dtype, shape)
        elif op.primitive is broadcast:
            found[x] = _spanned(op, shape, axis, i)
        else:
            terms = [_term(y, axis, i, made_by, found) for y in op.operands]
            found[x] = emit1(op.primitive, *terms, **op.params)
    return found[x]


def _spanned(op: Op, shape: tuple[int, ...], axis: int, i: int) -> Value:
    (y,), dims = op.operands, op.params["dims"]
    if axis in dims:
        at = dims.index(axis)
        i = min(i, y.shape[at] - 1)
        start, limit = [0] * y.aval.ndim, [*y.shape]
        start[at], limit[at] = i, i + 1
        y = slice(y, start=tuple(start), limit=tuple(limit), stride=(1,) * y.aval.ndim)
        y = reshape(y, shape=(*limit[:at], *limit[at + 1 :]))
    kept = tuple(d - (d > axis) for d in dims if d != axis)
    return broadcast(y, shape=shape, dims=kept)
