"""Rules for arrays that are zero (or false) but at one index along an axis.

Such a value is held as the elements at the index, the axis with length 1. A rule says where the
result of an op is not zero, and emits the op on elements:

    mul %mask, %x                ->    mul %elements, (%x at %index)
    reduce_sum of the axis       ->    reduce_sum of length 1
    reduce_sum of all others     ->    scatter_add %zeros, %index, %elements
    dot_general with the mask    ->    dot_general of rows, then the same
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.ir.rewrite import Env
from myia.passes.idioms.index_form.taken import Taken, Unsupported, Where, without_axis
from myia.primitives.arrays.gather import index_dims, scatter_add, take
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, transpose
from myia.primitives.core.define import constant, constant_p, zeros
from myia.primitives.linalg.dot import dot_general, free_axes
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.primitives.pointwise.logic import and_, convert, convert_p, ne, select
from myia.rewriting.axes import moved_axes

Emit = Callable[["Elements"], Value]


@dataclass
class Elements:
    """The emission: `of` has the elements of selected values, `taken` finds those of all others."""

    index: Value
    taken: Taken
    of: Env

    def at(self, x: Value, where: Where) -> Value:
        return self.of[x] if x in self.of else self.taken.at(x, where)


@dataclass
class Selection:
    """What is known of the values of a region: found op by op, before anything is emitted."""

    made_by: Mapping[Value, Op]
    where: dict[Value, Where]  # values that are zero elsewhere
    numbers: dict[Value, Any]  # values that one number fills, at the index or everywhere
    emits: dict[Value, Emit] = field(default_factory=dict)
    finite: list[Value] = field(default_factory=list)  # what must be finite for this

    def visit(self, op: Op) -> None:
        """Find the result of an op that reads a selected value; raises `Unsupported`."""
        rule = RULES.get(op.primitive)
        if rule is None or len(op.results) != 1:
            raise Unsupported
        rule(self, op)

    def number(self, x: Value) -> Any:
        op = self.made_by.get(x)
        if op is not None and op.primitive is constant_p:
            return op.params["value"]
        return None if x in self.where else self.numbers.get(x)

    def filled(self) -> dict[Value, Any]:
        """The values that one number fills everywhere."""
        return {x: n for x, n in self.numbers.items() if x not in self.where}

    def is_zero(self, x: Value) -> bool:
        number = self.number(x)
        return number is not None and number == 0

    def found(self, op: Op, where: Where | None, emit: Emit, number: Any = None) -> None:
        (y,) = op.results
        self.emits[y] = emit
        if where is not None:
            self.where[y] = where
        if number is not None:
            self.numbers[y] = number

    def common(self, *xs: Value) -> Where:
        """Where these selected values are not zero, which must be the same."""
        places = {self.where[x] for x in xs if x in self.where}
        if len(places) != 1:
            raise Unsupported
        return places.pop()


# ----- Elementwise ops


def _elementwise(s: Selection, op: Op, where: Where, number: Any = None) -> None:
    def emit(e: Elements) -> Value:
        return emit1(op.primitive, *(e.at(x, where) for x in op.operands), **op.params)

    s.found(op, where, emit, number)


def _product(s: Selection, op: Op) -> None:
    where = s.common(*op.operands)
    s.finite += [x for x in op.operands if x not in s.where]
    _elementwise(s, op, where)


def _conjunction(s: Selection, op: Op) -> None:
    _elementwise(s, op, s.common(*op.operands))


def _sum(s: Selection, op: Op) -> None:
    if any(x not in s.where for x in op.operands):
        raise Unsupported
    _elementwise(s, op, s.common(*op.operands))


def _of_one(s: Selection, op: Op) -> None:
    (x,) = op.operands
    number = s.numbers.get(x)
    if number is not None:
        number = op.params["dtype"].type(number) if op.primitive is convert_p else -number
    _elementwise(s, op, s.where[x], number)


def _unequal(s: Selection, op: Op) -> None:
    x, y = op.operands
    if x not in s.where or not s.is_zero(y):
        raise Unsupported
    _elementwise(s, op, s.where[x])


def _selection(s: Selection, op: Op) -> None:
    mask, x, y = op.operands
    if not (y in s.where or s.is_zero(y)):
        raise Unsupported
    if not (x in s.where or s.is_zero(x) or mask in s.where):
        raise Unsupported
    where = s.common(*op.operands)

    def emit(e: Elements) -> Value:
        aval = y.aval.with_shape(where.shape(y.shape))
        parts = [zeros(aval) if s.is_zero(v) else e.at(v, where) for v in (x, y)]
        return select(e.at(mask, where), *parts)

    s.found(op, where, emit)


# ----- Shapes


def _broadcast(s: Selection, op: Op) -> None:
    (x,), dims, shape = op.operands, op.params["dims"], op.params["shape"]
    where = s.where[x].through(moved_axes(op) or {})
    emit = functools.partial(broadcast, shape=where.shape(shape), dims=dims)
    s.found(op, where, lambda e: emit(e.of[x]), s.numbers.get(x))


# ----- Sums


def _reduction(s: Selection, op: Op) -> None:
    (x,), axes = op.operands, op.params["axes"]
    old = s.where[x]
    if op.primitive is reduce_or and x.dtype.kind != "b":
        raise Unsupported
    if old.axis in axes:  # a sum of one element: no selected value any more
        number = s.numbers.get(x) if axes == (old.axis,) else None
        s.found(op, None, lambda e: emit1(op.primitive, e.of[x], axes=axes), number)
    elif set(axes) == set(old.along):
        length = x.shape[old.axis]
        s.found(op, None, lambda e: _at_their_index(e.of[x], old, length, e.index))
    else:
        raise Unsupported


def _at_their_index(x: Value, where: Where, length: int, index: Value) -> Value:
    """`x` added up along the axes of the index, each element at its place along an axis."""
    if x.dtype.kind == "b":
        counts = convert(x, dtype=np.dtype(np.int64))
        return ne(_at_their_index(counts, where, length, index), 0)
    rest = [i for i in range(x.aval.ndim) if i not in (*where.along, where.axis)]
    updates = transpose(x, permutation=(*where.along, where.axis, *rest))
    updates = without_axis(updates, len(where.along))  # an element or a row for each index
    indices = reshape(index, shape=(*index.shape, 1))
    dims = index_dims(range(len(where.along), updates.aval.ndim), (0,), (0,))
    rows = constant(0, x.dtype, (length, *(x.shape[i] for i in rest)))
    rows = scatter_add(rows, indices, updates, dims=dims, mode="clip")
    at = sum(i < where.axis for i in rest)
    return transpose(rows, permutation=(*range(1, at + 1), 0, *range(at + 1, rows.aval.ndim)))


def _dot(s: Selection, op: Op) -> None:
    x, y = op.operands
    contract, batch = op.params["contract"], op.params["batch"]
    if (x in s.where) == (y in s.where) or batch[0]:
        raise Unsupported
    i = 0 if x in s.where else 1
    mask, other = op.operands[i], op.operands[1 - i]
    old, paired = s.where[mask], dict(zip(contract[i], contract[1 - i]))
    s.finite.append(other)
    if old.axis in contract[i]:
        _dot_along_index(s, op, mask, other, paired)
        return
    if set(old.along) != set(contract[i]):
        raise Unsupported
    rows = len(old.along)
    free = free_axes(mask.aval.ndim, contract[i], ())
    kept = free_axes(other.aval.ndim, contract[1 - i], ())
    where = Where(rows + free.index(old.axis), tuple(range(rows)))

    def emit(e: Elements) -> Value:
        x = transpose(e.of[mask], permutation=(*old.along, *free))
        y = e.taken.env.get(other, other)
        y = transpose(y, permutation=(*(paired[axis] for axis in old.along), *kept))
        shape = (*x.shape, *y.shape[rows:])
        x = broadcast(x, shape=shape, dims=tuple(range(x.aval.ndim)))
        dims = (*range(rows), *range(rows + len(free), len(shape)))
        total = mul(x, broadcast(y, shape=shape, dims=dims))
        total = _at_their_index(total, where, mask.shape[old.axis], e.index)
        first = range(len(free), len(free) + len(kept)) if i else ()
        rest = [axis for axis in range(total.aval.ndim) if axis not in first]
        return transpose(total, permutation=(*first, *rest))

    s.found(op, None, emit)


def _dot_along_index(
    s: Selection, op: Op, mask: Value, other: Value, paired: Mapping[int, int]
) -> None:
    """A product summed along the axis takes rows of the other factor, one for each element."""
    old = s.where[mask]
    if mask.aval.ndim != 2 or len(paired) != 1 or len(old.along) != 1:
        raise Unsupported
    at = paired[old.axis]
    free = [axis for axis in range(other.aval.ndim) if axis != at]

    def emit(e: Elements) -> Value:
        rows = take(e.taken.env.get(other, other), e.index, axis=at)
        rows = transpose(rows, permutation=(at, *free))
        elements = reshape(e.of[mask], shape=rows.shape[:1])
        total = mul(rows, broadcast(elements, shape=rows.shape, dims=(0,)))
        last = op.operands[1] is mask
        return transpose(total, permutation=(*range(1, total.aval.ndim), 0)) if last else total

    s.found(op, None, emit)


RULES: dict[Any, Callable[[Selection, Op], None]] = {
    mul: _product,
    add: _sum,
    sub: _sum,
    neg: _of_one,
    and_: _conjunction,
    convert_p: _of_one,
    ne: _unequal,
    select: _selection,
    broadcast: _broadcast,
    reduce_sum: _reduction,
    reduce_or: _reduction,
    dot_general: _dot,
}
