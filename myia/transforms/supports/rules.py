"""How an op moves supports: from its results to its operands (cotangents), and back (tangents).

    %y = select %m, %a, %b          support of %a_ct = and %m, support of %y_ct
    %y = reshape %x                 support of %x_ct = reshape, support of %y_ct

A pointwise op leaves them where they are. A linear op that rearranges moves booleans as it moves
numbers. Of other ops whose derivative only moves and adds elements, the derivative of an indicator
(1 in the support, 0 elsewhere) is not zero in the support. No rule: everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.avals import BOOL
from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.ir.primitive import Linear, linear_operands, transposed
from myia.primitives.arrays.cumulative import cumsum
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import gather, scatter_add
from myia.primitives.arrays.reductions import reduce_max, reduce_min, reduce_or
from myia.primitives.arrays.scattering import scatter
from myia.primitives.arrays.shaping import (
    broadcast,
    concatenate,
    expand,
    flip,
    pad,
    reduce_sum,
    reshape,
    slice,
    transpose,
)
from myia.primitives.arrays.sorting import cummax, cummin, sort_p, top_k_p
from myia.primitives.core.define import PointwisePrimitive
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import max, min
from myia.primitives.pointwise.logic import and_, convert, ge, le, ne, not_, or_, select
from myia.transforms.supports.slices import Integers, Stores, Support, as_array, slice_of, union
from myia.transforms.supports.tracked import EXTREMA, Tracked, nowhere

Pullback = Callable[[Op, Sequence[Value | None], set[Value]], dict[Value, Value | None]]

# Linear ops that rearrange: of booleans, too.
REARRANGE = {
    concatenate,
    dynamic_slice,
    dynamic_update_slice,
    flip,
    pad,
    reshape,
    slice,
    transpose,
}
# Ops whose derivative only moves and adds elements.
MOVE_AND_ADD = {
    cummax,
    cummin,
    cumsum,
    dynamic_update_add,
    gather,
    reduce_max,
    reduce_min,
    scatter,
    scatter_add,
    sort_p,
    top_k_p,
}
# Of these, those at indices in an array: their supports are arrays of its size.
AS_LONG_AS_ARRAYS = {gather, scatter, scatter_add}
# Of these, and of `select`, a cotangent that is nowhere zero may have operands with zeros.
LEAVE_OUT = {
    cummax,
    cummin,
    dynamic_slice,
    dynamic_update_slice,
    gather,
    max,
    min,
    pad,
    reduce_max,
    reduce_min,
    scatter,
    select,
    slice,
    top_k_p,
}
# The first operand is the result, or equal to it.
WINS = {max: ge, min: le}


def _indicator(support: Support, y: Value) -> Value:
    return convert(as_array(support, y.aval), dtype=y.dtype)


def moves_by_position(op: Op, tracked: Tracked) -> bool:
    """Whether what `op` leaves out, if anything, depends on run-time positions only."""
    if op.primitive in (select, dynamic_slice, dynamic_update_slice):
        return stores_by_position(op, tracked)
    return op.primitive is pad or op.primitive not in LEAVE_OUT  # padding is not a user's


def parts_of_results(op: Op) -> set[Value]:
    """The operands whose cotangent has the support of the result or a part of it."""
    if op.primitive is select:
        return set(op.operands[1:])
    return {op.operands[0]} if op.primitive in (dynamic_update_slice, scatter) else set()


def stores_by_position(op: Op, tracked: Tracked) -> bool:
    """Whether `op` selects, loads or stores at run-time positions."""
    if op.primitive is select:
        return op.operands[0] in tracked.positions
    return op.primitive in (dynamic_slice, dynamic_update_slice) and not (
        slice_of(op, tracked.integers).is_constant
    )


def selects_by_data(op: Op, tracked: Tracked) -> bool:
    """Whether what `op` leaves out depends on numbers: on more than constants and positions."""
    if op.primitive is select:
        return op.operands[0] not in tracked.positions
    return op.primitive in LEAVE_OUT and op.primitive not in (
        *(dynamic_slice, dynamic_update_slice, pad, slice),
    )


# ----- Cotangents


def supports_of_operands(
    op: Op,
    cts: Sequence[Value | None],
    supports: Sequence[Support],
    wanted: set[Value],
    pull_back: Pullback,
    integers: Integers,
) -> dict[Value, Support]:
    """The supports of what `op` gives to the cotangents of its operands `wanted`.

    `cts` are the cotangents of its results, with their `supports`. `pull_back(op, cts, wanted)`
    emits what `op` gives.
    """
    if all(s is None for s in supports) and op.primitive not in LEAVE_OUT:
        return {x: None for x in op.operands if x in wanted}
    if op.primitive in MOVE_AND_ADD:
        indicators = [
            None if ct is None else _indicator(s, y) for ct, s, y in zip(cts, supports, op.results)
        ]
        given = pull_back(op, indicators, wanted)
        moved = {x: nowhere(x) if t is None else ne(t, 0) for x, t in given.items()}
        return _within_rows(op, supports, moved) if op.primitive in EXTREMA else moved
    found: dict[Value, Support] = {}
    for i, x in enumerate(op.operands):
        if x in wanted:
            support = _of_operand(op, i, supports[0], integers)
            found[x] = union(found[x], support) if x in found else support
    return found


def _within_rows(
    op: Op, supports: Sequence[Support], moved: dict[Value, Support]
) -> dict[Value, Support]:
    """Of an extremum. One that is NaN gives NaN to all elements, also for an indicator of 0."""
    (x,), (support,), (y,) = op.operands, supports, op.results
    if support is None or x not in moved:
        return moved
    return {x: _both(moved[x], expand(as_array(support, y.aval), x.aval, op.params["axes"]))}


def _of_operand(op: Op, i: int, support: Support, integers: Integers) -> Support:
    p, x = op.primitive, op.operands[i]
    if p in (slice, dynamic_slice):
        return Stores(x.aval).store(slice_of(op, integers), support)
    if p is dynamic_update_slice and (support is None or isinstance(support, Stores)):
        stores = Stores(op.results[0].aval, everywhere=True) if support is None else support
        part = slice_of(op, integers)
        return stores.store(part, nowhere(op.operands[1])) if i == 0 else stores.load(part)
    if isinstance(support, Stores) and not isinstance(p, PointwisePrimitive):
        support = support.as_array()
    if p in REARRANGE:
        return _transposed(op, i, as_array(support, op.results[0].aval))
    if p in WINS:
        return _both(support, WINS[p](x, op.operands[1 - i]))
    if p is select:
        return _both(support, op.operands[0] if i == 1 else not_(op.operands[0]))
    if isinstance(p, PointwisePrimitive) or support is None:
        return support
    if p is reduce_sum:
        return expand(as_array(support, op.results[0].aval), x.aval, op.params["axes"])
    if p is broadcast:
        return _of_broadcast(op, as_array(support, op.results[0].aval))
    known = as_array(support, op.results[0].aval)
    return _of_factor(op, i, known) if p is dot_general else None


def _both(support: Support, condition: Value) -> Value:
    return condition if support is None else and_(as_array(support, condition.aval), condition)


def _transposed(op: Op, i: int, support: Value) -> Value:
    """The transpose of `op`, of booleans: it reads of its operands their avals only."""
    found: Value = transposed(_linear(op), i)(support, *_as_booleans(op), **op.params)
    return found


def _linear(op: Op) -> Linear:
    assert isinstance(op.primitive.derivative, Linear)
    return op.primitive.derivative


def _as_booleans(op: Op) -> list[Value]:
    linear = _linear_operands(op)
    return [
        Value(x.aval.with_dtype(BOOL.dtype)) if i in linear else x
        for i, x in enumerate(op.operands)
    ]


def _linear_operands(op: Op) -> set[int]:
    return set(linear_operands(_linear(op), op.operands))


def _of_broadcast(op: Op, support: Value) -> Value:
    (x,), shape, dims = op.operands, op.params["shape"], op.params["dims"]
    kept = {d for n, d in zip(x.shape, dims) if n == shape[d]}
    axes = tuple(axis for axis in range(len(shape)) if axis not in kept)
    total = reduce_or(support, axes=axes) if axes else support
    return total if total.shape == x.shape else reshape(total, shape=x.shape)


def _of_factor(op: Op, i: int, support: Value) -> Value:
    """Of a product of matrices: the rows of a factor that reach the support."""
    x = op.operands[i]
    contract, batch = op.params["contract"], op.params["batch"]
    free = [a for a in range(x.aval.ndim) if a not in (*contract[i], *batch[i])]
    others = len(support.shape) - len(batch[i]) - len(free)
    start = len(support.shape) - others if i == 0 else len(batch[i])
    rows = reduce_or(support, axes=tuple(range(start, start + others)))
    axes = (*batch[i], *free)  # of x, in the order in which `rows` has them
    order = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    rows = transpose(rows, permutation=order)
    return broadcast(rows, shape=x.shape, dims=tuple(sorted(axes)))


# ----- Tangents


def supports_of_results(
    op: Op,
    ts: Sequence[Value | None],
    supports: Sequence[Support],
    tangents_of: Callable[[Op, Sequence[Value | None]], Sequence[Value | None]],
    integers: Integers,
) -> list[Support]:
    """The supports of the tangents of the results, from the tangents of the operands.

    `tangents_of(op, ts)` emits the tangents of the results.
    """
    p = op.primitive
    if p in (slice, dynamic_slice, dynamic_update_slice):
        return [_of_slice(op, ts, supports, integers)]
    if p in MOVE_AND_ADD:
        if all(t is not None and s is None for t, s, x in zip(ts, supports, op.operands)
               if x.aval.differentiable):  # fmt: skip
            return [None for _ in op.results]
        given = [
            None if t is None else _indicator(s, x) for t, s, x in zip(ts, supports, op.operands)
        ]
        found = tangents_of(op, given)
        return [None if t is None or callable(t) else ne(t, 0) for t in found]
    return [_of_result(op, ts, supports)] if len(op.results) == 1 else [None for _ in op.results]


def _of_slice(
    op: Op, ts: Sequence[Value | None], supports: Sequence[Support], integers: Integers
) -> Support:
    x, part = op.operands[0], slice_of(op, integers)
    stores = nowhere(x) if ts[0] is None else supports[0]
    stores = Stores(x.aval, everywhere=True) if stores is None else stores
    if not isinstance(stores, Stores):
        return _of_result(op, ts, supports)
    if op.primitive is not dynamic_update_slice:
        return stores.load(part)
    return stores.store(part, nowhere(op.operands[1]) if ts[1] is None else supports[1])


def _of_result(op: Op, ts: Sequence[Value | None], supports: Sequence[Support]) -> Support:
    p = op.primitive
    if p in REARRANGE or p is select:
        linear = _linear_operands(op)
        if all(ts[i] is not None and supports[i] is None for i in linear):
            return None
        return emit1(p, *_arrays(op, ts, supports, linear), **op.params)
    if p in WINS:
        (x, y), (of_x, of_y) = op.operands, _arrays(op, ts, supports, {0, 1})
        if all(t is not None and s is None for t, s in zip(ts, supports)):
            return None
        return or_(and_(WINS[p](x, y), of_x), and_(WINS[p](y, x), of_y))
    given = [s for t, s in zip(ts, supports) if t is not None]
    if any(s is None for s in given):
        return None
    if isinstance(p, PointwisePrimitive):
        total = given[0]
        for support in given[1:]:
            total = union(total, support)
        return total
    if p is reduce_sum:
        return reduce_or(as_array(given[0], op.operands[0].aval), axes=op.params["axes"])
    if p is broadcast:
        return emit1(p, as_array(given[0], op.operands[0].aval), **op.params)
    return None


def _arrays(
    op: Op, ts: Sequence[Value | None], supports: Sequence[Support], linear: set[int]
) -> list[Value]:
    """The operands, with the supports of their tangents for those in which `op` is linear."""
    return [
        as_array(nowhere(x) if ts[i] is None else supports[i], x.aval) if i in linear else x
        for i, x in enumerate(op.operands)
    ]
