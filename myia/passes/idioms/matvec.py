"""Sums of a matrix weighted by a vector are products of the two.

    %1 = broadcast %v {dims=(1,), shape=(60, 60)}
    %2 = mul %m, %1                                  ->     %3 = dot_general %m, %v
    %3 = reduce_sum %2 {axes=(1,)}

So is an outer product pulled back to its factors, row by row and column by column. The products of
all elements are not stored, and of two such sums of one matrix neither computes it again.

Around the product there may be masks: what is left out along the axis of the sum has the weight
zero, and is zero in the matrix, since it may be NaN. What is the same all along the axis, masks
too, is done to the sums. Where nothing is left, these are zero, whatever the factors are.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from myia.ir.core import Function, Op, Region, Value
from myia.ir.primitive import Primitive
from myia.passes.analysis.def_use import uses
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.shaping import broadcast, reduce_sum
from myia.primitives.core.define import zeros
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import mul, neg
from myia.primitives.pointwise.logic import and_, select
from myia.rewriting.walk import Walk, rewrite

MIN_MATRIX_ELEMENTS = 4096  # XLA fuses the products and the sum of smaller ones into one loop
_MAX_VISITED_OPS = 100  # factors and masks around one product


def recognize_matvec(function: Function) -> Function:
    """`function` with such sums as products."""
    readers = functools.cache(lambda: _readers(function.region))

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not reduce_sum or len(op.params["axes"]) != 1:
            return None
        (x,), (axis,) = op.operands, op.params["axes"]
        if x.aval.size < MIN_MATRIX_ELEMENTS or x.aval.ndim < 2 or x.dtype.kind != "f":
            return None
        found = _Search(walk, readers(), axis).of(x)
        return found and [_product(found, axis, walk)]

    return rewrite(function, rule)


def _readers(region: Region) -> dict[Value, int]:
    found = {y: region.yields.count(y) for y in region.yields}
    for x, ops in uses(region).items():
        found[x] = found.get(x, 0) + sum(max(1, op.operands.count(x)) for op in ops)
    for op in region.ops:
        for inner in op.regions:
            for x, count in _readers(inner).items():
                found[x] = found.get(x, 0) + count
    return found


@dataclass(frozen=True)
class _Sum:
    """What is summed: the elements of `matrix` times `weight`, where the `masks` hold; these two
    are along the axis. `outer`: what is done to the sums, last first, with which broadcast, and
    how many of the masks were there before."""

    matrix: Value
    weight: Value
    masks: tuple[Value, ...] = ()
    outer: tuple[tuple[Primitive, Op | None, int], ...] = ()


class _Search:
    def __init__(self, walk: Walk, readers: dict[Value, int], axis: int):
        self.walk, self.readers, self.axis = walk, readers, axis
        self.left = _MAX_VISITED_OPS  # ops to look at

    def of(self, x: Value) -> _Sum | None:
        """Factors taken out were multiplied last: so the sum has no larger numbers in it."""
        op = self.walk.definition(x)
        self.left -= 1
        if op is None or self.readers.get(x, 0) > 1 or not self.left:
            return None
        if op.primitive is neg:
            return self._around(op.operands[0], neg, None)
        if op.primitive is mul:
            return self._product(*op.operands) or self._product(*op.operands[::-1])
        if op.primitive is select and self.walk.constant_value(op.operands[2]) == 0:
            return self._masked(*op.operands[:2])
        return None

    def _around(self, x: Value, primitive: Primitive, cast: Op | None) -> _Sum | None:
        found = self.of(x)
        return found and replace(found, outer=((primitive, cast, len(found.masks)), *found.outer))

    def _product(self, x: Value, factor: Value) -> _Sum | None:
        cast = self._vector(factor)
        if cast is None or self._vector(x) is not None:
            return None
        return _Sum(x, cast.operands[0]) if self._is_along(cast) else self._around(x, mul, cast)

    def _masked(self, mask: Value, x: Value) -> _Sum | None:
        cast = self._vector(mask)
        if cast is None or not self._is_along(cast):
            return cast and self._around(x, select, cast)
        found = self.of(x)
        return found and replace(found, masks=(*found.masks, mask))

    def _vector(self, x: Value) -> Op | None:
        """The op that made `x`, the same along this axis or all others."""
        op = self.walk.definition(x)
        if op is None or op.primitive is not broadcast:
            return None
        same = self.axis not in op.params["dims"] or op.params["dims"] == (self.axis,)
        return op if same and op.operands[0].shape == _extents(op) else None

    def _is_along(self, cast: Op) -> bool:
        return cast.params["dims"] == (self.axis,)


def _extents(cast: Op) -> tuple[int, ...]:
    return tuple(cast.params["shape"][i] for i in cast.params["dims"])


def _product(found: _Sum, axis: int, walk: Walk) -> Value:
    matrix, weight = found.matrix, found.weight
    for mask in found.masks:
        weight = select(walk.definition(mask).operands[0], weight, zeros(weight.aval))
        if not _is_zero_without(mask, matrix, walk):
            matrix = select(mask, matrix, zeros(matrix.aval))
    total = dot_general(matrix, weight, contract=((axis,), (0,)), batch=((), ()))
    for primitive, cast, masked in found.outer[::-1]:
        total = _done(primitive, cast, axis, total)
        if primitive is mul:
            total = _where_any(found.masks[masked:], total, walk)
    return total


def _where_any(masks: Sequence[Value], total: Value, walk: Walk) -> Value:
    """`total` if all `masks` hold somewhere: zero is not to be multiplied by NaN."""
    if not masks:
        return total
    vectors = [walk.definition(mask).operands[0] for mask in masks]
    holds = reduce_or(functools.reduce(and_, vectors), axes=(0,))
    return select(broadcast(holds, shape=total.shape, dims=()), total, zeros(total.aval))


def _done(primitive: Primitive, cast: Op | None, axis: int, total: Value) -> Value:
    if cast is None:
        return primitive(total)
    vector = _without(cast, axis, total)
    return select(vector, total, zeros(total.aval)) if primitive is select else mul(total, vector)


def _without(cast: Op, axis: int, total: Value) -> Value:
    """What `cast` makes, without the axis along which it is the same."""
    dims = tuple(i - (i > axis) for i in cast.params["dims"])
    return broadcast(cast.operands[0], shape=total.shape, dims=dims)


def _is_zero_without(mask: Value, x: Value, walk: Walk) -> bool:
    """Is `x` zero wherever `mask` does not hold?"""
    op = walk.definition(x)
    if op is None:
        return False
    if op.primitive is neg:
        return _is_zero_without(mask, op.operands[0], walk)
    masked = op.primitive is select and walk.constant_value(op.operands[2]) == 0
    return masked and _implies(op.operands[0], mask, walk)


def _implies(x: Value, mask: Value, walk: Walk) -> bool:
    op = walk.definition(x)
    both = op is not None and op.primitive is and_
    return x is mask or (both and any(_implies(y, mask, walk) for y in op.operands))
