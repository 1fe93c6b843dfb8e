"""Translation of tensor contractions: `dot_general`, and products with one matrix a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from myia.infer.jax.tracing.rules import as_ints, translation_rule
from myia.infer.jax.tracing.translate import unsupported
from myia.ir.core import Value
from myia.primitives.arrays import cumulative, shaping
from myia.primitives.core.define import zeros
from myia.primitives.linalg import dot
from myia.primitives.pointwise import logic
from myia.primitives.pointwise.logic import convert


@translation_rule("dot_general")
def _dot_general(
    x: Value,
    y: Value,
    *,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Value:
    """Computed in the wider of the operands' and the result's dtypes; bools count as 0 and 1."""
    result = np.dtype(preferred_element_type or np.promote_types(x.dtype, y.dtype))
    wide = np.result_type(x.dtype, y.dtype, result)
    if wide.kind == "b":
        wide = np.dtype(np.int32)
    contract, batch = (tuple(as_ints(axes) for axes in pair) for pair in dimension_numbers)
    product = dot.dot_general(
        convert(x, dtype=wide), convert(y, dtype=wide), contract=contract, batch=batch
    )
    return convert(product, dtype=result)


# ----- Products by groups of rows, one matrix for each group


@translation_rule("ragged_dot_general")
def _ragged_dot(
    x: Value,
    y: Value,
    group_sizes: Value,
    *,
    ragged_dot_dimension_numbers: Any,
    preferred_element_type: Any = None,
    group_offset: Any = None,
    **_: Any,
) -> Value:
    """z[m] = x[m] y[g],   m in group g

    Computed as a product with all matrices; for each matrix `x` has zeros outside of its group.
    """
    numbers = ragged_dot_dimension_numbers
    contract, batch = (tuple(map(as_ints, pair)) for pair in numbers.dot_dimension_numbers)
    (ragged,), groups = (
        as_ints(numbers.lhs_ragged_dimensions),
        as_ints(numbers.rhs_group_dimensions),
    )
    if group_offset is not None or ragged in (*contract[0], *batch[0]):
        raise unsupported("`ragged_dot_general` but for groups of rows of the left operand")
    free = [k for k in range(x.aval.ndim) if k not in (*contract[0], *batch[0])]
    before = (*batch[0], *free[: free.index(ragged)])
    x = _masked_by_group(x, group_sizes, ragged, before)
    dimension_numbers = (
        ((*_shift_axes(contract[0]), 0), (*contract[1], *groups)),
        (_shift_axes(batch[0]), batch[1]),
    )
    return _dot_general(
        x,
        y,
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
    )


def _shift_axes(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(axis + 1 for axis in axes)


def _masked_by_group(x: Value, sizes: Value, ragged: int, before: Sequence[int]) -> Value:
    """`x` repeated for each group along a new first axis, zero outside of the group.

    Groups are ranges of axis `ragged`. The last axis of `sizes` has their lengths, which may differ
    for each index of the axes `before`.
    """
    last = sizes.aval.ndim - 1
    ends = cumulative.cumsum(sizes, axis=last, reverse=False)
    axes = (*before, ragged) if last else (ragged,)
    shape = (*sizes.shape, x.shape[ragged])
    index = shaping.iota(shape=shape, axis=last + 1, dtype=sizes.dtype)
    start, end = (
        shaping.broadcast(k, shape=shape, dims=tuple(range(last + 1))) for k in (ends - sizes, ends)
    )
    inside = logic.and_(logic.le(start, index), logic.lt(index, end))
    # Axes of `inside`: those `before`, the group, the ragged one; in the result the group is first.
    targets = [*_shift_axes(axes[:-1]), 0, ragged + 1]
    order = tuple(sorted(range(last + 2), key=targets.__getitem__))
    inside = shaping.transpose(inside, permutation=order)
    shape = (sizes.shape[-1], *x.shape)
    inside = shaping.broadcast(inside, shape=shape, dims=tuple(sorted(targets)))
    x = shaping.broadcast(x, shape=shape, dims=_shift_axes(range(x.aval.ndim)))
    return logic.select(inside, x, zeros(x.aval))
