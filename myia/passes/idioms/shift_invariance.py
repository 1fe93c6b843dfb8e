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
invariant values. `d` is an array like the extremum: `along` says which axes of a value are
its.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.primitive import Primitive
from myia.ir.rewrite import Env
from myia.primitives.arrays.reductions import reduce_max, reduce_min
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, transpose
from myia.primitives.core.define import constant_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, div, integer_pow, mul, neg, square, sub
from myia.primitives.pointwise.logic import convert_p, select, stop_gradient
from myia.primitives.pointwise.transcendental import exp, log
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


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


# The operands as they follow the extremum (None: they do not depend on it) -> the result.
Rule = Callable[[Op, Sequence[Shifted | None]], Shifted]


def shift_invariance(function: Function) -> Function:
    """`function` with `stop_gradient` of each extremum that cancels out."""
    return with_region(function, _region(function.region, {}))


def _region(region: Region, env: Env) -> Region:
    with Builder() as b:
        for op in region.ops:
            new = substituted(op, env, lambda inner: _region(inner, env))
            append(new)
            y = op.results[0] if op.results else None
            if y is not None and _is_extremum(op, region) and _cancels_out(y, region):
                with at(op.span):
                    env[y] = stop_gradient(new.results[0])
    return rebuilt(region, b.ops, look_up(region.yields, env))


def _is_extremum(op: Op, region: Region) -> bool:
    """Whether `op` is an extremum, or one that is replaced where it is not finite."""
    if op.primitive is select:
        made_by = (definitions(region).get(x) for x in op.operands[1:])
        return any(m is not None and m.primitive in EXTREMA for m in made_by)
    return op.primitive in EXTREMA and op.results[0].dtype.kind == "f"


EXTREMA = (reduce_max, reduce_min)


def _cancels_out(m: Value, region: Region) -> bool:
    """Whether every value computed of `m` is invariant in the end, and some value is."""
    axes = tuple(axis for axis, n in enumerate(m.shape) if n != 1)
    follow: dict[Value, Shifted] = {m: Shifted("sum", 1, axes)}
    read_by, position = uses(region), {op: i for i, op in enumerate(region.ops)}
    pending = set(read_by.get(m, ()))
    if any(op.primitive is stop_gradient for op in pending):
        return False
    invariant = False
    while pending:
        op = min(pending, key=position.__getitem__)
        pending.remove(op)
        try:
            shifted = _result(op, follow, definitions(region))
        except _Unknown:
            return False
        invariant = invariant or shifted.weight == 0
        if shifted.weight:
            (y,) = op.results
            follow[y] = shifted
            pending.update(read_by.get(y, ()))
    return invariant and not any(y in follow for y in region.yields)


def _result(op: Op, follow: Mapping[Value, Shifted], made_by: Mapping[Value, Op]) -> Shifted:
    rule = RULES.get(op.primitive)
    xs = [follow.get(x) for x in op.operands]
    if rule is not None:
        return rule(op, xs)
    _require(op.primitive is select and xs[0] is None)
    return _selected([x for x, v in zip(xs[1:], op.operands[1:]) if not _is_zero(made_by.get(v))])


def _is_zero(op: Op | None) -> bool:
    return op is not None and op.primitive is constant_p and op.params["value"] == 0


def _selected(xs: Sequence[Shifted | None]) -> Shifted:
    """Of operands that are not zero; a zero is a product with any weight."""
    first = xs[0]
    _require(first is not None and all(x == first for x in xs))
    assert first is not None
    _require(len(xs) == 2 or first.kind == "product")
    return first


def _require(condition: bool) -> None:
    if not condition:
        raise _Unknown


# ----- Elementwise ops


def _sum_of(sign: int) -> Rule:
    """a + b or a - b: the weights of sums add up; products must have one weight."""

    def rule(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
        a, b = xs
        if a is not None and b is not None:
            _require(a.kind == b.kind and a.along == b.along)
            if a.kind == "sum":
                return replace(a, weight=a.weight + sign * b.weight)
            _require(a == b)
            return a
        one = a or b
        assert one is not None
        _require(one.kind == "sum")
        return one if a is not None else replace(one, weight=sign * one.weight)

    return rule


def _product_of(sign: int) -> Rule:
    """a * b or a / b: the weights of products add up."""

    def rule(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
        a, b = xs
        _require(all(x is None or x.kind == "product" for x in xs))
        if a is not None and b is not None:
            _require(a.along == b.along)
            return replace(a, weight=a.weight + sign * b.weight)
        if a is not None:
            return a
        assert b is not None
        return replace(b, weight=sign * b.weight)

    return rule


def _negative(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,) = xs
    assert x is not None
    return replace(x, weight=-x.weight) if x.kind == "sum" else x


def _power(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,) = xs
    assert x is not None
    _require(x.kind == "product")
    return replace(x, weight=x.weight * (2 if op.primitive is square else op.params["y"]))


def _from_to(kind: str, result: str) -> Rule:
    def rule(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
        (x,) = xs
        assert x is not None
        _require(x.kind == kind)
        return replace(x, kind=result)

    return rule


def _same(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,) = xs
    _require(x is not None and op.results[0].dtype.kind == "f")
    assert x is not None
    return x


# ----- Shapes


def _transposed(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,) = xs
    assert x is not None
    return replace(x, along=tuple(op.params["permutation"].index(axis) for axis in x.along))


def _broadcast(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,) = xs
    assert x is not None
    return replace(x, along=tuple(op.params["dims"][axis] for axis in x.along))


def _reshaped(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    """Axes of length 1 come and go; nothing else, unless the extremum is a number."""
    (x,), (y,) = xs, op.results
    assert x is not None
    old, new = ([i for i, n in enumerate(v.shape) if n != 1] for v in (op.operands[0], y))
    if not x.along:
        return x
    _require([op.operands[0].shape[i] for i in old] == [y.shape[i] for i in new])
    return replace(x, along=tuple(new[old.index(axis)] for axis in x.along))


def _summed(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    (x,), axes = xs, op.params["axes"]
    assert x is not None
    _require(x.kind == "product" and not set(axes) & set(x.along))
    return replace(x, along=tuple(axis - sum(a < axis for a in axes) for axis in x.along))


def _multiplied(op: Op, xs: Sequence[Shifted | None]) -> Shifted:
    """A product of matrices, one of them invariant."""
    (i,) = (k for k, x in enumerate(xs) if x is not None) if None in xs else (None,)
    _require(i is not None)
    assert i is not None
    x, contract, batch = xs[i], op.params["contract"][i], op.params["batch"][i]
    assert x is not None
    _require(x.kind == "product" and not set(contract) & set(x.along))
    used = {*contract, *batch}
    free = [axis for axis in range(op.operands[i].aval.ndim) if axis not in used]
    first = op.results[0].aval.ndim - len(free) if i else len(batch)
    place = {axis: k for k, axis in enumerate(batch)}
    place |= {axis: first + k for k, axis in enumerate(free)}
    return replace(x, along=tuple(place[axis] for axis in x.along))


RULES: dict[Primitive, Rule] = {
    add: _sum_of(1),
    sub: _sum_of(-1),
    mul: _product_of(1),
    div: _product_of(-1),
    neg: _negative,
    square: _power,
    integer_pow: _power,
    exp: _from_to("sum", "product"),
    log: _from_to("product", "sum"),
    convert_p: _same,
    transpose: _transposed,
    broadcast: _broadcast,
    reshape: _reshaped,
    reduce_sum: _summed,
    dot_general: _multiplied,
}
