"""Matrix-vector products recognized in sums: a matrix weighted by a vector, summed along an axis.

    %1 = broadcast %v {dims=(1,), shape=(60, 60)}
    %2 = mul %m, %1                                  ->     %3 = dot_general %m, %v
    %3 = reduce_sum %2 {axes=(1,)}

The pullback of an outer product to its factors has this form, once by rows and once by columns. The
elementwise products are not stored then, and if two such sums share a matrix it is not recomputed
for the second one.

Masks may surround the product. An element that is masked along the summed axis gets the weight
zero, and is also set to zero in the matrix, since it may be NaN there. Factors and masks that are
constant along the summed axis are applied to the sums instead. Where no element remains the sum is
zero, whatever the factors are.
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


def matvec(function: Function) -> Function:
    """`function` with weighted sums along an axis as matrix-vector products."""
    readers = functools.cache(lambda: _reader_counts(function.region))

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not reduce_sum or len(op.params["axes"]) != 1:
            return None
        (x,), (axis,) = op.operands, op.params["axes"]
        if x.aval.size < MIN_MATRIX_ELEMENTS or x.aval.ndim < 2 or x.dtype.kind != "f":
            return None
        weighted = _Search(walk, readers(), axis).weighted_sum(x)
        return weighted and [_emit_product(weighted, axis, walk)]

    return rewrite(function, rule)


def _reader_counts(region: Region) -> dict[Value, int]:
    """How often each value is read, by ops at any depth and by yields."""
    found = {y: region.yields.count(y) for y in region.yields}
    for x, ops in uses(region).items():
        found[x] = found.get(x, 0) + sum(max(1, op.operands.count(x)) for op in ops)
    for op in region.ops:
        for inner in op.regions:
            for x, count in _reader_counts(inner).items():
                found[x] = found.get(x, 0) + count
    return found


@dataclass(frozen=True)
class _WeightedSum:
    """The sum of `matrix * weight` along an axis, over the elements where all `masks` are true.

    `weight` is a vector along the summed axis; the `masks` vary along it only. `outer` are the ops
    to apply to the sums, the last one first: each with the broadcast of its other operand, constant
    along the axis, and with the number of `masks` inside it (the others surround it).
    """

    matrix: Value
    weight: Value
    masks: tuple[Value, ...] = ()
    outer: tuple[tuple[Primitive, Op | None, int], ...] = ()


class _Search:
    def __init__(self, walk: Walk, readers: dict[Value, int], axis: int):
        self.walk, self.readers, self.axis = walk, readers, axis
        self.budget = _MAX_VISITED_OPS

    def weighted_sum(self, x: Value) -> _WeightedSum | None:
        """The sum of `x` along the axis as a weighted sum; None: it has no such form.

        Only factors that were multiplied last move out of the sum, so that no summand is larger
        than the numbers that were computed before. Each op must have one reader: with another one
        its elementwise result would be computed besides.
        """
        op = self.walk.definition(x)
        self.budget -= 1
        if op is None or self.readers.get(x, 0) > 1 or not self.budget:
            return None
        if op.primitive is neg:
            return self._around(op.operands[0], neg, None)
        if op.primitive is mul:
            return self._product(*op.operands) or self._product(*op.operands[::-1])
        if op.primitive is select and self.walk.constant_value(op.operands[2]) == 0:
            return self._masked(*op.operands[:2])
        return None

    def _around(self, x: Value, primitive: Primitive, cast: Op | None) -> _WeightedSum | None:
        found = self.weighted_sum(x)
        return found and replace(found, outer=((primitive, cast, len(found.masks)), *found.outer))

    def _product(self, x: Value, factor: Value) -> _WeightedSum | None:
        cast = self._vector(factor)
        if cast is None or self._vector(x) is not None:
            return None
        if self._is_along(cast):
            return _WeightedSum(x, cast.operands[0])
        return self._around(x, mul, cast)

    def _masked(self, mask: Value, x: Value) -> _WeightedSum | None:
        cast = self._vector(mask)
        if cast is None or not self._is_along(cast):
            return cast and self._around(x, select, cast)
        found = self.weighted_sum(x)
        return found and replace(found, masks=(*found.masks, mask))

    def _vector(self, x: Value) -> Op | None:
        """The broadcast that defines `x`, if `x` varies only along the axis, or not along it."""
        op = self.walk.definition(x)
        if op is None or op.primitive is not broadcast:
            return None
        dims = op.params["dims"]
        varies_on_one_side = self.axis not in dims or dims == (self.axis,)
        return op if varies_on_one_side and op.operands[0].shape == _lengths(op) else None

    def _is_along(self, cast: Op) -> bool:
        return cast.params["dims"] == (self.axis,)


def _lengths(cast: Op) -> tuple[int, ...]:
    """The lengths of the result of a broadcast along the axes of its operand."""
    return tuple(cast.params["shape"][i] for i in cast.params["dims"])


def _emit_product(weighted: _WeightedSum, axis: int, walk: Walk) -> Value:
    matrix, weight = weighted.matrix, weighted.weight
    for mask in weighted.masks:
        weight = select(walk.definition(mask).operands[0], weight, zeros(weight.aval))
        if not _is_zero_where_masked(mask, matrix, walk):
            matrix = select(mask, matrix, zeros(matrix.aval))
    total = dot_general(matrix, weight, contract=((axis,), (0,)), batch=((), ()))
    for primitive, cast, masks_inside in weighted.outer[::-1]:
        total = _apply(primitive, cast, axis, total)
        if primitive is mul:
            total = _zero_if_all_masked(weighted.masks[masks_inside:], total, walk)
    return total


def _zero_if_all_masked(masks: Sequence[Value], total: Value, walk: Walk) -> Value:
    """`total`, but zero if no element satisfies all `masks`: an empty sum times NaN is zero here,
    as it was when the masks came after the factor."""
    if not masks:
        return total
    vectors = [walk.definition(mask).operands[0] for mask in masks]
    holds = reduce_or(functools.reduce(and_, vectors), axes=(0,))
    return select(broadcast(holds, shape=total.shape, dims=()), total, zeros(total.aval))


def _apply(primitive: Primitive, cast: Op | None, axis: int, total: Value) -> Value:
    """The outer op `primitive` applied to the sums, its other operand without the summed axis."""
    if cast is None:
        return primitive(total)
    vector = _without_axis(cast, axis, total)
    return select(vector, total, zeros(total.aval)) if primitive is select else mul(total, vector)


def _without_axis(cast: Op, axis: int, total: Value) -> Value:
    """The broadcast `cast` without the summed axis, along which it is constant."""
    dims = tuple(i - (i > axis) for i in cast.params["dims"])
    return broadcast(cast.operands[0], shape=total.shape, dims=dims)


def _is_zero_where_masked(mask: Value, x: Value, walk: Walk) -> bool:
    """Whether `x` is surely zero wherever `mask` is false."""
    op = walk.definition(x)
    if op is None:
        return False
    if op.primitive is neg:
        return _is_zero_where_masked(mask, op.operands[0], walk)
    masked = op.primitive is select and walk.constant_value(op.operands[2]) == 0
    return masked and _implies(op.operands[0], mask, walk)


def _implies(x: Value, mask: Value, walk: Walk) -> bool:
    """Whether `mask` is surely true wherever the mask `x` is."""
    op = walk.definition(x)
    both = op is not None and op.primitive is and_
    return x is mask or (both and any(_implies(y, mask, walk) for y in op.operands))
