"""Shift invariance: an extremum that cancels out of all that is computed of it has no derivative.

    %m = reduce_max %x                    %0 = reduce_max %x
                                          %m = stop_gradient %0
    %z = sub %x, (broadcast %m)     ->    %z = sub %x, (broadcast %m)
    %s = reduce_sum (exp %z)              %s = reduce_sum (exp %z)
    %y = add %m, (log %s)                 %y = add %m, (log %s)

The maximum that softmax, log-softmax and log-sum-exp subtract keeps `exp` from overflowing. In
exact arithmetic the result is the same for any number in its place, so the cotangents of its uses
add up to zero: passes over all of `x`, for rounding errors.

The proof is an abstract interpretation. If the extremum grows by d, a value that depends on it

    grows by `weight * d`                      (a sum)       or
    is multiplied by `exp(weight * d)`         (a product);

with weight zero it is invariant, at every order of derivative. All uses of the extremum must end in
invariant values. `d` is an array like the extremum: `along` says which axes of a value are its.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.reductions import reduce_max, reduce_min
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, transpose
from myia.primitives.core.define import constant_p
from myia.primitives.linalg.dot import dot_general, free_axes
from myia.primitives.pointwise.arithmetic import add, div, integer_pow, mul, neg, square, sub
from myia.primitives.pointwise.logic import convert_p, select, stop_gradient
from myia.primitives.pointwise.transcendental import exp, log
from myia.rewriting.axes import moved_axes
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

EXTREMA = (reduce_max, reduce_min)
MOVES = (broadcast, transpose, reshape)


@dataclass(frozen=True, slots=True)
class Shifted:
    """How a value follows the extremum; `along[i]`: its axis for the extremum's i-th axis.

    Axes of length 1 are left out.
    """

    kind: str  # "sum" or "product"
    weight: int
    along: tuple[int, ...]


class _Unknown(Exception):
    """The proof fails: an op does with a shifted value what no rule describes."""


def shift_invariance(function: Function) -> Function:
    """`function` with `stop_gradient` of each extremum that cancels out."""
    return with_region(function, _region(function.region, {}))


def _region(region: Region, env: Env) -> Region:
    position = {op: i for i, op in enumerate(region.ops)}
    with Builder() as b:
        for op in region.ops:
            new = substituted(op, env, lambda inner: _region(inner, env))
            append(new)
            y = op.results[0] if op.results else None
            if y is not None and _is_extremum(op, region) and _cancels_out(y, region, position):
                with at(op.span):
                    env[y] = stop_gradient(new.results[0])
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _is_extremum(op: Op, region: Region) -> bool:
    """Whether `op` is an extremum, or one that is replaced where it is not finite."""
    if op.primitive is select:
        made_by = (definitions(region).get(x) for x in op.operands[1:])
        return any(m is not None and m.primitive in EXTREMA for m in made_by)
    return op.primitive in EXTREMA and op.results[0].dtype.kind == "f"


def _cancels_out(m: Value, region: Region, position: Mapping[Op, int]) -> bool:
    """Whether every value computed of `m` is invariant in the end, and some value is."""
    axes = tuple(axis for axis, n in enumerate(m.shape) if n != 1)
    follow: dict[Value, Shifted] = {m: Shifted("sum", 1, axes)}
    read_by = uses(region)
    pending = set(read_by.get(m, ()))
    if any(op.primitive is stop_gradient for op in pending):
        return False
    invariant = False
    while pending:
        op = min(pending, key=position.__getitem__)
        pending.remove(op)
        try:
            shifted = _result(op, [follow.get(x) for x in op.operands], definitions(region))
        except _Unknown:
            return False
        invariant = invariant or shifted.weight == 0
        if shifted.weight:
            (y,) = op.results
            follow[y] = shifted
            pending.update(read_by.get(y, ()))
    return invariant and not any(y in follow for y in region.yields)


# ----- What an op gives: of its operands, None do not depend on the extremum


def _result(op: Op, xs: Sequence[Shifted | None], made_by: Mapping[Value, Op]) -> Shifted:
    primitive, shifted = op.primitive, [x for x in xs if x is not None]
    if not shifted:  # read by a region of the op
        raise _Unknown
    x = shifted[0]
    if primitive in (add, sub, mul, div):
        return _arithmetic(op, xs, shifted)
    if primitive is select:
        return _selected(op, xs, made_by)
    if primitive is neg:
        return replace(x, weight=-x.weight) if x.kind == "sum" else x
    if primitive in (exp, log):
        old, new = ("sum", "product") if primitive is exp else ("product", "sum")
        _require(x.kind == old)
        return replace(x, kind=new)
    if primitive in (square, integer_pow):
        _require(x.kind == "product")
        return replace(x, weight=x.weight * (2 if primitive is square else op.params["y"]))
    if primitive is convert_p:
        _require(op.results[0].dtype.kind == "f")
        return x
    _require(primitive in MOVES or (primitive in (reduce_sum, dot_general) and x.kind == "product"))
    _require(len(shifted) == 1)
    axes = _axes(op, xs.index(x)) if x.along else {}
    _require(axes.keys() >= set(x.along))
    return replace(x, along=tuple(axes[axis] for axis in x.along))


def _require(condition: bool) -> None:
    if not condition:
        raise _Unknown


def _arithmetic(op: Op, xs: Sequence[Shifted | None], shifted: Sequence[Shifted]) -> Shifted:
    """Weights of sums add up in a sum, those of products in a product."""
    x, y = shifted[0], shifted[-1]
    is_sum, sign = op.primitive in (add, sub), -1 if op.primitive in (sub, div) else 1
    if is_sum and x.kind == "product" and len(shifted) == 2:
        _require(x == y)
        return x
    _require(x.kind == y.kind == ("sum" if is_sum else "product") and x.along == y.along)
    first, second = (0 if each is None else each.weight for each in xs)
    return replace(x, weight=first + sign * second)


def _selected(op: Op, xs: Sequence[Shifted | None], made_by: Mapping[Value, Op]) -> Shifted:
    """One of two that follow in the same way; a zero is a product with any weight."""
    zeros = [
        op is not None and op.primitive is constant_p and op.params["value"] == 0
        for op in map(made_by.get, op.operands[1:])
    ]
    first, *others = [x for x, is_zero in zip(xs[1:], zeros) if not is_zero]
    _require(xs[0] is None and all(x == first for x in others))
    if first is None or not (others or first.kind == "product"):
        raise _Unknown
    return first


def _axes(op: Op, i: int) -> Mapping[int, int]:
    """Where axes of operand `i` are in the result, but for those that are summed."""
    rank = op.operands[i].aval.ndim
    if op.primitive is reduce_sum:
        kept = free_axes(rank, op.params["axes"], ())
        return {axis: k for k, axis in enumerate(kept)}
    if op.primitive is not dot_general:
        return moved_axes(op) or {}
    contract, batch = op.params["contract"][i], op.params["batch"][i]
    free = free_axes(rank, contract, batch)
    start = op.results[0].aval.ndim - len(free) if i else len(batch)
    return dict(zip(batch, range(len(batch)))) | {axis: start + k for k, axis in enumerate(free)}
