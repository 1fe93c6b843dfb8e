"""Loops over rows make all their trips at once, if these do not wait for one another.

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

Where the rows of all trips are larger than what the caches hold, strips of them are made at once.
After derivatives: `independent.py` says which loops, `batching.py` how ops are done for many trips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.accumulations import Accumulation, Moves, Total
from myia.passes.batching import batch, can_batch, repeated
from myia.passes.independent import Trips, independent, on_elements
from myia.passes.places import STORES, place_of, sizes_of
from myia.passes.ranges import Ranges
from myia.passes.uses import varying_in
from myia.passes.walk import Walk, rewrite
from myia.primitives.arithmetic import add, mul, sub
from myia.primitives.define import constant
from myia.primitives.linalg import dot_general
from myia.primitives.shaping import flip, iota, reduce_sum, reshape, transpose
from myia.primitives.structured import Loop, loop_p
from myia.primitives.windows import dynamic_slice, dynamic_update_slice

MAX_ELEMENTS = 1 << 17  # of an array that is computed at once: 1 MB
MIN_TRIPS = 4
MAX_GROWTH = 2  # of what a trip computes over the rows that it accesses


def at_once(function: Function, elements: int = MAX_ELEMENTS) -> Function:
    """`function` with loops of independent trips over rows as operations of whole arrays, of which
    none that is computed has more than so many elements.

    Of nested loops the inner ones only: the others when the indices of these have been tidied.
    """
    ranges = Ranges(function.region)
    return rewrite(function, lambda op, walk: _whole(op, walk, ranges, elements))


def _whole(op: Op, walk: Walk, ranges: Ranges, elements: int) -> Sequence[Value] | None:
    if op.primitive is not loop_p:
        return None
    loop = Loop.of(op)
    count = None if loop.count is None else walk.number(loop.count)
    if count is None or all(map(on_elements, loop.body.ops)):
        return None
    width = min(count, elements // _largest(loop.body))
    trips = _trips(loop, ranges, width) if width >= MIN_TRIPS else None
    if trips is None or not _is_of_rows(loop.body, trips):
        return None
    strips, left = divmod(count, width)
    if strips == 1:
        carries = _made(loop, trips, _number(0), loop.carries, width)
    else:
        carries = _in_strips(op, trips, strips, width)
    return _made(loop, trips, _number(count - left), carries, left) if left else carries


def _trips(loop: Loop, ranges: Ranges, width: int) -> Trips | None:
    """What is known of the trips, if `width` of them can be made at once."""
    varying = varying_in(loop.body)

    def in_trip(op: Op) -> bool:
        shared = varying.isdisjoint(op.operands) and not op.primitive.effect
        return not op.regions and (shared or can_batch(op, varying))

    trips = independent(loop, ranges, width, in_trip, of_arrays=lambda op: True)
    return trips if trips is not None and _any_order(trips) else None


def _largest(body: Region) -> int:
    """The most elements that a trip computes in one array."""
    return max((y.aval.size for op in _computing(body) for y in op.results), default=1) or 1


def _is_of_rows(body: Region, trips: Trips) -> bool:
    """Are the arrays that a trip computes hardly larger than the rows that it reads and stores?

    If not, those of all trips would be larger than the arrays of the program.
    """
    row = max(math.prod(sizes_of(op)) for op, moves in trips.moves.items() if moves is not None)
    summed = {x for found in trips.totals.values() for t in found for x in t.op.operands}
    return all(
        y.aval.size <= MAX_GROWTH * row
        for op in _computing(body)
        if op not in trips.summing
        for y in op.results
        if y in trips.varying and y not in summed
    )


def _computing(body: Region) -> list[Op]:
    """The ops that make arrays of a trip's own; stores only change those of all trips."""
    return [op for op in body.ops if op.primitive not in STORES]


def _any_order(trips: Trips) -> bool:
    """Are only sums made whose order nobody wrote?"""
    totals = [total for found in trips.totals.values() for total in found]
    return not trips.previous and all(total.is_free for total in totals)


def _number(n: int) -> Value:
    return constant(n, I64.dtype)


def _in_strips(op: Op, trips: Trips, strips: int, width: int) -> tuple[Value, ...]:
    """The results of a loop like `op`, of so many strips of `width` trips."""
    loop = Loop.of(op)
    strip, *args = (Value(x.aval, x.name) for x in loop.body.args)
    with Builder() as b:
        base = mul(strip, _number(width))
        yields = _made(loop, trips, base, args, width)
    body = Region((strip, *args), tuple(b.ops), tuple(yields))
    params = {**op.params, "bound": strips}
    results = tuple(Value(x.aval, x.name) for x in op.results)
    append(Op(loop_p, (_number(strips), *loop.carries), params, (body,), results, op.span))
    return results


def _made(
    loop: Loop, trips: Trips, base: Value, carries: Sequence[Value], width: int
) -> tuple[Value, ...]:
    """Emit `width` trips from `base` on; what the carries are then."""
    if width == 1:
        return inline(loop.body, (base, *carries))
    rows = _Rows(loop.body, trips, base, carries, width)
    for op in loop.body.ops:
        with at(op.span):
            rows.emit(op)
    return tuple(rows.yielded(y, x) for x, y in zip(loop.body.args[1:], loop.body.yields))


def _contraction(total: Op, product: Op) -> Op:
    """`reduce_sum(mul(x, y))` as a product of `x` and `y` that contracts what is summed."""
    axes = total.params["axes"]
    kept = tuple(i for i in range(len(product.results[0].shape)) if i not in axes)
    params = {"contract": (axes, axes), "batch": (kept, kept)}
    return Op(dot_general, product.operands, params, (), total.results, total.span)


class _Rows:
    """Values of many trips, one after the other along a new first axis, in the order in which most
    of what they access lies in memory: the first may be that of the last trip."""

    def __init__(self, body: Region, trips: Trips, base: Value, carries, width: int):
        self.trips, self.width = trips, width
        self.definitions = {y: op for op in body.ops for y in op.results}
        self.carried = dict(zip(body.args[1:], carries))
        self.batches: Env = {}
        self.first: Env = dict(self.carried)  # in the first row: indices, arrays, what is shared
        self._count(body.args[0], base)

    def _count(self, k: Value, base: Value) -> None:
        forwards, last = self.trips.direction > 0, _number(self.width - 1)
        self.first[k] = base if forwards else add(base, last)
        steps = iota(shape=(self.width,), axis=0, dtype=I64.dtype)
        start = repeated(self.first[k], self.width)
        self.batches[k] = add(start, steps) if forwards else sub(start, steps)

    def emit(self, op: Op) -> None:
        """Emit `op`, unless it is a sum over trips."""
        if op in self.trips.summing:
            return
        moves = self.trips.moves.get(op)
        if moves is None:
            self._compute(op)
        elif op.primitive is dynamic_slice:
            self.batches[op.results[0]] = self._window(self._array(op.operands[0]), op, moves)
        else:
            array, update = self.first[op.operands[0]], self._of(op.operands[1])
            self.first[op.results[0]] = self._stored(array, update, op, moves)

    def _compute(self, op: Op) -> None:
        shared = [x not in self.batches for x in op.operands]
        if all(shared):
            append(clone_op(op, self.first))
            return
        if self._is_of_products(op):
            op = _contraction(op, self.definitions[op.operands[0]])
            shared = [x not in self.batches for x in op.operands]
        (y,) = op.results
        operands = [self.batches.get(x) or self.first.get(x, x) for x in op.operands]
        self.batches[y] = batch(op, operands, shared, self.width)
        if y.aval == I64 and all(x in self.first for x in op.operands if x in self.batches):
            append(clone_op(op, self.first))

    def _is_of_products(self, op: Op) -> bool:
        """Is it a sum of products, of which one factor is the same in all trips?"""
        product = self.definitions.get(op.operands[0]) if op.primitive is reduce_sum else None
        if product is None or product.primitive is not mul:
            return False
        return sum(x in self.batches for x in product.operands) == 1

    def _of(self, x: Value) -> Value:
        """`x` in all trips."""
        return self.batches.get(x) or repeated(self.first.get(x, x), self.width)

    # ----- Windows

    def _array(self, x: Value) -> Value:
        """What is read of an array that trips add to is what it was before all of them."""
        while x not in self.first and x in self.definitions:
            x = self.definitions[x].operands[0]
        return self.first.get(x, x)

    def _window(self, array: Value, op: Op, moves: Moves) -> Value:
        """What all trips read of `array` where `op` reads or stores."""
        sizes = sizes_of(op)
        window = dynamic_slice(array, *self._place(op, moves), sizes=self._along(moves, sizes))
        axes = (moves.axis, *(axis for axis in range(len(sizes)) if axis != moves.axis))
        rows = reshape(transpose(window, permutation=axes), shape=(self.width, *sizes))
        return self._turned(rows, moves)

    def _stored(self, array: Value, rows: Value, op: Op, moves: Moves) -> Value:
        sizes = sizes_of(op)
        first = (self.width, *(n for axis, n in enumerate(sizes) if axis != moves.axis))
        window = reshape(self._turned(rows, moves), shape=first)
        axes = (*range(1, moves.axis + 1), 0, *range(moves.axis + 1, len(sizes)))
        stored = dynamic_update_slice(
            array, transpose(window, permutation=axes), *self._place(op, moves)
        )
        stored.name = op.results[0].name
        return stored

    def _place(self, op: Op, moves: Moves) -> list[Value]:
        """Where the window of all trips begins."""
        place = [self.first.get(x, x) for x in place_of(op)]
        if not self._is_in_order(moves):
            place[moves.axis] = sub(place[moves.axis], _number(self.width - 1))
        return place

    def _along(self, moves: Moves, sizes: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.width if i == moves.axis else n for i, n in enumerate(sizes))

    def _is_in_order(self, moves: Moves) -> bool:
        return moves.step == self.trips.direction

    def _turned(self, x: Value, moves: Moves) -> Value:
        return x if self._is_in_order(moves) else flip(x, axes=(0,))

    # ----- What the trips yield

    def yielded(self, y: Value, arg: Value) -> Value:
        """What `y`, to which trips turn the carry `arg`, is after all of them."""
        if y in self.trips.totals:
            return self._total(self.trips.totals[y], self.carried[arg])
        if y in self.trips.accumulations:
            return self._accumulated(self.trips.accumulations[y], self.carried[arg])
        return self.first[y]

    def _total(self, totals: Sequence[Total], carry: Value) -> Value:
        """The sum, of what the trips add together first."""
        for total in totals:
            with at(total.op.span):
                found = self._sum(total.op.operands[total.term])
                carry = add(carry, reshape(found, shape=carry.shape), reassoc=True)
        return carry

    def _sum(self, x: Value) -> Value:
        """The sum of `x` over the trips: of products, a product that contracts them."""
        op = self.definitions.get(x)
        product = op is not None and op.primitive is dot_general
        if product and all(factor in self.batches for factor in op.operands):
            return self._product(op)
        return reduce_sum(self._of(x), axes=(0,))

    def _product(self, op: Op) -> Value:
        axes = {name: tuple(tuple(i + 1 for i in xs) for xs in op.params[name])
                for name in ("contract", "batch")}  # fmt: skip
        axes["contract"] = tuple((0, *xs) for xs in axes["contract"])
        return dot_general(*(self.batches[x] for x in op.operands), **axes)

    def _accumulated(self, accumulations: Sequence[Accumulation], array: Value) -> Value:
        """The array, with all that the trips add to it."""
        for accumulation in accumulations:
            store = accumulation.store
            moves = self.trips.moves[store]
            with at(store.span):
                window = self._window(array, store, moves)
                for total in accumulation.totals:
                    term = reshape(self._of(total.op.operands[total.term]), shape=window.shape)
                    operands = (window, term) if total.term else (term, window)
                    window = emit1(total.op.primitive, *operands, **total.op.params)
                array = self._stored(array, window, store, moves)
        return array
