"""Sums into a window, said as what they are.

    %1 = dynamic_slice %a, %i {sizes=(1,)}
    %2 = add %1, %u                            ->      %b = dynamic_update_add %a, %u, %i
    %b = dynamic_update_slice %a, %2, %i

Before derivatives are taken: the cotangent of `%a` is then that of `%b` as it stands. Of a read and
a write the reverse sweep would clear the window and add to it again what was there. Once storage
has been chosen `expand_accumulate` says it with a read and a write again, which other passes know.
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
    """`function` with reads, sums and writes of a window as one op."""
    return rewrite(function, _sum)


def expand_accumulate(function: Function) -> Function:
    """`function` with sums into windows as a read, a sum and a write."""
    return rewrite(function, _steps)


def _sum(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not dynamic_update_slice:
        return None
    array, update, *place = op.operands
    made = _before_casts(update, walk)
    if made is None or made.primitive not in (add, sub):
        return None
    x, y = made.operands
    if made.primitive is add and not _is_read(x, update.shape, array, place, walk):
        x, y = y, x
    if not _is_read(x, update.shape, array, place, walk):
        return None
    term = y if made.primitive is add else neg(y)
    return [dynamic_update_add(array, reshape(term, shape=update.shape), *place)]


def _before_casts(x: Value, walk: Walk) -> Op | None:
    """The op that defines `x`, but for changes of its shape."""
    op = walk.definition(x)
    while op is not None and op.primitive is reshape:
        op = walk.definition(op.operands[0])
    return op


def _is_read(
    x: Value, sizes: tuple[int, ...], array: Value, place: Sequence[Value], walk: Walk
) -> bool:
    """Is `x` what the array has at the place?"""
    op = _before_casts(x, walk)
    if op is None or op.primitive is not dynamic_slice or op.params["sizes"] != sizes:
        return False
    return op.operands[0] is array and list(op.operands[1:]) == list(place)


def _steps(op: Op, _: Walk) -> Sequence[Value] | None:
    if op.primitive is not dynamic_update_add:
        return None
    array, term, *place = op.operands
    window = add(dynamic_slice(array, *place, sizes=term.shape), term)
    return [dynamic_update_slice(array, window, *place)]
