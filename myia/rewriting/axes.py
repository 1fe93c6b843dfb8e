"""Axes of an operand in the result of an op that only moves elements.

%y = broadcast %x {shape=(5, 3), dims=(1,)}       axis 0 of %x is axis 1 of %y
"""

from __future__ import annotations

from myia.ir.core import Op
from myia.primitives.arrays.shaping import broadcast, reshape, transpose


def moved_axes(op: Op) -> dict[int, int] | None:
    """Where the axes of the operand are in the result, for an op that only moves elements.

    Without axes of one element.
    """
    if op.primitive is broadcast:
        pairs = zip(op.operands[0].shape, op.params["dims"])
        return {i: d for i, (n, d) in enumerate(pairs) if n == op.results[0].shape[d]}
    if op.primitive is transpose:
        return {i: j for j, i in enumerate(op.params["permutation"])}
    if op.primitive is reshape:
        old, new = op.operands[0].shape, op.results[0].shape
        long, places = ([i for i, n in enumerate(shape) if n != 1] for shape in (old, new))
        if [old[i] for i in long] == [new[i] for i in places]:
            return dict(zip(long, places))
    return None
