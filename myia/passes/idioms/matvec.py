"""Matrix-vector products recognized in sums: a matrix weighted by a vector, summed along an axis.

    %1 = broadcast %v {dims=(1,), shape=(60, 60)}
    %2 = mul %m, %1                                  ->     %3 = dot_general %m, %v
    %3 = reduce_sum %2 {axes=(1,)}

The pullback of an outer product to its factors has this form, once by rows and once by columns. The
elementwise products are not stored then, and if two such sums share a matrix it is not recomputed
for the second one.

Masks along the summed axis may surround the product. A masked element gets the weight zero, and is
also set to zero in the matrix, since it may be NaN there.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

from myia.ir.core import Function, Op, Region, Value
from myia.ir.core import walk as all_ops
from myia.primitives.arrays.shaping import broadcast, reduce_sum
from myia.primitives.core.define import zeros
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import mul, neg
from myia.primitives.pointwise.logic import and_, select
from myia.rewriting.walk import Walk, rewrite

MIN_MATRIX_ELEMENTS = 4096  # XLA fuses the products and the sum of smaller ones into one loop


def matvec(function: Function) -> Function:
    """`function` with weighted sums along an axis as matrix-vector products."""
    readers = functools.cache(lambda: _reader_counts(function.region))

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not reduce_sum or len(op.params["axes"]) != 1:
            return None
        (x,), (axis,) = op.operands, op.params["axes"]
        if x.aval.size < MIN_MATRIX_ELEMENTS or x.aval.ndim < 2 or x.dtype.kind != "f":
            return None
        return _emit_product(x, axis, walk, readers())

    return rewrite(function, rule)


def _reader_counts(region: Region) -> Counter[Value]:
    """How often each value is read, by ops at any depth and by yields."""
    regions = [region, *(inner for op in all_ops(region) for inner in op.regions)]
    yields = (y for each in regions for y in each.yields)
    return Counter([*yields, *(x for op in all_ops(region) for x in op.operands)])


def _emit_product(
    x: Value, axis: int, walk: Walk, readers: Counter[Value]
) -> Sequence[Value] | None:
    """The sum of `x` along the axis as a product; None: it has no such form.

    Each op must have one reader: with another one its elementwise result would be computed besides.
    """
    masks: list[tuple[Value, Value]] = []  # each with the vector whose broadcast it is
    op = walk.definition(x)
    while op is not None and op.primitive is select and readers[x] <= 1:
        mask, x, other = op.operands
        vector = _vector_along(mask, axis, walk)
        if vector is None or walk.constant_value(other) != 0:
            return None
        masks.append((mask, vector))
        op = walk.definition(x)
    if op is None or op.primitive is not mul or readers[x] > 1:
        return None
    for matrix, factor in (op.operands, op.operands[::-1]):
        weight, made_by = _vector_along(factor, axis, walk), walk.definition(matrix)
        if weight is None or (made_by is not None and made_by.primitive is broadcast):
            continue
        for mask, vector in masks:
            weight = select(vector, weight, zeros(weight.aval))
            if not _is_zero_where_masked(mask, matrix, walk):
                matrix = select(mask, matrix, zeros(matrix.aval))
        return [dot_general(matrix, weight, contract=((axis,), (0,)), batch=((), ()))]
    return None


def _vector_along(x: Value, axis: int, walk: Walk) -> Value | None:
    """The vector whose broadcast `x` is, if `x` varies along the axis only."""
    op = walk.definition(x)
    if op is None or op.primitive is not broadcast or op.params["dims"] != (axis,):
        return None
    (vector,) = op.operands
    return vector if vector.shape == (x.shape[axis],) else None


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
    if x is mask or op is None or op.primitive is not and_:
        return x is mask
    return any(_implies(y, mask, walk) for y in op.operands)
