"""Equations of shapes: rearrangements without effect, and two rearrangements that are one."""

from __future__ import annotations

import itertools

from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation
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
    flip,
    pad,
    reduce_sum,
    reshape,
    slice,
    transpose,
)
from myia.primitives.core.define import empty, empty_p

# ----- Rearrangements without effect


@equation(reshape, "reshape(x, its shape) == x")
@equation(broadcast, "broadcast(x, its shape) == x")
@equation(slice, "slice(x, all of it) == x")
@equation(dynamic_slice, "read(x, all of it) == x")
def _(match: Matcher, op: Op, x: Value, *indices: Value) -> Value | None:
    return x if op.results[0].shape == x.shape else None


@equation(transpose, "transpose(x, (0, 1, ...)) == x")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    permutation = op.params["permutation"]
    return x if permutation == tuple(range(len(permutation))) else None


@equation(pad, "pad(x, by nothing) == x")
def _(match: Matcher, op: Op, x: Value, value: Value) -> Value | None:
    nothing = not any(itertools.chain(*(op.params[p] for p in ("low", "high", "interior"))))
    return x if nothing else None


@equation(reduce_prod, "reduce(x, no axes) == x")
@equation(reduce_max, "reduce(x, no axes) == x")
@equation(reduce_min, "reduce(x, no axes) == x")
@equation(reduce_and, "reduce(x, no axes) == x")
@equation(reduce_or, "reduce(x, no axes) == x")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return x if not op.params["axes"] else None


# ----- Two rearrangements are one


@equation(reshape, "reshape(reshape(x)) == reshape(x)")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    inner = match.operand_of(reshape, x)
    return None if inner is None else reshape(inner, shape=op.params["shape"])


@equation(transpose, "transpose(transpose(x, p), q) == transpose(x, p[q])")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    inner = match.defined_by(transpose, x)
    if inner is None:
        return None
    first = inner.params["permutation"]
    permutation = tuple(first[axis] for axis in op.params["permutation"])
    return transpose(inner.operands[0], permutation=permutation)


@equation(broadcast, "broadcast(broadcast(x, d), e) == broadcast(x, e[d])")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    inner = match.defined_by(broadcast, x)
    if inner is None:
        return None
    dims = tuple(op.params["dims"][d] for d in inner.params["dims"])
    return broadcast(inner.operands[0], shape=op.params["shape"], dims=dims)


@equation(slice, "slice(slice(x)) == slice(x)")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
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


@equation(reduce_sum, "reduce_sum(reshape(x) with axes of length 1) == reshape(reduce_sum(x))")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    inner = match.operand_of(reshape, x)
    if inner is None or inner.aval.ndim >= x.aval.ndim:
        return None
    old, new = ([i for i, n in enumerate(v.shape) if n != 1] for v in (inner, x))
    if [inner.shape[i] for i in old] != [x.shape[i] for i in new]:
        return None
    axes = tuple(i for i, j in zip(old, new) if j in op.params["axes"])
    total = reduce_sum(inner, axes=axes) if axes else inner
    return reshape(total, shape=op.results[0].shape)


# ----- Rearrangements of an array filled with one number


@equation(reshape, "reshape(empty) == empty")
@equation(transpose, "transpose(empty) == empty")
@equation(broadcast, "broadcast(empty) == empty")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    return None if match.defined_by(empty_p, x) is None else empty(op.results[0].aval)


def _broadcast_scalar(match: Matcher, x: Value) -> Value | None:
    """The scalar whose broadcast is `x`."""
    number = match.operand_of(broadcast, x)
    return number if number is not None and number.shape == () else None


@equation(reshape, "reshape(broadcast(number)) == broadcast(number)")
@equation(transpose, "transpose(broadcast(number)) == broadcast(number)")
@equation(flip, "flip(broadcast(number)) == broadcast(number)")
@equation(slice, "slice(broadcast(number)) == broadcast(number)")
@equation(dynamic_slice, "dynamic_slice(broadcast(number), i) == broadcast(number)")
def _(match: Matcher, op: Op, x: Value, *indices: Value) -> Value | None:
    number = _broadcast_scalar(match, x)
    if number is None:
        return None
    return broadcast(number, shape=op.results[0].shape, dims=())
