"""Which elements of a masked array can differ from a number: comparisons of the index, by axis.

    %m = lt %iota, broadcast %n ;  %y = select %m, %x, 0.0        %y[k] is 0.0 unless k < %n

What it guarantees: where a comparison that is returned is false, the element is that number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from myia.ir.core import Op, Value
from myia.primitives.arrays.shaping import broadcast, iota, reshape, transpose
from myia.primitives.core.define import constant_p
from myia.primitives.pointwise.arithmetic import mul
from myia.primitives.pointwise.logic import and_, convert_p, ge, lt, select, stop_gradient

Definitions = Mapping[Value, Op]


@dataclass(frozen=True)
class Bound:
    """The index along `axis` is less than `end`, or (`is_lower`) at least `end`."""

    axis: int
    is_lower: bool
    end: Value


Bounds = frozenset[Bound]
NONE: Bounds = frozenset()


def bounds_unless(x: Value, number: complex, definitions: Definitions) -> Bounds:
    """Comparisons of indices: where one of them is false, an element of `x` is `number`."""
    op = definitions.get(x)
    if op is None:
        return NONE

    def of(i: int) -> Bounds:
        return bounds_unless(op.operands[i], number, definitions)

    if op.primitive is select:
        other = definitions.get(op.operands[2])
        if other is None or other.primitive is not constant_p or other.params["value"] != number:
            return NONE
        return bounds_unless(op.operands[0], False, definitions) | of(1)
    if op.primitive is and_ and number == 0:
        return of(0) | of(1)
    if op.primitive is mul and number == 0:
        return of(0) & of(1)  # one zero is not enough: the other factor may be infinite
    if op.primitive is stop_gradient or (op.primitive is convert_p and number == 0):
        return of(0)
    if op.primitive in (lt, ge) and number == 0:
        return _comparison(op, definitions)
    axes = moved_axes(op)
    return NONE if axes is None else moved(of(0), axes)


def _comparison(op: Op, definitions: Definitions) -> Bounds:
    """`iota < n`, `iota >= n` with one number for all elements."""
    index, end = (definitions.get(x) for x in op.operands)
    if index is None or index.primitive is not iota or end is None:
        return NONE
    scalar = _broadcast_scalar(op.operands[1], definitions)
    if scalar is None:
        return NONE
    return frozenset({Bound(index.params["axis"], op.primitive is ge, scalar)})


def _broadcast_scalar(x: Value, definitions: Definitions) -> Value | None:
    """The number that all elements of `x` are."""
    op = definitions.get(x)
    if op is None or op.primitive is not broadcast or op.operands[0].shape:
        return None
    return op.operands[0]


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


def moved(bounds: Bounds, axes: Mapping[int, int]) -> Bounds:
    """The bounds along the axes that are mapped."""
    return frozenset(Bound(axes[b.axis], b.is_lower, b.end) for b in bounds if b.axis in axes)


def along(bounds: Bounds, axis: int) -> Bounds:
    """The bounds along one axis, which is called 0."""
    return moved(frozenset(b for b in bounds if b.axis == axis), {axis: 0})
