"""The ops of a loop's body for many trips together: windows of many rows, trips of inner loops.

    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}        %1 = dynamic_slice %a, %0, %0 {sizes=(9, 5)}
    %2 = reshape %1 {shape=(5,)}                  ->
    %3 = dot_general %2, %m                             %3 = dot_general %1, %m

`outer_loop.py` says of which loops, `batching_rules.py` how an op is done.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Op, Region, Value, walk
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.analysis.accesses import slice_sizes, start_indices
from myia.passes.analysis.array_reductions import ArrayReduction, ReductionStep, Stride
from myia.passes.analysis.loop_dependence import LoopSummary
from myia.passes.vectorize.batching_rules import batch, repeated
from myia.passes.vectorize.nest_dependence import NestSummary
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import flip, iota, reduce_sum, reshape, slice, transpose
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul, sub


def widen_iterations(
    loop: Loop, trips: LoopSummary | NestSummary, base: Value, carries: Sequence[Value], width: int
) -> tuple[Value, ...]:
    """Emit `width` trips from `base` on; what the carries are then."""
    if width == 1:
        return inline(loop.body, (base, *carries))
    rows = _Rows(loop.body, trips, base, carries, width)
    for op in loop.body.ops:
        with at(op.span):
            rows.emit(op)
    return tuple(rows.yielded(y, x) for x, y in zip(loop.body.args[1:], loop.body.yields))


def _number(n: int) -> Value:
    return constant(n, I64.dtype)


def _contraction(total: Op, product: Op) -> Op:
    """`reduce_sum(mul(x, y))` as a product of `x` and `y` that contracts what is summed."""
    axes = total.params["axes"]
    kept = tuple(i for i in range(len(product.results[0].shape)) if i not in axes)
    params = {"contract": (axes, axes), "batch": (kept, kept)}
    return Op(dot_general, product.operands, params, (), total.results, total.span)


def _is_first(axis: int, sizes: Sequence[int]) -> bool:
    """Do windows that are longer along `axis` alone lie one after the other along it? XLA would lay
    out the whole array anew for a transposition that changes nothing."""
    return all(n == 1 for n in sizes[:axis])


class _Rows:
    """Values of many trips, one after the other along a new first axis, in the order in which most
    of what they access lies in memory: the first may be that of the last trip."""

    def __init__(
        self, body: Region, trips: LoopSummary | NestSummary, base: Value, carries, width: int
    ):
        self.trips, self.width = trips, width
        self.definitions = {y: op for op in walk(body) for y in op.results}
        self.carried = dict(zip(body.args[1:], carries))
        self.batches: Env = {}
        self.first: Env = {}  # in the first trip: indices, arrays, what is shared
        for arg, carry in self.carried.items():
            self._carry(arg, carry)
        self._count(body.args[0], base)

    def _carry(self, arg: Value, carry: Value) -> None:
        """Of a sum each trip has its own, to be added to it."""
        if arg in self.trips.partial_sums:
            self.batches[arg] = constant(0, arg.dtype, (self.width, *arg.shape))
        else:
            self.first[arg] = carry

    def _count(self, k: Value, base: Value) -> None:
        forwards, last = self.trips.direction > 0, _number(self.width - 1)
        self.first[k] = base if forwards else add(base, last)
        steps = iota(shape=(self.width,), axis=0, dtype=I64.dtype)
        start = repeated(self.first[k], self.width)
        self.batches[k] = add(start, steps) if forwards else sub(start, steps)

    def emit(self, op: Op) -> None:
        """Emit `op`, unless it is a sum over trips."""
        if op in self.trips.reduction_ops:
            return
        moves = self.trips.strides.get(op)
        if op.primitive is loop_p:
            self._loop(op)
        elif moves is None:
            self._compute(op)
        elif op.primitive is dynamic_slice:
            self.batches[op.results[0]] = self._window(self._array(op.operands[0]), op, moves)
        elif op in self.trips.reduced_stores:
            array = self.first[op.operands[0]]
            self.first[op.results[0]] = self._added_to(array, self.trips.reduced_stores[op])
        else:
            array, update = self.first[op.operands[0]], self._of(op.operands[1])
            self.first[op.results[0]] = self._stored(array, update, op, moves)

    def _loop(self, op: Op) -> None:
        """A loop of which all trips make a trip together."""
        loop = Loop.of(op)
        args = loop.body.args
        carries = [self._either(x, arg) for x, arg in zip(loop.carries, args[1:])]
        k, *inner = (Value(x.aval, arg.name) for x, arg in zip((args[0], *carries), args))
        self.first[args[0]] = k
        with Builder() as b:
            self._know(args[1:], inner, args[1:])
            for each in loop.body.ops:
                with at(each.span):
                    self.emit(each)
            yields = [self._either(y, arg) for y, arg in zip(loop.body.yields, args[1:])]
        count = self.first.get(loop.count, loop.count)
        results = tuple(Value(x.aval, y.name) for x, y in zip(carries, op.results))
        body = Region((k, *inner), tuple(b.ops), tuple(yields))
        append(Op(loop_p, (count, *carries), op.params, (body,), results, op.span))
        self._know(op.results, results, args[1:])

    def _either(self, x: Value, arg: Value) -> Value:
        """What the carry `arg` of an inner loop is, where that is `x` for one trip.

        Without axes of one element: XLA lays out arrays that have them anew, in every trip.
        """
        if arg not in self.trips.varying:
            return self.first.get(x, x)
        batch = self._of(x)
        return reshape(batch, shape=(self.width, *(n for n in x.shape if n != 1)))

    def _know(self, old: Sequence[Value], new: Sequence[Value], args: Sequence[Value]) -> None:
        for x, y, arg in zip(old, new, args):
            if arg in self.trips.varying:
                self.batches[x] = reshape(y, shape=(self.width, *x.shape))
            else:
                self.first[x] = y

    def _compute(self, op: Op) -> None:
        shared = [x not in self.batches for x in op.operands]
        in_one_place = op.primitive is dynamic_slice and shared[0]
        if in_one_place or all(shared):
            self._compute_once(op)
            return
        if self._is_of_products(op):
            op = _contraction(op, self.definitions[op.operands[0]])
            shared = [x not in self.batches for x in op.operands]
        (y,) = op.results
        operands = [self.batches.get(x) or self.first.get(x, x) for x in op.operands]
        self.batches[y] = batch(op, operands, shared, self.width)
        if y.aval == I64 and all(x in self.first for x in op.operands if x in self.batches):
            append(clone_op(op, self.first))

    def _compute_once(self, op: Op) -> None:
        env = {x: self._index(x) for x in op.operands}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

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

    def _window(self, array: Value, op: Op, moves: Stride) -> Value:
        """What all trips read of `array` where `op` reads or stores."""
        sizes = slice_sizes(op)
        window = dynamic_slice(array, *self._place(op, moves), sizes=self._along(moves, sizes))
        if not _is_first(moves.axis, sizes):
            axes = (moves.axis, *(axis for axis in range(len(sizes)) if axis != moves.axis))
            window = transpose(window, permutation=axes)
        return self._turned(reshape(window, shape=(self.width, *sizes)), moves)

    def _stored(self, array: Value, rows: Value, op: Op, moves: Stride) -> Value:
        sizes, rows = slice_sizes(op), self._turned(rows, moves)
        if not _is_first(moves.axis, sizes):
            others = (n for axis, n in enumerate(sizes) if axis != moves.axis)
            axes = (*range(1, moves.axis + 1), 0, *range(moves.axis + 1, len(sizes)))
            rows = transpose(reshape(rows, shape=(self.width, *others)), permutation=axes)
        window = reshape(rows, shape=self._along(moves, sizes))
        stored = dynamic_update_slice(array, window, *self._place(op, moves))
        stored.name = op.results[0].name
        return stored

    def _place(self, op: Op, moves: Stride) -> list[Value]:
        """Where the window of all trips begins."""
        place = [self._index(x) for x in start_indices(op)]
        if not self._is_in_order(moves):
            place[moves.axis] = sub(place[moves.axis], _number(self.width - 1))
        return place

    def _index(self, x: Value) -> Value:
        """`x` in the first row; made of what is not known there, it may be known all the same."""
        if x in self.first or x not in self.batches:
            return self.first.get(x, x)
        return reshape(slice(self.batches[x], start=(0,), limit=(1,), stride=(1,)), shape=())

    def _along(self, moves: Stride, sizes: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.width if i == moves.axis else n for i, n in enumerate(sizes))

    def _is_in_order(self, moves: Stride) -> bool:
        return moves.step == self.trips.direction

    def _turned(self, x: Value, moves: Stride) -> Value:
        return x if self._is_in_order(moves) else flip(x, axes=(0,))

    # ----- What the trips yield

    def yielded(self, y: Value, arg: Value) -> Value:
        """What `y`, to which trips turn the carry `arg`, is after all of them."""
        if arg in self.trips.partial_sums:
            total = reduce_sum(self.batches[y], axes=(0,))
            return add(self.carried[arg], total, reassoc=True)
        if y in self.trips.reductions:
            return self._total(self.trips.reductions[y], self.carried[arg])
        if y in self.trips.array_reductions:
            return self._accumulated(self.trips.array_reductions[y], self.carried[arg])
        return self.first[y]

    def _total(self, totals: Sequence[ReductionStep], carry: Value) -> Value:
        """The sum, of what the trips add together first."""
        for total in totals:
            with at(total.op.span):
                found = self._sum(total.op.operands[total.term_position])
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

    def _accumulated(self, accumulations: Sequence[ArrayReduction], array: Value) -> Value:
        """The array, with all that the trips add to it."""
        for accumulation in accumulations:
            with at(accumulation.store.span):
                array = self._added_to(array, accumulation)
        return array

    def _added_to(self, array: Value, accumulation: ArrayReduction) -> Value:
        """The array, with what all trips add to it in one place."""
        store = accumulation.store
        moves = self.trips.strides[store]
        window = self._window(array, store, moves)
        for total in accumulation.steps:
            term = reshape(self._of(total.op.operands[total.term_position]), shape=window.shape)
            operands = (window, term) if total.term_position else (term, window)
            window = emit1(total.op.primitive, *operands, **total.op.params)
        return self._stored(array, window, store, moves)
