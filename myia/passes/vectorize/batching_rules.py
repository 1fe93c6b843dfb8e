"""What an op computes for many trips at once: a rule for each primitive that can.

The *batch* of a value that varies from trip to trip is an array with one more axis, the first,
along which the trips lie. What does not vary is shared, and repeated where a rule needs that:

    %y = reduce_sum %x {axes=(0,)}          ->      %y = reduce_sum %x {axes=(1,)}
    %z = dot_general %y, %m (m is shared)   ->      %z = dot_general %y, %m, the trips a free axis
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.avals import I64
from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.primitives.arrays import cumulative, reductions, shaping, sorting
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, transpose
from myia.primitives.core.define import PointwisePrimitive, constant
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import mul

# The operands, which of them are shared by the trips, and how many trips there are.
Rule = Callable[[Op, Sequence[Value], Sequence[bool], int], Value]


def batch(op: Op, operands: Sequence[Value], shared: Sequence[bool], trips: int) -> Value:
    """Emit `op` for all trips, of which some operand varies; `can_batch(op)` holds."""
    return _rule(op)(op, operands, shared, trips)


def can_batch(op: Op, varying: set[Value]) -> bool:
    """Is there a rule for `op`, of which some operand varies?"""
    if _rule(op) is None:
        return False
    return varying.isdisjoint(op.operands[_RUN_TIME_PLACES.get(op.primitive, len(op.operands)) :])


def repeated(x: Value, trips: int) -> Value:
    """What is the same in all trips, in each of them."""
    return broadcast(x, shape=(trips, *x.shape), dims=tuple(range(1, len(x.shape) + 1)))


def _rule(op: Op) -> Rule | None:
    return _pointwise if isinstance(op.primitive, PointwisePrimitive) else _RULES.get(op.primitive)


def _in_all(operands: Sequence[Value], shared: Sequence[bool], trips: int) -> list[Value]:
    return [repeated(x, trips) if same else x for x, same in zip(operands, shared)]


def _pointwise(op, operands, shared, trips):
    return emit1(op.primitive, *_in_all(operands, shared, trips), **op.params)


# ----- Rules: parameters that name axes, or have an entry for each


def _with_axes(**change: Callable) -> Rule:
    """The op itself, of batches, each of the named parameters changed by a function of its value
    and the number of trips."""

    def rule(op, operands, shared, trips):
        params = {name: change[name](x, trips) if name in change else x
                  for name, x in op.params.items()}  # fmt: skip
        return emit1(op.primitive, *_in_all(operands, shared, trips), **params)

    return rule


def _later(axes, trips: int) -> tuple[int, ...]:
    return tuple(axis + 1 for axis in axes)


def _after(first: int) -> Callable:
    return lambda entries, trips: (first, *entries)


def _shape(shape, trips: int) -> tuple[int, ...]:
    return (trips, *shape)


_next = _with_axes(axis=lambda axis, trips: axis + 1)
_axes = _with_axes(axes=_later)


def _broadcast(op, operands, shared, trips):
    dims = (0, *_later(op.params["dims"], trips))
    return broadcast(operands[0], shape=(trips, *op.params["shape"]), dims=dims)


def _transpose(op, operands, shared, trips):
    return transpose(operands[0], permutation=(0, *_later(op.params["permutation"], trips)))


def _pad(op, operands, shared, trips):
    x, value = operands
    params = {name: (0, *entries) for name, entries in op.params.items()}
    return shaping.pad(repeated(x, trips) if shared[0] else x, value, **params)


def _read(op, operands, shared, trips):
    """A window of what a trip has, at the same place in all trips."""
    x, *place = operands
    start = constant(0, I64.dtype)
    return dynamic_slice(x, start, *place, sizes=(trips, *op.params["sizes"]))


def _store(op, operands, shared, trips):
    array, update = _in_all(operands[:2], shared[:2], trips)
    return dynamic_update_slice(array, update, constant(0, I64.dtype), *operands[2:])


def _dot(op, operands, shared, trips):
    """The trips are a batch axis of the product, or a free axis, if one operand is shared."""
    (x, y), (x_shared, y_shared) = operands, shared
    contract, batched = op.params["contract"], op.params["batch"]
    if not (contract[0] or batched[0]):
        return _outer(*_in_all(operands, shared, trips))
    if batched[0] and any(shared):
        (x, y), x_shared, y_shared = _in_all(operands, shared, trips), False, False
    params = {
        "contract": _moved(contract, x_shared, y_shared),
        "batch": _moved(batched, x_shared, y_shared),
    }
    if not (x_shared or y_shared):
        params["batch"] = tuple((0, *axes) for axes in params["batch"])
    product = dot_general(x, y, **params)
    if not x_shared:
        return product
    free = len(x.shape) - len(contract[0])  # the axes of `x`, before that of the trips
    axes = range(len(product.shape))
    return transpose(product, permutation=(free, *(axis for axis in axes if axis != free)))


def _outer(x: Value, y: Value) -> Value:
    """All products of what a trip has in `x` and in `y`, which need not wait for a sum."""
    shape, n = (*x.shape, *y.shape[1:]), len(x.shape)
    rows = broadcast(x, shape=shape, dims=tuple(range(n)))
    return mul(rows, broadcast(y, shape=shape, dims=(0, *range(n, len(shape)))))


def _moved(pairs, x_shared: bool, y_shared: bool):
    xs, ys = pairs
    return (xs if x_shared else _later(xs, 0), ys if y_shared else _later(ys, 0))


_RULES: dict = {
    **dict.fromkeys(
        (
            shaping.reduce_sum,
            reductions.reduce_max,
            reductions.reduce_min,
            reductions.reduce_prod,
            reductions.reduce_and,
            reductions.reduce_or,
            shaping.flip,
        ),
        _axes,
    ),
    **dict.fromkeys(
        (
            shaping.concatenate,
            cumulative.cumsum,
            cumulative.cumprod,
            cumulative.cumlogsumexp,
            sorting.cummax,
            sorting.cummin,
            reductions.argmax,
            reductions.argmin,
        ),
        _next,
    ),
    shaping.reshape: _with_axes(shape=_shape),
    shaping.slice: _with_axes(start=_after(0), limit=_shape, stride=_after(1)),
    shaping.broadcast: _broadcast,
    shaping.transpose: _transpose,
    shaping.pad: _pad,
    dot_general: _dot,
    dynamic_slice: _read,
    dynamic_update_slice: _store,
}

# From this operand on: what must be the same in all trips.
_RUN_TIME_PLACES = {dynamic_slice: 1, dynamic_update_slice: 2, shaping.pad: 1}
