"""Equations of shapes: rearrangements without effect, and two rearrangements that are one."""

from __future__ import annotations

import itertools

from myia.ir.core import Value
from myia.passes.canonicalize.equations.define import equation, is_integer
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.reductions import (
    reduce_and,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_prod,
)
from myia.primitives.arrays.shaping import (
    broadcast,
    concatenate,
    flip,
    pad,
    reduce_sum,
    reshape,
    slice,
    transpose,
)

# ----- Rearrangements without effect


@equation(reshape, "reshape(x, its shape) == x")
def _(match, op, x):
    return x if op.params["shape"] == x.shape else None


@equation(transpose, "transpose(x, (0, 1, ...)) == x")
def _(match, op, x):
    permutation = op.params["permutation"]
    return x if permutation == tuple(range(len(permutation))) else None


@equation(broadcast, "broadcast(x, its shape) == x")
def _(match, op, x):
    return x if op.params["shape"] == x.shape else None


@equation(flip, "flip along axes of length 1 or less == x")
def _(match, op, x):
    return x if all(x.shape[axis] <= 1 for axis in op.params["axes"]) else None


@equation(slice, "slice(x, all of it) == x")
def _(match, op, x):
    return x if op.results[0].shape == x.shape else None


@equation(pad, "pad(x, by nothing) == x")
def _(match, op, x, value):
    nothing = not any(itertools.chain(*(op.params[p] for p in ("low", "high", "interior"))))
    return x if nothing else None


@equation(concatenate, "concatenate(x) == x")
def _(match, op, *xs):
    return xs[0] if len(xs) == 1 else None


@equation(concatenate, "concatenate(x, nothing) == concatenate(x)")
def _(match, op, *xs):
    axis = op.params["axis"]
    some = [x for x in xs if x.shape[axis] > 0]
    return concatenate(*some, axis=axis) if 0 < len(some) < len(xs) else None


@equation(reduce_sum, "reduce_sum(x, no axes) == x (integers: 0.0 + -0.0 is 0.0)")
def _(match, op, x):
    return x if not op.params["axes"] and is_integer(x) else None


@equation(reduce_prod, "reduce(x, no axes) == x")
@equation(reduce_max, "reduce(x, no axes) == x")
@equation(reduce_min, "reduce(x, no axes) == x")
@equation(reduce_and, "reduce(x, no axes) == x")
@equation(reduce_or, "reduce(x, no axes) == x")
def _(match, op, x):
    return x if not op.params["axes"] else None


# ----- Two rearrangements are one


@equation(reshape, "reshape(reshape(x)) == reshape(x)")
def _(match, op, x):
    inner = match.operand_of(reshape, x)
    return None if inner is None else reshape(inner, shape=op.params["shape"])


@equation(transpose, "transpose(transpose(x, p), q) == transpose(x, p[q])")
def _(match, op, x):
    inner = match.defined_by(transpose, x)
    if inner is None:
        return None
    first = inner.params["permutation"]
    permutation = tuple(first[axis] for axis in op.params["permutation"])
    return transpose(inner.operands[0], permutation=permutation)


@equation(broadcast, "broadcast(broadcast(x, d), e) == broadcast(x, e[d])")
def _(match, op, x):
    inner = match.defined_by(broadcast, x)
    if inner is None:
        return None
    dims = tuple(op.params["dims"][d] for d in inner.params["dims"])
    return broadcast(inner.operands[0], shape=op.params["shape"], dims=dims)


@equation(flip, "flip(flip(x)) == x (the same axes)")
def _(match, op, x):
    inner = match.defined_by(flip, x)
    same = inner is not None and sorted(inner.params["axes"]) == sorted(op.params["axes"])
    return inner.operands[0] if same else None


@equation(slice, "slice(slice(x)) == slice(x)")
def _(match, op, x):
    inner = match.defined_by(slice, x)
    if inner is None:
        return None
    (y,), first = inner.operands, inner.params
    steps = list(zip(first["start"], first["stride"]))
    # The end is one past the last element taken: `limit` need not be a multiple of the stride.
    start = tuple(a + s * b for (a, s), b in zip(steps, op.params["start"]))
    stride = tuple(s * t for (_, s), t in zip(steps, op.params["stride"]))
    lengths = op.results[0].shape
    limit = tuple(a + (n - 1) * s + 1 if n else a for a, n, s in zip(start, lengths, stride))
    fits = all(0 <= a <= b <= n for a, b, n in zip(start, limit, y.shape))
    return slice(y, start=start, limit=limit, stride=stride) if fits else None


@equation(slice, "slice(concatenate(x, y)) == x, if it is exactly that part")
def _(match, op, x):
    joined = match.defined_by(concatenate, x)
    if joined is None or any(s != 1 for s in op.params["stride"]):
        return None
    axis = joined.params["axis"]
    start = 0
    for part in joined.operands:
        if start == op.params["start"][axis] and part.shape == op.results[0].shape:
            return part if part.shape[axis] > 0 else None
        start += part.shape[axis]
    return None


# ----- Rearrangements of an array filled with one number


def _broadcast_scalar(match, x: Value) -> Value | None:
    """The scalar whose broadcast is `x`."""
    number = match.operand_of(broadcast, x)
    return number if number is not None and number.shape == () else None


@equation(reshape, "reshape(broadcast(number)) == broadcast(number)")
@equation(transpose, "transpose(broadcast(number)) == broadcast(number)")
@equation(flip, "flip(broadcast(number)) == broadcast(number)")
@equation(slice, "slice(broadcast(number)) == broadcast(number)")
@equation(dynamic_slice, "dynamic_slice(broadcast(number), i) == broadcast(number)")
def _(match, op, x, *indices):
    number = _broadcast_scalar(match, x)
    if number is None:
        return None
    return broadcast(number, shape=op.results[0].shape, dims=())
