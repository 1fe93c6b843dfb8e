"""Additions into a slice: a load, an addition and a store become one op, `dynamic_update_add`.

    %1 = dynamic_slice %a, %i {sizes=(1,)}
    %2 = add %1, %u                            ->      %b = dynamic_update_add %a, %u, %i
    %b = dynamic_update_slice %a, %2, %i

This is done before derivatives are taken: the cotangent of `%a` is then that of `%b`, unchanged.
For a load and a store the adjoint would clear the slice of the cotangent and then add the same
values to it again. Once storage has been chosen `canonicalize/lowering.py` goes back.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Function, Op, Value
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.shaping import reshape
from myia.primitives.pointwise.arithmetic import add, neg, sub
from myia.rewriting.walk import Walk, rewrite


def form_accumulate(function: Function) -> Function:
    """`function` with additions into a slice as one op."""
    return rewrite(function, _formed)


def _formed(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not dynamic_update_slice:
        return None
    array, update, *starts = op.operands
    addition = _definition_before_reshapes(update, walk)
    if addition is None or addition.primitive not in (add, sub):
        return None
    x, y = addition.operands
    if addition.primitive is add and not _is_load(x, update.shape, array, starts, walk):
        x, y = y, x
    if not _is_load(x, update.shape, array, starts, walk):
        return None
    term = y if addition.primitive is add else neg(y)
    return [dynamic_update_add(array, reshape(term, shape=update.shape), *starts)]


def _definition_before_reshapes(x: Value, walk: Walk) -> Op | None:
    """The op that computes `x`, apart from changes of its shape."""
    op = walk.definition(x)
    while op is not None and op.primitive is reshape:
        op = walk.definition(op.operands[0])
    return op


def _is_load(
    x: Value, sizes: tuple[int, ...], array: Value, starts: Sequence[Value], walk: Walk
) -> bool:
    """Is `x` the slice of `array` at these start indices?"""
    op = _definition_before_reshapes(x, walk)
    if op is None or op.primitive is not dynamic_slice or op.params["sizes"] != sizes:
        return False
    return op.operands[0] is array and list(op.operands[1:]) == list(starts)
