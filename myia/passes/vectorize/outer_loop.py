"""Loops over rows, or around recurrences, make all their trips at once, if these do not wait.

    %a, %s = for %k < 60 (%a = %a, %s = %s) {        %1 = dynamic_slice %a, 0, 0 {sizes=(60, 5)}
      %1 = dynamic_slice %a, %k, 0 {sizes=(1, 5)}    %2 = dot_general %1, %m
      %2 = reshape %1 {shape=(5,)}              ->   %a = dynamic_update_slice %a, %2, 0, 0
      %3 = dot_general %2, %m                        %4 = dot_general %1, %2, contracting the trips
      %4 = reshape %3 {shape=(1, 5)}                 %s = add %s, %4 {reassoc=True}
      %a = dynamic_update_slice %a, %4, %k, 0
      %5 = dot_general %2, %3
      %s = add %s, %5 {reassoc=True}
      yield %a, %s
    }

A trip over a short row costs what it takes to start its operations: of many rows at once these are
the operations of whole arrays. Each row is computed from the same numbers as before. Sums of
cotangents have no order that a user wrote: what the trips add is added together first, a sum of
outer products as one product of matrices. A loop that sums in an order of the user's stays.

So do loops around others that go one element after the other, as many recurrences side by side: an
inner loop's trip is one of vectors, and what it sums is summed in its order. Where all inner loops
can go eight elements at a time (`inner_loop.py`), the nest stays.

Where the rows of all trips are larger than what the caches hold, strips of them are made at once.
After derivatives: `loop_dependence.py` and `nest_dependence.py` say which loops, `widen.py` makes
the trips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from myia.ir.avals import I64
from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.analysis.accesses import STORES, slice_sizes
from myia.passes.analysis.def_use import loop_variant_values
from myia.passes.analysis.linear_indices import IndexRanges
from myia.passes.analysis.loop_dependence import LoopSummary, is_scalar_op, summary_if_independent
from myia.passes.vectorize.batching_rules import can_batch
from myia.passes.vectorize.nest_dependence import NestSummary, nest_summary_if_independent
from myia.passes.vectorize.widen import widen_iterations
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant, constant_p, empty_p
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import mul
from myia.rewriting.walk import Walk, rewrite

MAX_VECTOR_ELEMENTS = 1 << 17  # of an array that is computed at once: 1 MB
MAX_NEST_VECTOR_ELEMENTS = 1 << 10  # whose loops are compiled whole
# Trips, where each finds its elements in a line of the cache by itself: the lines of three arrays
# are still in the nearest cache when the next elements are wanted.
MAX_STRIDED_ITERATIONS = 128
MIN_BYTES_PER_CACHE_LINE = 32  # bytes, so many of one that little of it is fetched in vain
MAX_MEMORY_BOUND_OPS = 32  # arrays, so many computed in a trip that it does not wait for memory
MIN_WIDTH = 4
DATA_MOVEMENT = (dynamic_slice, reshape)
MAX_ROW_GROWTH = 2  # of what a trip computes over the rows that it accesses


def vectorize_outer_loops(function: Function, elements: int = MAX_VECTOR_ELEMENTS) -> Function:
    """`function` with loops of independent trips over rows as operations of whole arrays, of which
    none that is computed has more than so many elements.

    Of nested loops the inner ones only: the others when the indices of these have been tidied.
    """
    ranges = IndexRanges(function.region)
    return rewrite(function, lambda op, walk: _whole(op, walk, ranges, elements))


def _whole(op: Op, walk: Walk, ranges: IndexRanges, elements: int) -> Sequence[Value] | None:
    if op.primitive is not loop_p:
        return None
    loop = Loop.of(op)
    count = None if loop.count is None else walk.constant_value(loop.count)
    if count is None or all(map(is_scalar_op, loop.body.ops)):
        return None
    nested = any(each.primitive is loop_p for each in loop.body.ops)
    if nested:
        made = {x for x in loop.carries if _is_filled(walk.definition(x))}
        width, trips = _nest(loop, ranges, elements, made)
    else:
        width, trips = _rows(loop, ranges, elements)
    width = min(count, width)
    if trips is None or width < MIN_WIDTH:
        return None
    strips, left = divmod(count, width)
    if strips == 1:
        carries = widen_iterations(loop, trips, _number(0), loop.carries, width)
    else:
        carries = _in_strips(op, trips, strips, width)
    return widen_iterations(loop, trips, _number(count - left), carries, left) if left else carries


def _is_filled(op: Op | None) -> bool:
    return op is not None and op.primitive in (constant_p, empty_p)


def _nest(
    loop: Loop, ranges: IndexRanges, elements: int, filled: Set[Value]
) -> tuple[int, NestSummary | None]:
    """How many trips can be made at once, if some loop in them goes one element after the other.

    `filled`: carries whose axes `layout.py` may lay out as they are gone along.
    """
    inner = [Loop.of(op) for op in walk(loop.body) if op.primitive is loop_p]
    waiting = any(summary_if_independent(each, ranges, MIN_WIDTH) is None for each in inner)
    trips = nest_summary_if_independent(loop, ranges) if waiting else None
    if trips is None:
        return 0, None
    much = any(len(_computing(each.body)) > MAX_MEMORY_BOUND_OPS for each in inner)
    carried = dict(zip(loop.body.args[1:], loop.carries))
    columns = not much and any(
        _is_column(op, move.axis) and carried.get(trips.arrays.get(op.operands[0])) not in filled
        for op, move in trips.strides.items()
    )
    bodies = [loop.body, *(each.body for each in inner)]
    width = min(elements, MAX_NEST_VECTOR_ELEMENTS) // _largest(bodies, trips.varying)
    return min(width, MAX_STRIDED_ITERATIONS) if columns else width, trips


def _is_column(access: Op, axis: int) -> bool:
    """Are windows that follow one another along the axis in different lines of the cache?"""
    array, sizes, after = access.operands[0], slice_sizes(access), slice(axis + 1, None)
    near = math.prod(sizes[after]) * array.dtype.itemsize >= MIN_BYTES_PER_CACHE_LINE
    return not near and sizes[after] != array.shape[after]


def _rows(loop: Loop, ranges: IndexRanges, elements: int) -> tuple[int, LoopSummary | None]:
    """How many trips can be made at once, if there are no loops in them."""
    varying = loop_variant_values(loop.body)

    def in_trip(op: Op) -> bool:
        shared = varying.isdisjoint(op.operands) and not op.primitive.effect
        return not op.regions and (shared or can_batch(op, varying))

    width = elements // _largest([loop.body], varying)
    trips = summary_if_independent(loop, ranges, width, in_trip, allows_access=lambda op: True)
    known = trips is not None and _any_order(trips) and _is_of_rows(loop.body, trips)
    return width, trips if known else None


def _largest(bodies: Sequence[Region], varying: Set[Value]) -> int:
    """The most elements that a trip computes in one array."""
    results = (y for body in bodies for op in _computing(body) for y in op.results)
    return max((y.aval.size for y in results if y in varying), default=1) or 1


def _is_of_rows(body: Region, trips: LoopSummary) -> bool:
    """Are the arrays that a trip computes hardly larger than the rows that it reads and stores?

    If not, those of all trips would be larger than the arrays of the program.
    """
    row = max(
        math.prod(slice_sizes(op)) for op, moves in trips.strides.items() if moves is not None
    )
    summed = {x for found in trips.reductions.values() for t in found for x in t.op.operands}
    return all(
        y.aval.size <= MAX_ROW_GROWTH * row
        for op in _computing(body)
        if op not in trips.reduction_ops
        for y in op.results
        if y in trips.varying and y not in summed
    )


def _computing(body: Region) -> list[Op]:
    """The ops that make arrays of a trip's own, and not only read or change those of all trips."""
    return [op for op in body.ops if op.primitive not in (*STORES, *DATA_MOVEMENT, loop_p)]


def _any_order(trips: LoopSummary) -> bool:
    """Are only sums made whose order nobody wrote?"""
    totals = [total for found in trips.reductions.values() for total in found]
    return not trips.recurrences and all(total.is_reassociable for total in totals)


def _number(n: int) -> Value:
    return constant(n, I64.dtype)


def _in_strips(
    op: Op, trips: LoopSummary | NestSummary, strips: int, width: int
) -> tuple[Value, ...]:
    """The results of a loop like `op`, of so many strips of `width` trips."""
    loop = Loop.of(op)
    strip, *args = (Value(x.aval, x.name) for x in loop.body.args)
    with Builder() as b:
        base = mul(strip, _number(width))
        yields = widen_iterations(loop, trips, base, args, width)
    body = Region((strip, *args), tuple(b.ops), tuple(yields))
    params = {**op.params, "bound": strips}
    results = tuple(Value(x.aval, x.name) for x in op.results)
    append(Op(loop_p, (_number(strips), *loop.carries), params, (body,), results, op.span))
    return results
