"""Products with run-time slices of an array, in loops: no iteration makes a masked copy of it.

    %1 = select %mask, %a, %column            %1 = dot_general %x, %a
    %2 = dot_general %x, %1             ->    %3 = dot_general %x, %c   (a column of %column)
                                              %2 = select %mask', %1, broadcast %3

The mask selects along an axis that the product keeps, and %column is the same along it. So the
elements of the product are selected in the same way, and each of them is made of the same numbers.

    %1 = select %mask, %a, %column            %1 = dot_general %a, %2
    %2 = select %mask', %y, 0.0               %3 = reduce_and (is_finite %1)
    %4 = dot_general %1, %2             ->    %4 = if %3 { yield %1 } else { the product as it is }

The mask selects along an axis that is summed, and the other factor is zero where it is false. What
is left out counts if it is infinite or NaN: then so is the sum. Thus a sum that is finite is right.

Runs after derivatives are taken: the first form has another derivative where what is left out is
infinite or NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.builder import append
from myia.ir.core import Function, Op, Value, walk
from myia.ir.rewrite import Env, clone_op
from myia.passes.canonicalize.dce import dce
from myia.primitives.arrays.reductions import reduce_and
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import if_
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general, free_axes
from myia.primitives.pointwise.logic import select
from myia.primitives.pointwise.transcendental import is_finite
from myia.rewriting.walk import Walk, rewrite

# Of the array: a small copy costs less than another product, or than a branch.
MIN_ELEMENTS, MIN_SUMMED_ELEMENTS = 1024, 8192


def masked_products(function: Function) -> Function:
    """`function` with products of arrays that are not masked, in loops but not in branches."""
    loops = [op for op in walk(function.region) if op.primitive is loop_p]
    in_loops = {y for loop in loops for op in Loop.of(loop).body.ops for y in op.results}

    def rule(op: Op, at: Walk) -> Sequence[Value] | None:
        if op.primitive is not dot_general or not in_loops.issuperset(op.results):
            return None
        if op.params["batch"][0]:
            return None
        found = (
            _sum(op, i, at) or _selection(op, i, at)
            for i, x in enumerate(op.operands)
            if x.aval.size >= MIN_ELEMENTS
        )
        return next(filter(None, found), None)

    changed = rewrite(function, rule) if loops else function
    return changed if changed is function else dce(changed)


def _mask(x: Value, axis: int, at: Walk) -> Value | None:
    """The mask along `axis` by which `x` is selected."""
    op = at.definition(x)
    if op is None or op.primitive is not select:
        return None
    mask = at.definition(op.operands[0])
    if mask is not None and mask.primitive is broadcast and mask.params["dims"] == (axis,):
        return mask.operands[0] if mask.operands[0].shape == (x.shape[axis],) else None
    return op.operands[0] if x.aval.ndim == 1 else None


def _sum(op: Op, i: int, at: Walk) -> Sequence[Value] | None:
    """The product with an axis that is summed, if the sum is finite without the mask."""
    x, other = op.operands[i], op.operands[1 - i]
    pairs = zip(op.params["contract"][i], op.params["contract"][1 - i])
    masks = ((_mask(x, axis, at), _mask(other, opposite, at)) for axis, opposite in pairs)
    if x.aval.size < MIN_SUMMED_ELEMENTS or x.dtype.kind != "f":
        return None
    if not any(m is not None and m is n for m, n in masks):
        return None
    if at.constant_value(at.definitions[other].operands[2]) != 0:
        return None
    total = _product(op, i, at.definitions[x].operands[1])
    finite = reduce_and(is_finite(total), axes=tuple(range(total.aval.ndim)))
    return if_(finite, lambda: [total], lambda: [_product(op, i, _copy(x, at))])


def _selection(op: Op, i: int, at: Walk) -> Sequence[Value] | None:
    """A selection of products, along an axis that is kept."""
    x, (y,), contract = op.operands[i], op.results, op.params["contract"]
    free = [free_axes(a.aval.ndim, axes, ()) for a, axes in zip(op.operands, contract)]
    for axis in free[i]:
        mask = _mask(x, axis, at)
        column = None if mask is None else _column(at.definitions[x].operands[2], axis, at)
        if mask is None or column is None:
            continue
        place = free[i].index(axis) + (len(free[0]) if i == 1 else 0)
        selected = broadcast(mask, shape=y.shape, dims=(place,))
        product = _product(op, i, at.definitions[x].operands[1])
        once = _product(op, i, column, tuple(j - (j > axis) for j in contract[i]))
        others = tuple(j for j in range(y.aval.ndim) if j != place)
        return [select(selected, product, broadcast(once, shape=y.shape, dims=others))]
    return None


def _column(x: Value, axis: int, at: Walk) -> Value | None:
    """`x` at any index along `axis`, if it is the same at all of them."""
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    number, op = at.constant_value(x), at.definition(x)
    if number is not None:
        return constant(number, x.dtype, shape)
    if op is None or op.primitive is not broadcast:
        return None
    (y,), dims = op.operands, op.params["dims"]
    kept = [i for i, d in enumerate(dims) if d != axis]
    if any(n != 1 for i, n in enumerate(y.shape) if i not in kept):
        return None
    y = reshape(y, shape=tuple(y.shape[i] for i in kept))
    return broadcast(y, shape=shape, dims=tuple(dims[i] - (dims[i] > axis) for i in kept))


def _copy(x: Value, at: Walk) -> Value:
    """`x` once more, with the broadcasts that it is computed from: nothing is stored for it."""
    op, env = at.definitions[x], Env()
    for each in (*map(at.definition, op.operands), op):
        if each is op or (each is not None and each.primitive is broadcast):
            append(clone_op(each, env))
    return env[x]


def _product(op: Op, i: int, x: Value, axes: tuple[int, ...] | None = None) -> Value:
    """The product with `x`, summed along `axes`, as its operand `i`."""
    operands, contract = list(op.operands), list(op.params["contract"])
    operands[i] = x
    contract[i] = contract[i] if axes is None else axes
    return dot_general(*operands, contract=tuple(contract), batch=((), ()))
