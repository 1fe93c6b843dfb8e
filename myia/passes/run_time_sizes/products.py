"""Products with a run-time slice of an array: masked afterwards.

    %1 = select %mask, %a, %column            %1 = dot_general %x, %a
    %2 = dot_general %x, %1             ->    %3 = dot_general %x, %c   (a column of %column)
                                              %2 = select %mask', %1, broadcast %3

The mask selects along an axis that the product keeps, and %column is the same along it. So the
elements of the product are selected in the same way, and each of them is made of the same numbers.
No iteration makes a masked copy of the array.
"""

from __future__ import annotations

from collections.abc import Callable

from myia.analysis.linear_indices import IndexRanges
from myia.ir.core import Op, Value
from myia.passes.run_time_sizes.elements import Elements
from myia.passes.run_time_sizes.valid_ranges import Definitions, index_constant, moved_axes
from myia.primitives.arrays import shaping
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import logic

MIN_ELEMENTS = 1024  # of the array: a small copy costs less than another product


def product_masked_afterwards(
    op: Op, definitions: Definitions, ranges: IndexRanges, is_local: Callable[[Value], bool]
) -> Op | None:
    """The selection in the place of a product; emits what it selects from."""
    if op.primitive is not dot_general or any(op.params["batch"][0]):
        return None
    for i, x in enumerate(op.operands):
        masked = definitions.get(x)
        axis = None if masked is None else _masked_axis(masked, definitions)
        if masked is None or axis is None or axis in op.params["contract"][i]:
            continue
        mask, array, column = masked.operands
        if array.aval.size < MIN_ELEMENTS:
            continue
        elements = Elements(definitions, ranges, is_local)
        zero = index_constant(0, ranges)
        one = elements.at(column, tuple(zero if j == axis else None for j in range(len(x.shape))))
        return _selection(op, i, axis, definitions[mask].operands[0], array, one)
    return None


def _masked_axis(op: Op, definitions: Definitions) -> int | None:
    """The axis along which a selection has a mask, if what it selects else is the same along it."""
    if op.primitive is not logic.select:
        return None
    mask, other = (definitions.get(op.operands[i]) for i in (0, 2))
    if mask is None or mask.primitive is not shaping.broadcast or len(mask.params["dims"]) != 1:
        return None
    (axis,) = mask.params["dims"]
    if other is None or other.primitive is not shaping.broadcast:
        return None
    repeats = axis not in (moved_axes(other) or {axis: axis}).values()
    return axis if repeats and mask.operands[0].shape == (op.results[0].shape[axis],) else None


def _selection(op: Op, i: int, axis: int, mask: Value, array: Value, column: Value) -> Op:
    (y,) = op.results
    contract = op.params["contract"]
    free = [
        [j for j in range(len(x.shape)) if j not in axes] for x, axes in zip(op.operands, contract)
    ]
    place = free[i].index(axis) + (len(free[0]) if i == 1 else 0)
    of_column = tuple(j - (j > axis) for j in contract[i])

    def product(x: Value, axes: tuple[int, ...]) -> Value:
        factors, sides = list(op.operands), list(contract)
        factors[i], sides[i] = x, axes
        return dot_general(*factors, contract=tuple(sides), batch=((), ()))

    others = tuple(j for j in range(len(y.shape)) if j != place)
    selected = (
        shaping.broadcast(mask, shape=y.shape, dims=(place,)),
        product(array, contract[i]),
        shaping.broadcast(product(column, of_column), shape=y.shape, dims=others),
    )
    return Op(logic.select, selected, {}, (), op.results, op.span)
