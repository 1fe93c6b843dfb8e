"""Loops over elements make several trips at once, if these do not wait for one another.

    %a, %s = for %k < %n (...) bound 90 {               %m = truncdiv %n, 8
      %1 = dynamic_slice %b, %k {sizes=(1,)}            %a, %s = for %q < %m (...) bound 11 {
      %2 = dynamic_slice %a, %k {sizes=(1,)}              %k = mul %q, 8
      %3 = mul %1, %2                                     %1 = dynamic_slice %b, %k {sizes=(8,)}
      %4 = dynamic_update_slice %a, %3, %k                %2 = dynamic_slice %a, %k {sizes=(8,)}
      %5 = add %s, %3                             ->      %3 = mul %1, %2
      yield %4, %5                                        %4 = dynamic_update_slice %a, %3, %k
    }                                                     %5 = slice %3 {start=(0,), limit=(1,)}
                                                          %6 = add %s, %5      and so on, in the
                                                          yield %4, %20        order of the trips
                                                        }
                                                        the trips that are left, one by one

A trip costs what it takes to keep its carries in memory, to compare its indices with the ends of
the axes, to wait for what it reads of an array that it writes. Of eight elements at once a
processor makes one or two instructions. Each element is computed from the same numbers, and sums
are made in the same order, as before; but for disjunctions, and for sums of cotangents, which have
no order that a user wrote (`reassoc`): what eight trips add is added together first, and waits for
no other trip. After derivatives: `loop_dependence.py` says which loops.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.analysis.accesses import start_indices
from myia.passes.analysis.array_reductions import (
    SHAPE_CHANGES,
    ArrayReduction,
    ReductionStep,
    Stride,
)
from myia.passes.analysis.linear_indices import ONE, IndexRanges
from myia.passes.analysis.loop_dependence import LoopSummary, summary_if_independent
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, concatenate, flip, iota, reshape, slice
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul, sub, truncdiv
from myia.primitives.pointwise.logic import or_
from myia.rewriting.walk import rewrite_loops

VECTOR_WIDTH = 8
MIN_TRIP_COUNT = 2 * VECTOR_WIDTH


def vectorize_inner_loops(function: Function) -> Function:
    """`function` with innermost loops over elements strip-mined by `VECTOR_WIDTH` and widened."""
    ranges = IndexRanges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    trips = _vectorizable_summary(loop, ranges)
    if trips is None:
        append(op)
        return
    with at(op.span):
        width = _number(VECTOR_WIDTH)
        strips = truncdiv(loop.count, width)
        results = op.results if _none_left(loop, ranges) else _fresh(op.results)
        main = _main_body(loop, trips)
        append(_loop(op, strips, loop.carries, loop.bound // VECTOR_WIDTH, main, results))
        if results is not op.results:
            done = mul(strips, width)
            rest = _rest_body(loop, done)
            left = sub(loop.count, done)
            append(_loop(op, left, results, VECTOR_WIDTH - 1, rest, op.results))


def _vectorizable_summary(loop: Loop, ranges: IndexRanges) -> LoopSummary | None:
    """What is known of the trips of a loop, if `VECTOR_WIDTH` of them can be made at once."""
    many = loop.bound is not None and loop.bound >= MIN_TRIP_COUNT
    return summary_if_independent(loop, ranges, VECTOR_WIDTH, gathers=True) if many else None


def _none_left(loop: Loop, ranges: IndexRanges) -> bool:
    count = ranges.linear_form(loop.count)
    return set(count) <= {ONE} and count[ONE] % VECTOR_WIDTH == 0


def _loop(op: Op, count: Value, carries, bound: int, body: Region, results) -> Op:
    """A loop like `op`, of other trips."""
    params = {**op.params, "bound": bound}
    return Op(loop_p, (count, *carries), params, (body,), tuple(results), op.span)


def _fresh(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(Value(x.aval, x.name) for x in values)


def _number(n: int) -> Value:
    return constant(n, I64.dtype)


# ----- The bodies


def _rest_body(loop: Loop, done: Value) -> Region:
    """A trip, of those that are left when `done` have been made."""
    k, *args = _fresh(loop.body.args)
    with Builder() as b:
        yields = inline(loop.body, (add(done, k), *args))
    return Region((k, *args), tuple(b.ops), yields)


def _main_body(loop: Loop, trips: LoopSummary) -> Region:
    """`VECTOR_WIDTH` trips."""
    strip, *args = _fresh(loop.body.args)
    with Builder() as b:
        lanes = _Lanes(loop.body, trips, mul(strip, _number(VECTOR_WIDTH)), args)
        for op in loop.body.ops:
            with at(op.span):
                lanes.emit(op)
        yields = [lanes.yielded(y, x) for x, y in zip(loop.body.args[1:], loop.body.yields)]
    return Region((strip, *args), tuple(b.ops), tuple(yields))


class _Lanes:
    """Values of `VECTOR_WIDTH` trips, as vectors of one element each; the first lane is the one
    that comes first in memory, which may be the last trip."""

    def __init__(self, body: Region, trips: LoopSummary, base: Value, args: list[Value]):
        self.trips = trips
        self.definitions = {y: op for op in body.ops for y in op.results}
        self.carried = dict(zip(body.args[1:], args))
        self.done: set[Op] = set(trips.reduction_ops)
        self.vectors: Env = {}
        self.first: Env = dict(self.carried)  # in the first lane: indices, arrays, what is shared
        self.forwards = trips.direction > 0
        self._count(body.args[0], base)

    def _count(self, k: Value, base: Value) -> None:
        steps, ends = (
            iota(shape=(VECTOR_WIDTH,), axis=0, dtype=I64.dtype),
            _number(VECTOR_WIDTH - 1),
        )
        last = base if self.forwards else add(base, ends)
        self.first[k] = last
        start = broadcast(last, shape=(VECTOR_WIDTH,), dims=())
        self.vectors[k] = add(start, steps) if self.forwards else sub(start, steps)

    def emit(self, op: Op) -> None:
        """Emit `op`, if that has not been done, after what it depends on."""
        if op in self.done:
            return
        self.done.add(op)
        for x in op.operands:
            self._settle(x)
        moves = self.trips.strides.get(op)
        if op.results[0] not in self.trips.varying or (op in self.trips.strides and moves is None):
            self._compute_once(op)
        elif op in self.trips.gathers:
            self._gather(op)
        elif op.primitive is dynamic_slice:
            self._read(op, moves)
        elif op.primitive is dynamic_update_slice:
            self._store(op, moves)
        else:
            self._compute(op)

    def _compute_once(self, op: Op) -> None:
        env = {x: self._index(x) for x in op.operands}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

    def _settle(self, x: Value) -> None:
        x = self.trips.recurrences.get(x, x)
        if x in self.definitions:
            self.emit(self.definitions[x])

    def _of(self, x: Value) -> Value:
        """`x` in all lanes."""
        if x not in self.vectors:
            self.vectors[x] = self._shifted(x) if x in self.trips.recurrences else self._shared(x)
        return self.vectors[x]

    def _shared(self, x: Value) -> Value:
        """What is the same in all trips."""
        return broadcast(reshape(self.first.get(x, x), shape=()), shape=(VECTOR_WIDTH,), dims=())

    def _shifted(self, x: Value) -> Value:
        """In each lane what the trip before yields."""
        before = reshape(self.carried[x], shape=(1,))
        later = self._of(self.trips.recurrences[x])
        if self.forwards:
            return concatenate(before, _part(later, 0, VECTOR_WIDTH - 1), axis=0)
        return concatenate(_part(later, 1, VECTOR_WIDTH), before, axis=0)

    def _compute(self, op: Op) -> None:
        (y,) = op.results
        operands = map(self._of, op.operands)
        casts = op.primitive in SHAPE_CHANGES
        self.vectors[y] = next(operands) if casts else emit1(op.primitive, *operands, **op.params)
        varying = [x for x in op.operands if x in self.trips.varying]
        if y.aval == I64 and all(x in self.first for x in varying):
            append(clone_op(op, self.first))

    def _read(self, op: Op, moves: Stride) -> None:
        (y,) = op.results
        self.vectors[y] = self._window(self._array(op.operands[0]), op, moves)

    def _gather(self, op: Op) -> None:
        """Each lane reads at a place of its own."""
        (y,) = op.results
        places = [self._of(x) for x in start_indices(op)]
        read = [self._element(op, places, lane) for lane in range(VECTOR_WIDTH)]
        self.vectors[y] = concatenate(*read, axis=0)

    def _element(self, op: Op, places: Sequence[Value], lane: int) -> Value:
        place = [reshape(_part(x, lane, lane + 1), shape=()) for x in places]
        element = dynamic_slice(op.operands[0], *place, sizes=op.params["sizes"])
        return reshape(element, shape=(1,))

    def _array(self, x: Value) -> Value:
        """What is read of an array that trips add to is what it was before all of them."""
        while x not in self.first and x in self.definitions:
            x = self.definitions[x].operands[0]
        return self.first.get(x, x)

    def _window(self, array: Value, op: Op, moves: Stride) -> Value:
        """What all lanes read of `array` where `op` reads or stores."""
        sizes = _along(moves.axis, op.operands[0].shape)
        window = dynamic_slice(array, *self._place(op, moves), sizes=sizes)
        return self._turned(reshape(window, shape=(VECTOR_WIDTH,)), moves)

    def _store(self, op: Op, moves: Stride) -> None:
        array = self._stored(self.first[op.operands[0]], self._of(op.operands[1]), op, moves)
        array.name = op.results[0].name
        self.first[op.results[0]] = array

    def _stored(self, array: Value, update: Value, op: Op, moves: Stride) -> Value:
        sizes = _along(moves.axis, op.operands[0].shape)
        window = reshape(self._turned(update, moves), shape=sizes)
        return dynamic_update_slice(array, window, *self._place(op, moves))

    def _place(self, op: Op, moves: Stride) -> list[Value]:
        """Where the window of all lanes begins."""
        place = [self._index(x) for x in start_indices(op)]
        if not self._is_in_order(moves):
            place[moves.axis] = sub(place[moves.axis], _number(VECTOR_WIDTH - 1))
        return place

    def _index(self, x: Value) -> Value:
        """`x` in the first lane; made of what is not known there, it may be known all the same."""
        if x in self.first or x not in self.vectors:
            return self.first.get(x, x)
        return reshape(_part(self.vectors[x], 0, 1), shape=())

    def _is_in_order(self, moves: Stride) -> bool:
        return moves.step == self.trips.direction

    def _turned(self, x: Value, moves: Stride) -> Value:
        return x if self._is_in_order(moves) else flip(x, axes=(0,))

    # ----- What the trips yield

    def yielded(self, y: Value, arg: Value) -> Value:
        """What `y`, to which trips turn the carry `arg`, is after all of them."""
        if y in self.trips.reductions:
            return self._total(self.trips.reductions[y], self.carried[arg])
        if y in self.trips.array_reductions:
            return self._accumulated(self.trips.array_reductions[y], self.carried[arg])
        if arg in self.trips.recurrences:
            last = VECTOR_WIDTH - 1 if self.forwards else 0
            return reshape(_part(self._of(y), last, last + 1), shape=arg.shape)
        return self.first[y]

    def _total(self, totals: Sequence[ReductionStep], carry: Value) -> Value:
        """The sum, one trip after the other; in any order, what the trips add together first."""
        terms = [self._of(total.op.operands[total.term_position]) for total in totals]
        with at(totals[0].op.span):
            if _in_any_order(totals):
                found = _together(totals[0], terms)
                return _add(totals[0], carry, reshape(found, shape=carry.shape))
            for lane in range(VECTOR_WIDTH) if self.forwards else reversed(range(VECTOR_WIDTH)):
                for total, term in zip(totals, terms):
                    part = reshape(_part(term, lane, lane + 1), shape=carry.shape)
                    carry = _add(total, carry, part)
        return carry

    def _accumulated(self, accumulations: Sequence[ArrayReduction], array: Value) -> Value:
        """The array, with all that the trips add to it."""
        for accumulation in accumulations:
            store = accumulation.store
            moves = self.trips.strides[store]
            with at(store.span):
                window = self._window(array, store, moves)
                for total in accumulation.steps:
                    window = _add(total, window, self._of(total.op.operands[total.term_position]))
                array = self._stored(array, window, store, moves)
        return array


def _add(total: ReductionStep, carry: Value, term: Value) -> Value:
    operands = (carry, term) if total.term_position else (term, carry)
    return emit1(total.op.primitive, *operands, **total.op.params)


def _in_any_order(totals: Sequence[ReductionStep]) -> bool:
    """May a sum be made in any order, as disjunctions may?"""
    disjunction = all(total.op.primitive is or_ for total in totals)
    return disjunction or all(total.is_reassociable for total in totals)


def _together(total: ReductionStep, terms: Sequence[Value]) -> Value:
    """The sum of all lanes of all terms. Of its additions none waits for the trips before."""
    freely, half = functools.partial(_add, total), VECTOR_WIDTH // 2
    found = functools.reduce(freely, terms)
    while half:
        found = freely(_part(found, 0, half), _part(found, half, 2 * half))
        half //= 2
    return found


def _part(vector: Value, start: int, limit: int) -> Value:
    return slice(vector, start=(start,), limit=(limit,), stride=(1,))


def _along(axis: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of a window of all lanes, in an array of this shape."""
    return tuple(VECTOR_WIDTH if i == axis else 1 for i in range(len(shape)))
